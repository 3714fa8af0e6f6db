/** Warnings about a StatefulSet that is allowed but probably a mistake: shown to the user, never refused. @see spec/statefulset.md 8 */
import { membersAt, type Members } from '../../conversion/converter.ts';
import type { GateName, Gates } from '../../gates/feature-gates.ts';
import { replicasWarning } from '../../validation/workload.ts';

/** What the warnings of a StatefulSet depend on besides the object. */
export interface StatefulSetWarningOptions {
  readonly gates: Gates;
}

type Warn = (spec: Members, options: StatefulSetWarningOptions) => string | undefined;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== 0;
const rollingUpdate = (spec: Members): Members => membersAt(membersAt(spec, 'updateStrategy'), 'rollingUpdate');

/** Warns of a member that has no effect while its gate is off. */
const gated =
  (path: string, gate: GateName, isUsed: (spec: Members) => boolean): Warn =>
  (spec, { gates }) =>
    !gates[gate] && isUsed(spec) ? `spec.${path}: has no effect while feature gate ${gate} is off` : undefined;

const deletesClaims = (spec: Members): boolean => Object.values(membersAt(spec, 'persistentVolumeClaimRetentionPolicy')).includes('Delete');

const graceOfRecreation: Warn = (spec) => {
  const { podUpdatePolicy, inPlaceUpdateStrategy } = rollingUpdate(spec);
  const isInPlace = podUpdatePolicy === 'InPlaceIfPossible' || podUpdatePolicy === 'InPlaceOnly';
  const hasSettings = Object.values(membersAt({ inPlaceUpdateStrategy }, 'inPlaceUpdateStrategy')).some(isGiven);
  return hasSettings && !isInPlace ? 'spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy: has no effect with ReCreate' : undefined;
};

const oneAtATime: Warn = (spec) =>
  spec['podManagementPolicy'] === 'OrderedReady' &&
  isGiven(rollingUpdate(spec)['maxUnavailable']) &&
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

/** With the hash of a revision appended, the name is the value of a label, which may have 63 characters. */
const longestName = 52;

const nameWarning = (object: Members): readonly string[] => {
  const { name } = membersAt(object, 'metadata');
  return typeof name === 'string' && name.length > longestName
    ? [`metadata.name: with more than ${longestName} characters the labels of its Pods may get too long, and none is created`]
    : [];
};

const rules: readonly Warn[] = [
  replicasWarning,
  gated('ordinals.start', 'StatefulSetStartOrdinal', (spec) => isGiven(membersAt(spec, 'ordinals')['start'])),
  gated(
    'volumeClaimUpdateStrategy',
    'StatefulSetAutoResizePVCGate',
    (spec) => membersAt(spec, 'volumeClaimUpdateStrategy')['type'] === 'OnPodRollingUpdate',
  ),
  gated('persistentVolumeClaimRetentionPolicy', 'StatefulSetAutoDeletePVC', deletesClaims),
  gated('updateStrategy.rollingUpdate.inPlaceUpdateStrategy.imagePreDownload…', 'PreDownloadImageForInPlaceUpdate', (spec) =>
    Object.entries(membersAt(rollingUpdate(spec), 'inPlaceUpdateStrategy')).some(
      ([name, value]) => name.startsWith('imagePreDownload') && isGiven(value),
    ),
  ),
  oneAtATime,
  graceOfRecreation,
  partitionOfAll,
];

/** Returns the warnings. Never throws, whatever the object is. */
export const statefulSetWarnings = (object: Members, options: StatefulSetWarningOptions): readonly string[] => [
  ...nameWarning(object),
  ...rules.flatMap((rule) => rule(membersAt(object, 'spec'), options) ?? []),
];
