/** ConfigMaps and Secrets as the manager keeps those that workloads name: which one it is, and the digest of its content. */
import { createHash } from 'node:crypto';
import { canonicalJson, identityIn, type ConfigMap, type KubeObject, type Secret } from '@kruise/objects';

/** The content itself is dropped as soon as it has been hashed. */
export interface SlimConfig extends KubeObject {
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

type Config = (ConfigMap | Secret) & { readonly binaryData?: Readonly<Record<string, string>> };

/** Returns the SHA-256 of a text in hexadecimal digits. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** One that is slim already stays as it is. Labels, annotations, versions and `immutable` are no content. */
export function slimConfig(config: Config | SlimConfig): SlimConfig {
  if ('digest' in config) return config;
  return {
    metadata: identityIn(config.metadata),
    digest: digestOf(canonicalJson({ data: config.data ?? {}, binaryData: config.binaryData ?? {} })),
  };
}
