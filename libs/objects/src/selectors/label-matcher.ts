/** What a label selector requires of the labels of an object, from a spec or from a text. */
import { compareUtf8, sortUtf8 } from '../text/utf8-order.ts';

/** `GreaterThan` and `LessThan` compare whole numbers; a label selector in a spec has neither. */
export type LabelOperator = 'Equals' | 'NotEquals' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'GreaterThan' | 'LessThan';

/** `values` is sorted and without repetitions. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** A compiled selector. All requirements must hold; without any it selects everything. */
export interface LabelMatcher {
  /** Sorted by key. Requirements of one key keep the order in which they were given. */
  readonly requirements: readonly LabelRequirement[];
  /** True only for the matcher of an absent selector. */
  readonly selectsNothing: boolean;
  /** Returns whether the labels match. @param labels of the object; absent equals none */
  matches(labels: Labels | undefined): boolean;
}

/** The matcher of an absent selector. */
export const matchNothing: LabelMatcher = { requirements: [], selectsNothing: true, matches: () => false };

/** Returns a requirement. @param values in any order */
export const requirement = (key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement => ({
  key,
  operator,
  values: sortUtf8([...new Set(values)]),
});

/** Returns a matcher. @param requirements in any order */
export function matchAll(requirements: readonly LabelRequirement[]): LabelMatcher {
  const sorted = [...requirements].sort((a, b) => compareUtf8(a.key, b.key));
  let rules: KeyRules | undefined;
  return {
    requirements: sorted,
    selectsNothing: false,
    matches: (labels) => (rules ??= rulesOf(sorted)).hold(labels ?? noLabels),
  };
}

const noLabels: Labels = {};

/** All requirements of one key. */
class KeyRule {
  #among: ReadonlySet<string> | undefined;
  readonly #excluded = new Set<string>();
  readonly #compared: LabelRequirement[] = [];
  #isForbidden = false;
  /** Whether an object without the label is not selected. */
  isRequired = false;

  add(wanted: LabelRequirement): void {
    const { operator, values } = wanted;
    if (operator === 'DoesNotExist') this.#isForbidden = true;
    else if (operator === 'NotEquals' || operator === 'NotIn') for (const value of values) this.#excluded.add(value);
    else {
      this.isRequired = true;
      if (operator === 'Equals' || operator === 'In') this.#among = new Set(values.filter((value) => this.#among?.has(value) ?? true));
      else if (operator !== 'Exists') this.#compared.push(wanted);
    }
  }

  /** Returns whether a label matches. @param value of the existing label */
  holds(value: string): boolean {
    return (
      !this.#isForbidden &&
      this.#among?.has(value) !== false &&
      !this.#excluded.has(value) &&
      this.#compared.every(({ operator, values }) => compareWholeNumbers(value, values[0] ?? '', operator))
    );
  }
}

/** Requirements by key. The time to match depends on the number of an object's labels, not on the number of requirements and values. */
class KeyRules {
  readonly #required: (readonly [string, KeyRule])[] = [];
  readonly #others = new Map<string, KeyRule>();

  constructor(rules: ReadonlyMap<string, KeyRule>) {
    for (const [key, rule] of rules) {
      if (rule.isRequired) this.#required.push([key, rule]);
      else this.#others.set(key, rule);
    }
  }

  hold(labels: Labels): boolean {
    for (const [key, rule] of this.#required) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value === undefined || !rule.holds(value)) return false;
    }
    if (this.#others.size <= fewKeys) return this.#holdEachKey(labels);
    return Object.entries(labels).every(([key, value]: [string, string | undefined]) => {
      return value === undefined || this.#others.get(key)?.holds(value) !== false;
    });
  }

  #holdEachKey(labels: Labels): boolean {
    for (const [key, rule] of this.#others) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value !== undefined && !rule.holds(value)) return false;
    }
    return true;
  }
}

/** Up to this many keys are looked up in the labels, which is faster than listing the labels. */
const fewKeys = 8;

function rulesOf(requirements: readonly LabelRequirement[]): KeyRules {
  const rules = new Map<string, KeyRule>();
  for (const wanted of requirements) {
    const rule = rules.get(wanted.key) ?? new KeyRule();
    rules.set(wanted.key, rule);
    rule.add(wanted);
  }
  return new KeyRules(rules);
}

const wholeNumber = /^[+-]?\d{1,19}$/;

/** Compares numbers. A label that is no whole number is neither greater nor less. */
function compareWholeNumbers(value: string, limit: string, operator: LabelOperator): boolean {
  if (!wholeNumber.test(value) || !wholeNumber.test(limit)) return false;
  return operator === 'GreaterThan' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}
