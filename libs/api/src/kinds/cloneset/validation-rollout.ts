/** The update strategy of a CloneSet, read the same in both versions. @see spec/cloneset.md 4.3 */
import {
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  membersAt,
  parseIntOrPercent,
  scaleIntOrPercentOr,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import type { CloneSetVersion } from './defaults.ts';
import { podUpdatePolicies } from '../../schema/cloneset-spec.ts';

/** Where the rollout's settings are: beside the type in v1alpha1, below rollingUpdate in v1beta1. */
export interface Rollout {
  /** Undefined when there are none (v1beta1 without rollingUpdate). */
  readonly settings: JsonObject | undefined;
  readonly path: string;
  readonly isOnDelete: boolean;
  readonly policy: unknown;
  readonly policyPath: string;
}

const strategyPath = 'spec.updateStrategy';

export function rolloutOf(spec: JsonObject, version: CloneSetVersion): Rollout {
  const strategy = membersAt(spec, 'updateStrategy');
  const isOnDelete = strategy['type'] === 'OnDelete';
  if (version === 'v1alpha1')
    return { settings: strategy, path: strategyPath, isOnDelete, policy: strategy['type'], policyPath: `${strategyPath}.type` };
  const path = `${strategyPath}.rollingUpdate`;
  const settings = isJsonObject(strategy['rollingUpdate']) ? strategy['rollingUpdate'] : undefined;
  return { settings, path, isOnDelete, policy: settings?.['podUpdatePolicy'], policyPath: `${path}.podUpdatePolicy` };
}

function validateEnum(value: unknown, path: string, supported: readonly string[]): readonly FieldError[] {
  if (typeof value === 'string' && supported.includes(value)) return [];
  if (!isUnset(value) && typeof value !== 'string') return [fieldTypeInvalid(path, value, 'must be a string')];
  return [fieldNotSupported(path, value ?? '', supported)];
}

/** Validates an optional value: v1beta1 treats the empty string as the default. */
const validateOptionalEnum = (value: unknown, path: string, supported: readonly string[]): readonly FieldError[] =>
  isUnset(value) || value === '' ? [] : validateEnum(value, path, supported);

/** Validates a count that is not negative, or a percentage. */
export function validateCount(value: unknown, path: string): readonly FieldError[] {
  const parsed = parseIntOrPercent(value);
  if (parsed.kind === 'Illegal') return [fieldInvalid(path, value, parsed.why)];
  return parsed.kind === 'Int' && parsed.value < 0 ? [fieldInvalid(path, value, 'must be greater than or equal to 0')] : [];
}

const validateOptionalCount = (value: unknown, path: string): readonly FieldError[] => (isUnset(value) ? [] : validateCount(value, path));

/** Returns a number of Pods, rounded up; 0 for a value that is no count. */
const podsOf = (value: unknown, replicas: number): number => scaleIntOrPercentOr(0, value, replicas, 'up');

function validateRoom(settings: JsonObject, rollout: Rollout, replicas: number): readonly FieldError[] {
  const { maxUnavailable, maxSurge } = settings;
  const surge = podsOf(maxSurge ?? 0, replicas);
  const faults: FieldError[] = [];
  if (rollout.policy === 'InPlaceOnly' && surge > 0)
    faults.push(
      fieldInvalid(fieldPath(rollout.path, 'maxSurge'), maxSurge, 'maxSurge can not be used with InPlaceOnly, which creates no Pods'),
    );
  const isStuck = replicas > 0 && !isUnset(maxUnavailable) && podsOf(maxUnavailable, replicas) < 1 && surge < 1;
  const why = 'maxUnavailable and maxSurge should not both be less than 1 Pod: no Pod could be updated';
  if (isStuck && validateCount(maxUnavailable, '').length === 0)
    faults.push(fieldInvalid(fieldPath(rollout.path, 'maxUnavailable'), maxUnavailable, why));
  return faults;
}

function validateSettings(settings: JsonObject, rollout: Rollout, replicas: number): readonly FieldError[] {
  const at = (member: string): string => fieldPath(rollout.path, member);
  const partition = settings['partition'];
  return [
    ...(isUnset(partition)
      ? [fieldRequired(at('partition'), 'must be a number of Pods or a percentage')]
      : validateCount(partition, at('partition'))),
    ...validateOptionalCount(settings['maxUnavailable'], at('maxUnavailable')),
    ...validateOptionalCount(settings['maxSurge'], at('maxSurge')),
    ...validateRoom(settings, rollout, replicas),
  ];
}

function validateParallelism(value: unknown, path: string): readonly FieldError[] {
  if (isUnset(value)) return [];
  const isCount = typeof value === 'string' ? /^\+?\d{1,10}$/.test(value) : Number.isInteger(value) && (value as number) >= 0;
  return isCount ? [] : [fieldInvalid(path, value, 'must be an integer that is greater than or equal to 0, no percentage')];
}

function validateInt(value: unknown, path: string): readonly FieldError[] {
  if (isUnset(value)) return [];
  if (!Number.isInteger(value)) return [fieldTypeInvalid(path, value, 'must be an integer')];
  return (value as number) < 0 ? [fieldInvalid(path, value, 'must be greater than or equal to 0')] : [];
}

function validatePreDownload(settings: JsonObject, path: string): readonly FieldError[] {
  const strategy = membersAt(settings, 'inPlaceUpdateStrategy');
  const at = (member: string): string => fieldPath(path, 'inPlaceUpdateStrategy', member);
  return [
    ...validateParallelism(strategy['imagePreDownloadParallelism'], at('imagePreDownloadParallelism')),
    ...validateInt(strategy['imagePreDownloadTimeoutSeconds'], at('imagePreDownloadTimeoutSeconds')),
    ...validateInt(strategy['imagePreDownloadMinUpdatedReadyPods'], at('imagePreDownloadMinUpdatedReadyPods')),
  ];
}

const shapeFault = (value: unknown, path: string): readonly FieldError[] =>
  isUnset(value) || isJsonObject(value) ? [] : [fieldTypeInvalid(path, value, 'must be an object')];

/** Returns every fault of `spec.updateStrategy` except those of the orders of Pods in it. */
export function validateUpdateStrategy(spec: JsonObject, version: CloneSetVersion, replicas: number): readonly FieldError[] {
  const strategy = spec['updateStrategy'];
  const shape = shapeFault(strategy, strategyPath);
  if (shape.length > 0) return shape;
  const rollout = rolloutOf(spec, version);
  const { settings = {}, path } = rollout;
  const settingsFaults = rollout.settings === undefined ? [] : validateSettings(settings, rollout, replicas);
  if (version === 'v1alpha1') return [...validateEnum(rollout.policy, rollout.policyPath, podUpdatePolicies), ...settingsFaults];
  return [
    ...validateOptionalEnum(membersAt(spec, 'updateStrategy')['type'], `${strategyPath}.type`, ['RollingUpdate', 'OnDelete']),
    ...shapeFault(membersAt(spec, 'updateStrategy')['rollingUpdate'], path),
    ...validateOptionalEnum(rollout.policy, rollout.policyPath, podUpdatePolicies),
    ...settingsFaults,
    ...validatePreDownload(settings, path),
  ];
}
