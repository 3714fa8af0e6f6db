/** Whether two label selectors select in nearly the same way, so that one Pod could be of both. @see spec/podunavailablebudget.md 4.2 */
import { isJsonObject, type JsonObject } from '@kruise/objects';

interface Requirement {
  readonly operator: unknown;
  readonly values: ReadonlySet<unknown>;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** One requirement for each key: later expressions take the place of earlier ones, and labels that of expressions. */
export type LooseSelector = ReadonlyMap<string, Requirement>;

/**
 * @param selector of any origin
 * @returns read once for all that it is compared with; undefined for what is no selector, which overlaps with none
 */
export const readLooseSelector = (selector: unknown): LooseSelector | undefined =>
  isJsonObject(selector) ? requirementsOf(selector) : undefined;

function requirementsOf(selector: JsonObject): LooseSelector {
  const expressions = listOf(selector['matchExpressions'])
    .filter(isJsonObject)
    .map(({ key, operator, values }) => [String(key), { operator, values: new Set(listOf(values)) }] as const);
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

/** By the operators of both, which requirements one value of a label (or its absence) can meet together; what is not listed cannot. */
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
 * Whether the selectors have exactly the same keys, and a label could meet what both ask of each. It takes no longer than the smaller of the two has
 * keys and values.
 *
 * @remarks Two selectors with different keys may well select one Pod, and are not told: that is how the original reads them.
 */
export function overlapLoosely(a: LooseSelector | undefined, b: LooseSelector | undefined): boolean {
  if (a === undefined || a.size !== b?.size) return false;
  for (const [key, one] of a) {
    const other = b.get(key);
    if (other === undefined || !isCompatible(one, other)) return false;
  }
  return true;
}
