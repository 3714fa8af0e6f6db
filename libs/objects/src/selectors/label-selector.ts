/** Compiles and validates label selectors of specs. Their text form is in `selector-text.ts`. */
import { isJsonObject } from '../json/own-member.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooMany,
  fieldTypeInvalid,
  type FieldError,
} from '../field-error.ts';
import { workloadLimits } from '../limits/index.ts';
import { memoized } from '../memoized.ts';
import { checkLabelValue, checkQualifiedName } from '../metadata/names.ts';
import { requirement, type LabelMatcher, matchAll, matchNothing, type LabelRequirement } from './label-matcher.ts';

/** One row of `matchExpressions`, unchecked. */
export interface LabelSelectorExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

/** `matchLabels` and `matchExpressions` must all hold. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorExpression[];
}

/** A matcher, or why there is none. A missing selector matches nothing, an empty one everything. */
export type ParsedLabelSelector =
  { readonly kind: 'Matcher'; readonly matcher: LabelMatcher } | { readonly kind: 'Illegal'; readonly why: string };

const operators = ['DoesNotExist', 'Exists', 'In', 'NotIn'] as const;

/** Returns the matcher of a selector. The result is cached for the same object, which must not change. */
export function labelMatcherOf(selector: LabelSelector | null | undefined): ParsedLabelSelector {
  if (selector === null || selector === undefined) return { kind: 'Matcher', matcher: matchNothing };
  if (!isJsonObject(selector)) return parse(selector);
  return parseOnce(selector);
}

const parseOnce = memoized(parse);

function parse(selector: LabelSelector): ParsedLabelSelector {
  const faults = validateLabelSelector(selector, '');
  const fault = faults[0];
  if (fault !== undefined) return { kind: 'Illegal', why: `${fault.field}: ${fault.detail === '' ? fault.type : fault.detail}` };
  return { kind: 'Matcher', matcher: matchAll(requirementsOf(selector)) };
}

/** Returns {@link labelMatcherOf} for callers that treat an illegal selector as selecting nothing. */
export function labelMatcherOrNothing(selector: LabelSelector | null | undefined): LabelMatcher {
  const parsed = labelMatcherOf(selector);
  return parsed.kind === 'Matcher' ? parsed.matcher : matchNothing;
}

function requirementsOf(selector: LabelSelector): LabelRequirement[] {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirement(key, 'Equals', [value]));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }) =>
    requirement(key, operator as (typeof operators)[number], values ?? []),
  );
  return [...equal, ...expressions];
}

/** Returns whether a selector is empty. An empty selector selects everything; workloads refuse it. An absent one selects nothing and is not empty. */
export const isEmptyLabelSelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;

const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0);

/** Returns the faults of a selector beyond its bounds. Such a selector would delay every write of its namespace. */
function boundFaults({ matchLabels, matchExpressions }: LabelSelector, path: string): readonly FieldError[] {
  const { selectorRequirements, selectorValues } = workloadLimits;
  const tooMany = (count: number, most: number, detail: string): readonly FieldError[] =>
    count > most ? [{ ...fieldTooMany(path, count, most), detail: `must have at most ${most} ${detail}` }] : [];
  const requirements = sizeOf(matchLabels) + sizeOf(matchExpressions);
  const ofRequirements = 'requirements in matchLabels and matchExpressions together; use fewer keys';
  const faults = tooMany(requirements, selectorRequirements.value, ofRequirements);
  if (faults.length > 0) return faults;
  const expressions: readonly unknown[] = Array.isArray(matchExpressions) ? matchExpressions : [];
  const values = expressions.reduce((sum: number, one) => sum + (isJsonObject(one) ? sizeOf(one['values']) : 0), 0);
  return tooMany(values, selectorValues.value, 'values in all matchExpressions together; label the objects with one key instead');
}

/**
 * Returns every fault of a selector of any origin (its shape may be wrong as well). A selector beyond the bounds has only that fault.
 *
 * @param path of the selector, e.g. `spec.selector`
 */
export function validateLabelSelector(selector: LabelSelector, path: string): readonly FieldError[] {
  const beyond = isJsonObject(selector) ? boundFaults(selector, path) : [];
  return beyond.length > 0 ? beyond : labelSelectorFaults(selector, path);
}

/** Returns the faults as {@link validateLabelSelector} does, for a selector that other programs evaluate, which may have any size. */
export function labelSelectorFaults(selector: LabelSelector, path: string): readonly FieldError[] {
  if (!isJsonObject(selector)) return [fieldTypeInvalid(path, selector, 'must be an object')];
  return [
    ...validateMatchLabels(selector.matchLabels, fieldPath(path, 'matchLabels')),
    ...validateExpressions(selector.matchExpressions, path),
  ];
}

function validateMatchLabels(labels: unknown, path: string): FieldError[] {
  if (labels === undefined || labels === null) return [];
  if (!isJsonObject(labels)) return [fieldTypeInvalid(path, labels, 'must be an object')];
  return Object.entries(labels).flatMap(([key, value]) => [...validateKey(key, path), ...validateValue(value, path)]);
}

function validateExpressions(expressions: unknown, path: string): FieldError[] {
  if (expressions === undefined || expressions === null) return [];
  const at = fieldPath(path, 'matchExpressions');
  if (!Array.isArray(expressions)) return [fieldTypeInvalid(at, expressions, 'must be a list')];
  return expressions.flatMap((expression: unknown, i) => validateExpression(expression, fieldPath(at, i)));
}

const validateKey = (key: unknown, path: string): FieldError[] =>
  typeof key === 'string'
    ? checkQualifiedName(key).map((why) => fieldInvalid(path, key, why))
    : [fieldInvalid(path, key, 'must be a string')];

const validateValue = (value: unknown, path: string): FieldError[] =>
  typeof value === 'string'
    ? checkLabelValue(value).map((why) => fieldInvalid(path, value, why))
    : [fieldInvalid(path, value, 'must be a string')];

function validateExpression(expression: unknown, path: string): FieldError[] {
  if (!isJsonObject(expression)) return [fieldTypeInvalid(path, expression, 'must be an object')];
  const values: unknown = expression['values'] ?? [];
  if (!Array.isArray(values)) return [fieldTypeInvalid(fieldPath(path, 'values'), values, 'must be a list')];
  return [
    ...validateOperator(expression['operator'], values.length, path),
    ...validateKey(expression['key'], fieldPath(path, 'key')),
    ...values.flatMap((value: unknown, i) => validateValue(value, fieldPath(path, 'values', i))),
  ];
}

function validateOperator(operator: unknown, valueCount: number, path: string): FieldError[] {
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be specified when `operator` is 'In' or 'NotIn'";
    return valueCount === 0 ? [fieldRequired(fieldPath(path, 'values'), why)] : [];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return valueCount > 0 ? [fieldForbidden(fieldPath(path, 'values'), why)] : [];
  }
  return [fieldNotSupported(fieldPath(path, 'operator'), operator, operators)];
}
