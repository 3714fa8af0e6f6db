/** Warnings about a StatefulSet that is allowed but probably a mistake: shown to the user, never refused. @see spec/statefulset.md 8 */
import { membersAt, type JsonObject } from '@kruise/objects';
import type { GateName, Gates } from '../../gates/feature-gates.ts';
import { configRolloutWarning } from '../../validation/config-rollout.ts';
import { warnInSpec, type KindRule } from '../../validation/kind-rules.ts';
import { isNonZero } from '../../validation/workload.ts';

/** What the warnings of a StatefulSet depend on besides the object. */
export interface StatefulSetWarningOptions {
  readonly gates: Gates;
}

type Warn = (spec: JsonObject, options: StatefulSetWarningOptions) => string | undefined;

const rollingUpdate = (spec: JsonObject): JsonObject => membersAt(membersAt(spec, 'updateStrategy'), 'rollingUpdate');

/** Warns of a member that has no effect while its gate is off. */
const gated =
  (path: string, gate: GateName, isUsed: (spec: JsonObject) => boolean): Warn =>
  (spec, { gates }) =>
    !gates[gate] && isUsed(spec) ? `spec.${path}: has no effect while feature gate ${gate} is off` : undefined;

const deletesClaims = (spec: JsonObject): boolean =>
  Object.values(membersAt(spec, 'persistentVolumeClaimRetentionPolicy')).includes('Delete');

function isInPlace(spec: JsonObject): boolean {
  const { podUpdatePolicy } = rollingUpdate(spec);
  return podUpdatePolicy === 'InPlaceIfPossible' || podUpdatePolicy === 'InPlaceOnly';
}

const graceOfRecreation: Warn = (spec) => {
  const { inPlaceUpdateStrategy } = rollingUpdate(spec);
  const hasSettings = Object.values(membersAt({ inPlaceUpdateStrategy }, 'inPlaceUpdateStrategy')).some(isNonZero);
  return hasSettings && !isInPlace(spec)
    ? 'spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy: has no effect with ReCreate'
    : undefined;
};

const oneAtATime: Warn = (spec) =>
  spec['podManagementPolicy'] === 'OrderedReady' &&
  isNonZero(rollingUpdate(spec)['maxUnavailable']) &&
  rollingUpdate(spec)['maxUnavailable'] !== 1
    ? 'spec.updateStrategy.rollingUpdate.maxUnavailable: Pods are updated one by one with OrderedReady; more at a time needs Parallel'
    : undefined;

const partitionOfAll: Warn = (spec) => {
  const { partition } = rollingUpdate(spec);
  const { replicas } = spec;
  return typeof partition === 'number' && typeof replicas === 'number' && replicas > 0 && partition >= replicas
    ? `spec.updateStrategy.rollingUpdate.partition: with ${String(partition)} no Pod of ${String(replicas)} is updated`
    : undefined;
};

/** Warns of named ConfigMaps whose changes restart nothing. */
export const configsInVain = (object: JsonObject, { gates }: StatefulSetWarningOptions): string | undefined =>
  configRolloutWarning(object, gates, isInPlace(membersAt(object, 'spec')));

/** With the hash of a revision appended, the name is the value of a label, which may have 63 characters. */
const longestName = 52;

/** Warns of a name that leaves no room for the hash of a revision. */
export const longName = (object: JsonObject): string | undefined => {
  const { name } = membersAt(object, 'metadata');
  return typeof name === 'string' && name.length > longestName
    ? `metadata.name: with more than ${longestName} characters the labels of its Pods may get too long, and none is created`
    : undefined;
};

/** The warnings about `spec`, in the order in which they are shown. */
export const specWarnings: readonly KindRule<unknown, StatefulSetWarningOptions>[] = [
  gated('ordinals.start', 'StatefulSetStartOrdinal', (spec) => isNonZero(membersAt(spec, 'ordinals')['start'])),
  gated(
    'volumeClaimUpdateStrategy',
    'StatefulSetAutoResizePVCGate',
    (spec) => membersAt(spec, 'volumeClaimUpdateStrategy')['type'] === 'OnPodRollingUpdate',
  ),
  gated('persistentVolumeClaimRetentionPolicy', 'StatefulSetAutoDeletePVC', deletesClaims),
  gated('updateStrategy.rollingUpdate.inPlaceUpdateStrategy.imagePreDownload…', 'PreDownloadImageForInPlaceUpdate', (spec) =>
    Object.entries(membersAt(rollingUpdate(spec), 'inPlaceUpdateStrategy')).some(
      ([name, value]) => name.startsWith('imagePreDownload') && isNonZero(value),
    ),
  ),
  oneAtATime,
  graceOfRecreation,
  partitionOfAll,
].map(warnInSpec);
