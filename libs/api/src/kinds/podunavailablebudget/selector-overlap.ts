/** Decides whether two label selectors select in nearly the same way, so that one Pod could match both. @see spec/podunavailablebudget.md 4.2 */
import { isJsonObject, listAt, type JsonObject } from '@kruise/objects';

interface Requirement {
  readonly operator: unknown;
  readonly values: ReadonlySet<unknown>;
}

/** One requirement for each key: later expressions replace earlier ones, and labels replace expressions. */
export type LooseSelector = ReadonlyMap<string, Requirement>;

/**
 * Reads a selector once for all comparisons.
 *
 * @param selector of any origin
 * @returns undefined for a value that is no selector, which overlaps with none
 */
export const readLooseSelector = (selector: unknown): LooseSelector | undefined =>
  isJsonObject(selector) ? requirementsOf(selector) : undefined;

function requirementsOf(selector: JsonObject): LooseSelector {
  const expressions = listAt(selector, 'matchExpressions')
    .filter(isJsonObject)
    .map(({ key, operator, values }) => [String(key), { operator, values: new Set(listAt(values)) }] as const);
  const labels = isJsonObject(selector['matchLabels']) ? Object.entries(selector['matchLabels']) : [];
  return new Map<string, Requirement>([
    ...expressions,
    ...labels.map(([key, value]) => [key, { operator: 'In', values: new Set<unknown>([value]) }] as const),
  ]);
}

function isWithin(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  if (a.size > b.size) return false;
  for (const value of a) if (!b.has(value)) return false;
  return true;
}

function hasCommon(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  for (const value of fewer) if (more.has(value)) return true;
  return false;
}

type Rule = (a: Requirement, b: Requirement) => boolean;

/** By the operators of both: which requirements one value of a label (or its absence) can meet together; others cannot. */
const compatible: ReadonlyMap<unknown, ReadonlyMap<unknown, Rule>> = new Map<string, ReadonlyMap<string, Rule>>([
  [
    'In',
    new Map<string, Rule>([
      ['Exists', () => true],
      ['In', (a, b) => hasCommon(a.values, b.values)],
      ['NotIn', (a, b) => !isWithin(a.values, b.values)],
    ]),
  ],
  ['Exists', new Map<string, Rule>(['In', 'NotIn', 'Exists'].map((operator) => [operator, () => true]))],
  [
    'NotIn',
    new Map<string, Rule>([
      ...['Exists', 'DoesNotExist', 'NotIn'].map((operator) => [operator, () => true] as const),
      ['In', (a, b) => !isWithin(b.values, a.values)],
    ]),
  ],
  ['DoesNotExist', new Map<string, Rule>(['DoesNotExist', 'NotIn'].map((operator) => [operator, () => true]))],
]);

const isCompatible = (a: Requirement, b: Requirement): boolean => compatible.get(a.operator)?.get(b.operator)?.(a, b) === true;

/**
 * Returns whether the selectors have exactly the same keys, and a label could meet both requirements of each. The time depends on the keys and values
 * of the smaller one.
 *
 * @remarks Two selectors with different keys may select the same Pod, and are not reported, as in the original.
 */
export function overlapLoosely(a: LooseSelector | undefined, b: LooseSelector | undefined): boolean {
  if (a === undefined || a.size !== b?.size) return false;
  for (const [key, one] of a) {
    const other = b.get(key);
    if (other === undefined || !isCompatible(one, other)) return false;
  }
  return true;
}
