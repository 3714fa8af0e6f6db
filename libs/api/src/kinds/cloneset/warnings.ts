/** Warnings about a CloneSet that is allowed but probably a mistake: shown to the user, never refused. */
import { membersAt, parseIntOrPercent, type JsonObject } from '@kruise/objects';
import type { Gates } from '../../gates/feature-gates.ts';
import type { CloneSetVersion } from './defaults.ts';
import { configRolloutWarning, type ConfigRolloutGates } from '../../validation/config-rollout.ts';
import { warnInSpec, type KindRule } from '../../validation/kind-rules.ts';
import { isNonZero } from '../../validation/workload.ts';
import { inPlaceObstacle } from './validation.ts';
import { rolloutOf, validateCount } from './validation-rollout.ts';

/** What the warnings of a CloneSet depend on besides the object. */
export interface CloneSetWarningOptions {
  readonly version: CloneSetVersion;
  /** The stored object in the same version; undefined on create. */
  readonly oldObject: JsonObject | undefined;
  readonly gates: Pick<Gates, 'CloneSetShortHash' | 'PreDownloadImageForInPlaceUpdate'> & ConfigRolloutGates;
}

/** Name, `-` and a hash of up to ten characters must fit into a label value. */
const maxNameLength = 52;
const maxInt32 = 2147483647;

type Warn = (spec: JsonObject, options: CloneSetWarningOptions) => string | undefined;

const onDelete: Warn = (spec, { version }) => {
  const { isOnDelete, settings = {}, path } = rolloutOf(spec, version);
  const idle = ['partition', 'paused', 'priorityStrategy', 'scatterStrategy', 'inPlaceUpdateStrategy'].filter((name) =>
    isNonZero(settings[name]),
  );
  return isOnDelete && idle.length > 0 ? `${path}: ${idle.join(', ')} have no effect with type OnDelete` : undefined;
};

const isInPlace = (policy: unknown): boolean => policy === 'InPlaceIfPossible' || policy === 'InPlaceOnly';

const graceOfRecreation: Warn = (spec, { version }) => {
  const { settings = {}, policy, path } = rolloutOf(spec, version);
  const hasSettings = Object.values(membersAt(settings, 'inPlaceUpdateStrategy')).some(isNonZero);
  return hasSettings && !isInPlace(policy) ? `${path}.inPlaceUpdateStrategy: has no effect with ReCreate` : undefined;
};

const preDownload: Warn = (spec, { version, gates }) => {
  const { settings = {}, path } = rolloutOf(spec, version);
  const names = Object.entries(membersAt(settings, 'inPlaceUpdateStrategy')).flatMap(([name, value]) =>
    name.startsWith('imagePreDownload') && isNonZero(value) ? [name] : [],
  );
  return names.length > 0 && !gates.PreDownloadImageForInPlaceUpdate
    ? `${path}.inPlaceUpdateStrategy: ${names.join(', ')} have no effect while feature gate PreDownloadImageForInPlaceUpdate is off`
    : undefined;
};

const creationLimit: Warn = (spec) => {
  const path = 'spec.scaleStrategy.maxUnavailable';
  const value = membersAt(spec, 'scaleStrategy')['maxUnavailable'];
  if (value === undefined || value === null) return undefined;
  const fault = validateCount(value, path)[0];
  if (fault !== undefined) return `${path}: ${fault.detail}; it does not limit anything`;
  const parsed = parseIntOrPercent(value);
  const isZero = (parsed.kind === 'Int' && parsed.value === 0) || (parsed.kind === 'Percent' && parsed.mantissa === 0n);
  return isZero ? `${path}: with ${JSON.stringify(value)} no Pod is ever created` : undefined;
};

/** v1alpha1 refuses these. */
const deadlineInVain: Warn = (spec, { version }) => {
  const { progressDeadlineSeconds: deadline, minReadySeconds } = spec;
  const minReady = typeof minReadySeconds === 'number' ? minReadySeconds : 0;
  return version === 'v1beta1' && typeof deadline === 'number' && deadline !== maxInt32 && deadline <= minReady
    ? `spec.progressDeadlineSeconds: ${deadline} is not above minReadySeconds (${minReady}), so that every rollout exceeds it`
    : undefined;
};

/** v1alpha1 refuses these. */
const inPlaceOnly: Warn = (spec, { version, oldObject }) => {
  const found =
    oldObject === undefined || version === 'v1alpha1' ? undefined : inPlaceObstacle(spec, membersAt(oldObject, 'spec'), version);
  return found === undefined
    ? undefined
    : `spec: only images can be updated in place, but found ${found}: with InPlaceOnly existing Pods keep the old template`;
};

/** Warns of named ConfigMaps whose changes restart nothing. */
export const configsInVain = (object: JsonObject, { version, gates }: CloneSetWarningOptions): string | undefined =>
  configRolloutWarning(object, gates, isInPlace(rolloutOf(membersAt(object, 'spec'), version).policy));

/** Warns of a name that leaves no room for the hash of a revision. */
export function longName(object: JsonObject, { gates }: CloneSetWarningOptions): string | undefined {
  const { name } = membersAt(object, 'metadata');
  const isTooLong = !gates.CloneSetShortHash && typeof name === 'string' && name.length > maxNameLength;
  return isTooLong
    ? `metadata.name: longer than ${String(maxNameLength)} characters, so that its revisions do not fit into Pod labels and no Pod can be created; shorten it or turn on feature gate CloneSetShortHash`
    : undefined;
}

/** The warnings about `spec`, in the order in which they are shown. */
export const specWarnings: readonly KindRule<unknown, CloneSetWarningOptions>[] = [
  onDelete,
  graceOfRecreation,
  preDownload,
  creationLimit,
  deadlineInVain,
  inPlaceOnly,
].map(warnInSpec);
