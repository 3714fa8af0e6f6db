/** What a label selector asks of the labels of an object, whether it came from a spec or from a text. */
import { compareUtf8, sortUtf8 } from './utf8-order.ts';

/** `GreaterThan` and `LessThan` compare whole numbers; a label selector in a spec has neither. */
export type LabelOperator = 'Equals' | 'NotEquals' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'GreaterThan' | 'LessThan';

/** `values` is sorted and without repetitions. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** A selector ready to be asked. All requirements must hold; with none it selects everything. */
export interface LabelMatcher {
  /** Sorted by key; requirements of one key keep the order in which they were given. */
  readonly requirements: readonly LabelRequirement[];
  /** True only for the matcher of an absent selector. */
  readonly selectsNothing: boolean;
  /** @param labels of the object; absent is the same as none */
  matches(labels: Labels | undefined): boolean;
}

/** The matcher of an absent selector. */
export const matchNothing: LabelMatcher = { requirements: [], selectsNothing: true, matches: () => false };

/** @param values in any order */
export const requirement = (key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement => ({
  key,
  operator,
  values: sortUtf8([...new Set(values)]),
});

/** @param requirements in any order */
export function matchAll(requirements: readonly LabelRequirement[]): LabelMatcher {
  const sorted = [...requirements].sort((a, b) => compareUtf8(a.key, b.key));
  return { requirements: sorted, selectsNothing: false, matches: (labels) => sorted.every((wanted) => holds(wanted, labels ?? noLabels)) };
}

const noLabels: Labels = {};

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'Equals':
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotEquals':
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return value !== undefined && compareWholeNumbers(value, values[0] ?? '', operator);
  }
}

const wholeNumber = /^[+-]?\d{1,19}$/;

/** A label that is no whole number is neither greater nor less. */
function compareWholeNumbers(value: string, limit: string, operator: 'GreaterThan' | 'LessThan'): boolean {
  if (!wholeNumber.test(value) || !wholeNumber.test(limit)) return false;
  return operator === 'GreaterThan' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}
