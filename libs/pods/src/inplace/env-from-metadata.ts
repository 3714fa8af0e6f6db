/** Environment variables that a container takes from the Pod's labels and annotations. @see spec/inplace-update.md 4.4, 7.3 */
import { envNames } from '@kruise/api';
import type { Container, EnvVar } from '@kruise/objects';

export interface MetadataEnv {
  readonly name: string;
  readonly from: 'labels' | 'annotations';
  readonly key: string;
}

/** Their values change with every SidecarSet; they restart nothing. */
const ignored: readonly string[] = [envNames.sidecarSetVersion, envNames.sidecarSetVersionAlt];

function parseFieldPath(fieldPath: string): Pick<MetadataEnv, 'from' | 'key'> | undefined {
  const open = fieldPath.indexOf("['");
  if (open < 0 || !fieldPath.endsWith("']")) return undefined;
  const key = fieldPath.slice(open + 2, -2);
  const path = fieldPath.slice(0, open);
  if (path === 'metadata.labels') return { from: 'labels', key };
  return path === 'metadata.annotations' ? { from: 'annotations', key } : undefined;
}

function metadataEnvOf({ name, value, valueFrom }: EnvVar): readonly MetadataEnv[] {
  const fieldPath = valueFrom?.fieldRef?.fieldPath;
  if (fieldPath === undefined || (value ?? '') !== '' || ignored.includes(name)) return [];
  const source = parseFieldPath(fieldPath);
  return source === undefined ? [] : [{ name, ...source }];
}

/** In the order of the container's `env`. */
export const metadataEnvs = (container: Container): readonly MetadataEnv[] => (container.env ?? []).flatMap(metadataEnvOf);
