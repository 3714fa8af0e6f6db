/** What may be asked of a runtime at all. Nothing that creates, starts or removes a container, a sandbox or an image is in here. */
import { fromJSON, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { criSchema } from './generated/cri-schema.ts';

/** Every method that can be called, with its service. The only such list: a method that is not here cannot be called. */
export const criMethods = {
  Version: 'RuntimeService',
  ListContainers: 'RuntimeService',
  ContainerStatus: 'RuntimeService',
  StopContainer: 'RuntimeService',
  ExecSync: 'RuntimeService',
  PodSandboxStatus: 'RuntimeService',
  ListImages: 'ImageService',
  ImageFsInfo: 'ImageService',
} as const;

export type CriMethod = keyof typeof criMethods;

export type CriMethodDefinitions = Readonly<Record<CriMethod, MethodDefinition<object, object>>>;

/**
 * How the messages of each method are written and read: members in camelCase, int64 as decimal text, enums as their names, absent members
 * with their defaults.
 */
export function loadCriMethods(): CriMethodDefinitions {
  const services = fromJSON(criSchema as Parameters<typeof fromJSON>[0], { longs: String, enums: String, defaults: true });
  const entries = Object.entries(criMethods).map(([method, service]) => [
    method,
    (services[`runtime.v1.${service}`] as ServiceDefinition)[method],
  ]);
  return Object.fromEntries(entries) as CriMethodDefinitions;
}
