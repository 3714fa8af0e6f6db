/** The methods that can be called. None of them creates, starts or removes a container or a sandbox, or removes an image. */
import { criSchema } from './generated/cri-schema.ts';
import { MessageCodecs } from './message-codec.ts';

/** Every method that can be called, with its service. This is the only such list: a method that is not in it cannot be called. */
export const criMethods = {
  Version: 'RuntimeService',
  ListContainers: 'RuntimeService',
  ContainerStatus: 'RuntimeService',
  StopContainer: 'RuntimeService',
  ExecSync: 'RuntimeService',
  PodSandboxStatus: 'RuntimeService',
  ListImages: 'ImageService',
  ImageStatus: 'ImageService',
  PullImage: 'ImageService',
} as const;

/** Name of a method that can be called, as in the CRI: `ListContainers`. */
export type CriMethod = keyof typeof criMethods;

/** How one method is called; see `message-codec.ts` for the form of its messages. */
export interface CriMethodDefinition {
  /** For example `/runtime.v1.RuntimeService/Version`. */
  readonly path: string;
  readonly requestSerialize: (request: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => object;
}

/** Path and codecs of every method, as {@link loadCriMethods} creates them. */
export type CriMethodDefinitions = Readonly<Record<CriMethod, CriMethodDefinition>>;

type Service = Readonly<{ methods: Readonly<Record<string, { readonly requestType: string; readonly responseType: string }>> }>;

/**
 * Returns the methods with the codecs of their messages, created from the schema. This takes a while: load once and share the result between
 * channels.
 * @throws Error when the schema lacks a method of the list
 */
export function loadCriMethods(): CriMethodDefinitions {
  const codecs = new MessageCodecs();
  const entries = Object.entries(criMethods).map(([method, service]) => {
    const { methods }: Service = criSchema.nested.runtime.nested.v1.nested[service];
    const types = methods[method];
    if (types === undefined) throw new Error(`no method ${method} in the schema`);
    const [request, response] = [codecs.of(types.requestType), codecs.of(types.responseType)];
    const definition: CriMethodDefinition = {
      path: `/runtime.v1.${service}/${method}`,
      requestSerialize: (message) => request.encode(message),
      responseDeserialize: (bytes) => response.decode(bytes),
    };
    return [method, definition];
  });
  return Object.fromEntries(entries) as CriMethodDefinitions;
}
