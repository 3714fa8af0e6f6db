/** Rules for every workload that creates Pods from a template. @see spec/cloneset.md 4.3, spec/statefulset.md 4.2 */
import {
  fieldInvalid,
  fieldRequired,
  fieldTypeInvalid,
  isEmptyLabelSelector,
  isJsonObject,
  isUnset,
  labelMatcherOf,
  membersAt,
  validateLabelSelector,
  workloadLimits,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import type { KindRule } from './kind-rules.ts';

/** Validates a name. @param check returns the faults of a name of the kind */
function validateName({ name, generateName }: JsonObject, check: (name: string) => readonly string[]): readonly FieldError[] {
  const path = 'metadata.name';
  if (isUnset(name) || name === '')
    return isUnset(generateName) || generateName === '' ? [fieldRequired(path, 'name or generateName is required')] : [];
  if (typeof name !== 'string') return [fieldTypeInvalid(path, name, 'must be a string')];
  return check(name).map((why) => fieldInvalid(path, name, why));
}

/** Returns the rule about the name. @param check returns the faults of a name of the kind */
export const nameRule = (check: (name: string) => readonly string[]): KindRule => ({
  refuse: (object) => validateName(membersAt(object, 'metadata'), check),
});

/** Returns whether a value differs from what an absent one means in most members: null, false and 0 do not. */
export const isNonZero = (value: unknown): boolean => !isUnset(value) && value !== false && value !== 0;

/** Validates a count: an integer from 0, or absent. */
export function validateCount(value: unknown, path: string): readonly FieldError[] {
  if (isUnset(value)) return [];
  if (!Number.isInteger(value)) return [fieldTypeInvalid(path, value, 'must be an integer')];
  return (value as number) < 0 ? [fieldInvalid(path, value, 'must be greater than or equal to 0')] : [];
}

/** Returns a warning, no error: OpenKruise allows any number, so an object may be stored with it. The controller does nothing above the maximum. */
export function replicasWarning(object: JsonObject): string | undefined {
  const { replicas } = membersAt(object, 'spec');
  const { value: most } = workloadLimits.replicas;
  return typeof replicas === 'number' && replicas > most
    ? `spec.replicas: ${String(replicas)} is more than ${String(most)}, so that nothing is done for the object until it is lowered`
    : undefined;
}

/** Validates that `spec.selector` exists, is not empty, and selects the Pods of `spec.template`; `kind` is the word for the message. */
export function validateSelector(spec: JsonObject, kind: string): readonly FieldError[] {
  const path = 'spec.selector';
  const selector = spec['selector'];
  if (isUnset(selector)) return [fieldRequired(path)];
  const faults = validateLabelSelector(selector as LabelSelector, path);
  if (faults.length > 0) return faults;
  if (isEmptyLabelSelector(selector as LabelSelector)) return [fieldInvalid(path, selector, `empty selector is invalid for ${kind}`)];
  const labels = membersAt(membersAt(spec, 'template'), 'metadata')['labels'];
  const parsed = labelMatcherOf(selector as LabelSelector);
  const map = isJsonObject(labels) ? (labels as Readonly<Record<string, string>>) : {};
  if (parsed.kind === 'Matcher' && parsed.matcher.matches(map)) return [];
  return [fieldInvalid('spec.template.metadata.labels', labels ?? {}, '`selector` does not match template `labels`')];
}
