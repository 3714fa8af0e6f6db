/** What a BroadcastJob must fulfil to be stored, the same in both versions. None of its fields is immutable. @see spec/broadcastjob.md 4.2 */
import {
  fieldInvalid,
  fieldPath,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  membersAt,
  ownMember,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { anyText, bool, int32, int64, objectOf, type Check } from '../../pod-template/validation/checks/check.ts';
import { validatePodTemplate, type PodTemplateOptions } from '../../pod-template/validation/pod-template.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { broadcastJobLabels } from './names.ts';

/** What the rules for a BroadcastJob depend on besides the object. */
export type BroadcastJobValidation = Omit<PodTemplateOptions, 'claimVolumes'>;

const intOrText: Check = (value, path, run) => {
  if (!isUnset(value) && typeof value !== 'string' && !Number.isInteger(value))
    run.faults.push(fieldTypeInvalid(path, value, 'must be an integer or a percentage'));
};

const shape = objectOf({
  completionPolicy: objectOf({ activeDeadlineSeconds: int64, ttlSecondsAfterFinished: int32, type: anyText }),
  failurePolicy: objectOf({ restartLimit: int32, type: anyText }),
  parallelism: intOrText,
  paused: bool,
});

/** Returns the faults of a spec that can be part of no BroadcastJob: wrong types, and everything that prevents its Pods. */
export const validateBroadcastJobShape = (spec: JsonObject, path: string, options: BroadcastJobValidation): readonly FieldError[] => [
  ...faultsBy(shape, spec, path),
  ...validatePodTemplate(spec['template'], fieldPath(path, 'template'), { ...options, claimVolumes: [] }),
];

/** Returns the faults by the rules of the kind itself, for a spec with its defaults. */
export const validateBroadcastJobRules = (spec: JsonObject, path: string): readonly FieldError[] => [
  ...validateCompletion(membersAt(spec, 'completionPolicy'), fieldPath(path, 'completionPolicy')),
  ...validateRestartPolicy(spec['template'], fieldPath(path, 'template')),
  ...validateLabels(membersAt(spec, 'template'), fieldPath(path, 'template', 'metadata', 'labels')),
];

/** Returns the faults of the completion policy: a job that never ends has neither a deadline nor an end to count from. */
function validateCompletion(policy: JsonObject, path: string): readonly FieldError[] {
  if (policy['type'] !== 'Never') return [];
  return ['ttlSecondsAfterFinished', 'activeDeadlineSeconds'].flatMap((name) =>
    isUnset(policy[name])
      ? []
      : [fieldInvalid(fieldPath(path, name), policy[name], `${name} can just work with Always CompletionPolicyType`)],
  );
}

const policiesOfJobs: readonly unknown[] = ['Never', 'OnFailure'];

/**
 * Returns the fault of the restart policy. Pods of a job end: an absent policy is Always, and refused.
 *
 * @param template of the Pods, of any origin; one without a spec has no such fault
 */
export function validateRestartPolicy(template: unknown, path: string): readonly FieldError[] {
  const spec = isJsonObject(template) ? template['spec'] : undefined;
  const policy = isJsonObject(spec) ? (spec['restartPolicy'] ?? '') : undefined;
  return typeof policy !== 'string' || policiesOfJobs.includes(policy)
    ? []
    : [fieldInvalid(fieldPath(path, 'spec', 'restartPolicy'), policy, 'pod restartPolicy can only be Never or OnFailure')];
}

/** Returns the faults of the labels with which the controller finds its Pods. */
function validateLabels(template: JsonObject, path: string): readonly FieldError[] {
  const labels = membersAt(membersAt(template, 'metadata'), 'labels');
  return Object.values(broadcastJobLabels).flatMap((key) => {
    const value = ownMember(labels, key);
    return isUnset(value) || value === '' ? [] : [fieldInvalid(path, value, `label ${key} is set by the controller and cannot be preset`)];
  });
}
