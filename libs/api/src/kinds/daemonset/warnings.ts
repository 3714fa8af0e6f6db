/** Warnings about a DaemonSet that is allowed but probably a mistake: shown to the user, never refused. @see spec/daemonset.md 5 to 8 */
import {
  fieldKey,
  isEmptyLabelSelector,
  isJsonObject,
  isUnset,
  memberAt,
  membersAt,
  metadataValue,
  parseIntOrPercent,
  validateLabelSelector,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import type { Gates } from '../../gates/feature-gates.ts';
import { configRolloutWarning, type ConfigRolloutGates } from '../../validation/config-rollout.ts';
import type { KindRule } from '../../validation/kind-rules.ts';
import { annotations, podConditions } from '../../well-known.ts';
import type { DaemonSetVersion } from './defaults.ts';
import { daemonSetAnnotations } from './names.ts';
import { countsAsZero, rolloutPath } from './validation-rollout.ts';

/** What the warnings of a DaemonSet depend on besides the object. */
export interface DaemonSetWarningOptions {
  /** Version of the object: an annotation of v1alpha1 is a member of v1beta1. */
  readonly version: DaemonSetVersion;
  /** The stored object in the same version; undefined on create. */
  readonly oldObject: JsonObject | undefined;
  readonly gates: Pick<Gates, 'PreDownloadImageForDaemonSetUpdate'> & ConfigRolloutGates;
}

type Warn = (object: JsonObject, options: DaemonSetWarningOptions) => string | undefined;

const specOf = (object: JsonObject): JsonObject => membersAt(object, 'spec');
const strategyOf = (object: JsonObject): JsonObject => membersAt(specOf(object), 'updateStrategy');
const rollingOf = (object: JsonObject): JsonObject => membersAt(strategyOf(object), 'rollingUpdate');
const isOnDelete = (object: JsonObject): boolean => strategyOf(object)['type'] === 'OnDelete';
const annotationPath = (key: string): string => fieldKey('metadata.annotations', key);
const annotationOf = (object: JsonObject, key: string): string | undefined => metadataValue(object, 'annotations', key);

const burst: Warn = (object) => {
  const value = specOf(object)['burstReplicas'];
  if (isUnset(value)) return undefined;
  const parsed = parseIntOrPercent(value, { fractions: false });
  const effect = 'no Pod is created, deleted or updated in place';
  if (parsed.kind === 'Illegal') return `spec.burstReplicas: ${parsed.why}; what cannot be read acts as 0, so that ${effect}`;
  const isNone = parsed.kind === 'Int' ? parsed.value <= 0 : parsed.mantissa === 0n;
  return isNone ? `spec.burstReplicas: with ${JSON.stringify(value)} ${effect}` : undefined;
};

/** Warns of a limit that is ignored. The other limit must be above 0, or the object would have been refused. */
const unreadLimit =
  (name: 'maxUnavailable' | 'maxSurge'): Warn =>
  (object) => {
    const value = rollingOf(object)[name];
    const isOdd = typeof value === 'string' && countsAsZero(value) && parseIntOrPercent(value, { fractions: false }).kind === 'Illegal';
    return isOdd && !isOnDelete(object)
      ? `${rolloutPath}.${name}: ${JSON.stringify(value)} is neither a number nor a whole percentage and counts as 0`
      : undefined;
  };

/** Returns whether a selector limits anything; an empty one does not. */
const isSelective = (selector: unknown): boolean => isJsonObject(selector) && !isEmptyLabelSelector(selector);

const idleWithOnDelete: Warn = (object) => {
  const { partition, paused, selector } = rollingOf(object);
  const idle = [
    ...(countsAsZero(partition) ? [] : ['partition']),
    ...(paused === true ? ['paused'] : []),
    ...(isSelective(selector) ? ['selector'] : []),
  ];
  return isOnDelete(object) && idle.length > 0 ? `${rolloutPath}: ${idle.join(', ')} have no effect on Pods with type OnDelete` : undefined;
};

/** Returns where the version of the object sets that the partition applies to creation; undefined when it does not. */
function partitionedScalingAt(object: JsonObject, version: DaemonSetVersion): string | undefined {
  if (version === 'v1beta1')
    return membersAt(specOf(object), 'scaleStrategy')['partitionedScaling'] === true ? 'spec.scaleStrategy.partitionedScaling' : undefined;
  const key = daemonSetAnnotations.progressiveCreatePod;
  return annotationOf(object, key) === 'true' ? annotationPath(key) : undefined;
}

const unpartitionedCreation: Warn = (object, { version }) => {
  const path = partitionedScalingAt(object, version);
  return path !== undefined && isOnDelete(object) ? `${path}: has no effect with type OnDelete, which has no partition` : undefined;
};

/** Warns of the annotation without the member, which only v1beta1 can have: a write through v1alpha1 would set the member to true. */
const sleepingAnnotation: Warn = (object, { version }) => {
  const key = daemonSetAnnotations.progressiveCreatePod;
  return annotationOf(object, key) === 'true' && partitionedScalingAt(object, version) === undefined
    ? `${annotationPath(key)}: sets spec.scaleStrategy.partitionedScaling as soon as a client writes the object through v1alpha1; remove it or set the field`
    : undefined;
};

const nodeSelector: Warn = (object) => {
  const { selector } = rollingOf(object);
  if (isUnset(selector) || isOnDelete(object)) return undefined;
  const path = `${rolloutPath}.selector`;
  const fault = validateLabelSelector(selector as LabelSelector, path)[0];
  if (fault !== undefined) return `${fault.field}: ${fault.detail}; an illegal selector chooses no node to update`;
  return isSelective(selector) ? undefined : `${path}: an empty selector chooses every node, like no selector at all`;
};

const preNormal: Warn = (object) =>
  isUnset(membersAt(specOf(object), 'lifecycle')['preNormal']) ? undefined : 'spec.lifecycle.preNormal: has no effect in a DaemonSet';

const templateGeneration: Warn = (object) => {
  const key = annotations.deprecatedDaemonSetTemplateGeneration;
  const value = annotationOf(object, key) ?? '';
  return /^[+-]?\d+$/.test(value)
    ? `${annotationPath(key)}: Pods without label controller-revision-hash whose label pod-template-generation is ${value} count as updated; leave it out unless that is meant`
    : undefined;
};

const minUpdatedReadyPods: Warn = (object) => {
  const key = annotations.preDownloadMinUpdatedReadyPods;
  return annotationOf(object, key) === undefined ? undefined : `${annotationPath(key)}: has no effect on a DaemonSet`;
};

const preDownload: Warn = (object, { gates }) => {
  const keys = [annotations.preDownloadParallelism, annotations.preDownloadTimeoutSeconds];
  const idle = keys.filter((key) => annotationOf(object, key) !== undefined);
  return idle.length > 0 && !gates.PreDownloadImageForDaemonSetUpdate
    ? `metadata.annotations: ${idle.join(', ')} have no effect while feature gate PreDownloadImageForDaemonSetUpdate is off`
    : undefined;
};

const isInPlace = (object: JsonObject): boolean =>
  strategyOf(object)['type'] === 'RollingUpdate' && rollingOf(object)['rollingUpdateType'] === 'InPlaceIfPossible';

const hasReadinessGate = (object: JsonObject): boolean => {
  const list = memberAt(specOf(object), 'template', 'spec', 'readinessGates');
  return Array.isArray(list) && list.some((gate: unknown) => memberAt(gate, 'conditionType') === podConditions.inPlaceUpdateReady);
};

/** Warns about the first in-place update: the controller adds the readiness gate to Pods when it creates them, and only for in-place updates. */
const firstUpdateInPlace: Warn = (object, { oldObject }) =>
  oldObject !== undefined && isInPlace(object) && !isInPlace(oldObject) && !hasReadinessGate(oldObject)
    ? `${rolloutPath}.rollingUpdateType: existing Pods lack readiness gate ${podConditions.inPlaceUpdateReady}, so that their next update recreates them`
    : undefined;

const configsInVain: Warn = (object, { gates }) => configRolloutWarning(object, gates, isInPlace(object));

/** The warnings, in the order in which they are shown; each begins with the path of the member. */
export const warnings: readonly KindRule<unknown, DaemonSetWarningOptions>[] = [
  burst,
  unreadLimit('maxUnavailable'),
  unreadLimit('maxSurge'),
  idleWithOnDelete,
  unpartitionedCreation,
  sleepingAnnotation,
  nodeSelector,
  preNormal,
  templateGeneration,
  minUpdatedReadyPods,
  preDownload,
  firstUpdateInPlace,
  configsInVain,
].map((warn) => ({ warn }));
