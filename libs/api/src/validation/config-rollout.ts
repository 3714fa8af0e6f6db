/** Warnings about the annotation `config-rollout` of a workload. @see spec/config-rollout.md 2 */
import { fieldKey, isJsonObject, memberAt, metadataValue, parseMetadataFieldPath, type JsonObject } from '@kruise/objects';
import type { Gates } from '../gates/feature-gates.ts';
import { annotations } from '../well-known.ts';

/** The gates that the warning depends on. */
export type ConfigRolloutGates = Pick<Gates, 'ConfigRollout' | 'InPlaceUpdateEnvFromMetadata'>;

const path = fieldKey('metadata.annotations', annotations.configRollout);

const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function readsHash(variable: unknown): boolean {
  const fieldPath = memberAt(variable, 'valueFrom', 'fieldRef', 'fieldPath');
  const source = typeof fieldPath === 'string' ? parseMetadataFieldPath(fieldPath) : undefined;
  return source?.from === 'annotations' && source.key === annotations.configHash;
}

const hasRestartingContainer = (object: JsonObject): boolean =>
  entriesOf(memberAt(object['spec'], 'template', 'spec', 'containers')).some((container) =>
    entriesOf(isJsonObject(container) ? container['env'] : undefined).some(readsHash),
  );

/**
 * Warns of a workload whose containers a changed ConfigMap never restarts.
 *
 * @param object of any shape
 * @param isInPlace whether it updates its Pods in place
 */
export function configRolloutWarning(object: JsonObject, gates: ConfigRolloutGates, isInPlace: boolean): string | undefined {
  if ((metadataValue(object, 'annotations', annotations.configRollout) ?? '') === '') return undefined;
  if (!gates.ConfigRollout) return `${path}: has no effect while feature gate ConfigRollout is off`;
  if (!isInPlace) return undefined;
  const effect = 'a changed content restarts no container';
  if (!gates.InPlaceUpdateEnvFromMetadata) return `${path}: ${effect} while feature gate InPlaceUpdateEnvFromMetadata is off`;
  return hasRestartingContainer(object)
    ? undefined
    : `${path}: ${effect}: add a variable from metadata.annotations['${annotations.configHash}'] to each container that has to restart`;
}
