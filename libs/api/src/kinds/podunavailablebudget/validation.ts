/** What a PodUnavailableBudget must fulfil beyond its schema, in v1beta1. Objects may have any shape; nothing here throws. */
import {
  deepEqual,
  fieldInvalid,
  fieldKey,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  isEmptyLabelSelector,
  isJsonObject,
  isUnset,
  memberAt,
  memoized,
  metadataValue,
  parseInt32,
  splitWords,
  textAt,
  validateLabelSelector,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import { emptyTargetFaults, isSameTarget, targetReferenceOf, unservableTargetFaults } from '../../validation/target-reference.ts';
import { podUnavailableBudgetAnnotations } from './names.ts';
import { pubOperations } from './schema.ts';
import { overlapLoosely, readLooseSelector, type LooseSelector } from './selector-overlap.ts';

/** What the rules need besides the object. */
export interface PodUnavailableBudgetRules {
  /** The stored object; undefined on create. */
  readonly oldObject: JsonObject | undefined;
  /** The budgets of the namespace; the object itself may be among them. */
  readonly others: readonly JsonObject[];
}

const bothPaths = 'spec.selector, targetRef';
function totalFaults(object: JsonObject): readonly FieldError[] {
  const name = podUnavailableBudgetAnnotations.protectTotalReplicas;
  const text = metadataValue(object, 'annotations', name) ?? '';
  if (text === '') return [];
  const path = fieldKey('metadata.annotations', name);
  const total = parseInt32(text);
  if (total === undefined) return [fieldInvalid(path, text, 'must be a valid int32')];
  const member = memberAt(object, 'spec', 'protectTotalReplicas');
  return isUnset(member) || text === String(member)
    ? []
    : [fieldInvalid(path, text, 'must match spec.protectTotalReplicas when both are set')];
}

/**
 * Returns the faults of the operations. An unreadable one protects from nothing. One that was stored before is accepted, so that the object can still
 * be changed.
 */
function wordFaults(object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] {
  const name = podUnavailableBudgetAnnotations.protectOperations;
  const text = metadataValue(object, 'annotations', name) ?? '';
  if (oldObject !== undefined && text === metadataValue(oldObject, 'annotations', name)) return [];
  const unknown = splitWords(text).filter((word) => !(pubOperations as readonly string[]).includes(word));
  return unknown.map((word) => fieldNotSupported(fieldKey('metadata.annotations', name), word, pubOperations));
}

function selectorFaults(selector: unknown, path: string): readonly FieldError[] {
  const faults = validateLabelSelector(selector as LabelSelector, path);
  return faults.length === 0 && isEmptyLabelSelector(selector as LabelSelector)
    ? [fieldInvalid(path, selector, 'an empty label selector is invalid: it selects every Pod')]
    : faults;
}

function podsFaults(object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] {
  const [selector, target] = ['selector', 'targetRef'].map((member) => memberAt(object, 'spec', member));
  if (isUnset(selector) && isUnset(target)) return [fieldRequired(bothPaths, 'one of selector and targetRef must be given')];
  if (!isUnset(selector) && !isUnset(target)) return [fieldRequired(bothPaths, 'selector and targetRef are mutually exclusive')];
  return !isUnset(selector)
    ? selectorFaults(selector, 'spec.selector')
    : [...emptyTargetFaults(object), ...unservableTargetFaults(object, oldObject)];
}

const largestInt32 = 2 ** 31 - 1;

function amountFaults(value: unknown, path: string): readonly FieldError[] {
  if (typeof value === 'number')
    return Number.isInteger(value) && value >= 0 && value <= largestInt32
      ? []
      : [fieldInvalid(path, value, 'must be a whole number of at least 0')];
  if (typeof value !== 'string' || !/^[0-9]+%$/.test(value))
    return [fieldInvalid(path, value, 'must be a whole number, or a percentage such as 25%')];
  return Number(value.slice(0, -1)) > 100 ? [fieldInvalid(path, value, 'must not be greater than 100%')] : [];
}

function amountsFaults(object: JsonObject): readonly FieldError[] {
  const path = 'spec.maxUnavailable, spec.minAvailable';
  const [most, least] = ['maxUnavailable', 'minAvailable'].map((member) => memberAt(object, 'spec', member));
  if (isUnset(most) && isUnset(least)) return [fieldRequired(path, 'one of maxUnavailable and minAvailable must be given')];
  if (!isUnset(most) && !isUnset(least)) return [fieldRequired(path, 'maxUnavailable and minAvailable are mutually exclusive')];
  return !isUnset(most) ? amountFaults(most, 'spec.maxUnavailable') : amountFaults(least, 'spec.minAvailable');
}

function operationFaults(object: JsonObject): readonly FieldError[] {
  const operations = memberAt(object, 'spec', 'protectOperations') ?? [];
  const path = 'spec.protectOperations';
  if (!Array.isArray(operations)) return [fieldInvalid(path, operations, 'must be a list')];
  return operations.flatMap((operation: unknown, i) =>
    (pubOperations as readonly unknown[]).includes(operation) ? [] : [fieldNotSupported(fieldPath(path, i), operation, pubOperations)],
  );
}

function ignoredFaults(object: JsonObject): readonly FieldError[] {
  const selector = memberAt(object, 'spec', 'ignoredPodSelector');
  return !isUnset(selector) ? selectorFaults(selector, 'spec.ignoredPodSelector') : [];
}

function changeFaults(object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] {
  const isSame = (member: string): boolean =>
    deepEqual(memberAt(oldObject, 'spec', member) ?? undefined, memberAt(object, 'spec', member) ?? undefined);
  return oldObject === undefined || (isSame('selector') && isSame('targetRef'))
    ? []
    : [fieldRequired(bothPaths, 'selector and targetRef cannot be modified')];
}

const namesSameTarget = (a: JsonObject, b: JsonObject): boolean =>
  [a, b].every((one) => !isUnset(memberAt(one, 'spec', 'targetRef'))) && isSameTarget(targetReferenceOf(a), targetReferenceOf(b));

/** Returns the first conflict of the object with another budget. */
function conflictFaults(object: JsonObject, others: readonly JsonObject[]): readonly FieldError[] {
  const [name, targetRef, selector] = [
    textAt(object, 'metadata', 'name'),
    memberAt(object, 'spec', 'targetRef'),
    memberAt(object, 'spec', 'selector'),
  ];
  const overlaps = budgetOverlaps();
  for (const other of others) {
    if (textAt(other, 'metadata', 'name') === name || !overlaps(object, other)) continue;
    const why = `in conflict with other PodUnavailableBudget ${textAt(other, 'metadata', 'name')}`;
    return [
      namesSameTarget(object, other) ? fieldInvalid('spec.targetReference', targetRef, why) : fieldInvalid('spec.selector', selector, why),
    ];
  }
  return [];
}

/** Returns whether two budgets may select the same Pods, only by their specs. */
export type OverlapOf = (a: JsonObject, b: JsonObject) => boolean;

/** Reads each selector once, as long as its object exists. Targets are only compared with targets, and selectors with selectors. */
export function budgetOverlaps(): OverlapOf {
  const readOnce = memoized(readLooseSelector);
  const selectorOf = (budget: JsonObject): LooseSelector | undefined => {
    const selector = memberAt(budget, 'spec', 'selector');
    return isJsonObject(selector) ? readOnce(selector) : undefined;
  };
  return (a, b) => namesSameTarget(a, b) || overlapLoosely(selectorOf(a), selectorOf(b));
}

/**
 * Returns every fault, in the order of the specification.
 *
 * @param object in v1beta1
 * @see spec/podunavailablebudget.md 4.1
 */
export const validatePodUnavailableBudget = (
  object: JsonObject,
  { oldObject, others }: PodUnavailableBudgetRules,
): readonly FieldError[] => [
  ...totalFaults(object),
  ...wordFaults(object, oldObject),
  ...podsFaults(object, oldObject),
  ...amountsFaults(object),
  ...operationFaults(object),
  ...ignoredFaults(object),
  ...changeFaults(object, oldObject),
  ...conflictFaults(object, others),
];
