/** Environment variables that a container reads from the Pod's labels and annotations. @see spec/inplace-update.md 4.4, 7.3 */
import { envNames } from '@kruise/api';
import { parseMetadataFieldPath, type Container, type EnvVar } from '@kruise/objects';

/** A variable whose value the container reads from one label or annotation when it starts. */
export interface MetadataEnv {
  readonly name: string;
  readonly from: 'labels' | 'annotations';
  readonly key: string;
}

/** Their values change with every SidecarSet. They cause no restart. */
const ignored: readonly string[] = [envNames.sidecarSetVersion, envNames.sidecarSetVersionAlt];

function metadataEnvOf({ name, value, valueFrom }: EnvVar): readonly MetadataEnv[] {
  const fieldPath = valueFrom?.fieldRef?.fieldPath;
  if (fieldPath === undefined || (value ?? '') !== '' || ignored.includes(name)) return [];
  const source = parseMetadataFieldPath(fieldPath);
  return source === undefined ? [] : [{ name, ...source }];
}

/** Returns the variables in the order of the container's `env`. */
export const metadataEnvs = (container: Container): readonly MetadataEnv[] => (container.env ?? []).flatMap(metadataEnvOf);
