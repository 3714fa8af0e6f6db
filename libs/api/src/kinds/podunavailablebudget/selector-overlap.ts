/** Whether two label selectors select in nearly the same way, so that one Pod could be of both. @see spec/podunavailablebudget.md 4.2 */
import { isJsonObject, type JsonObject } from '@kruise/objects';

interface Requirement {
  readonly operator: unknown;
  readonly values: ReadonlySet<unknown>;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** One requirement for each key: later expressions take the place of earlier ones, and labels that of expressions. */
function requirementsOf(selector: JsonObject): ReadonlyMap<string, Requirement> {
  const expressions = listOf(selector['matchExpressions'])
    .filter(isJsonObject)
    .map(({ key, operator, values }) => [String(key), { operator, values: new Set(listOf(values)) }] as const);
  const labels = isJsonObject(selector['matchLabels']) ? Object.entries(selector['matchLabels']) : [];
  return new Map<string, Requirement>([
    ...expressions,
    ...labels.map(([key, value]) => [key, { operator: 'In', values: new Set<unknown>([value]) }] as const),
  ]);
}

const hasCommon = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean => [...a].some((value) => b.has(value));
const isWithin = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean => [...a].every((value) => b.has(value));

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
 * Whether the selectors have exactly the same keys, and a label could meet what both ask of each. Selectors of any origin; never throws.
 *
 * @remarks Two selectors with different keys may well select one Pod, and are not told: that is how the original reads them.
 */
export function overlapsLoosely(a: unknown, b: unknown): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const [left, right] = [requirementsOf(a), requirementsOf(b)];
  return (
    left.size === right.size &&
    [...left].every(([key, one]) => {
      const other = right.get(key);
      return other !== undefined && isCompatible(one, other);
    })
  );
}
