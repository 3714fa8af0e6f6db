/**
 * Partitions the namespaces by what label selectors select. A webhook has one namespace selector, which can express only a conjunction. With one
 * webhook for each part no request is sent twice, whatever selectors overlap. Pure.
 */
import type { LabelRequirement } from '@kruise/objects';

/** A requirement as in `matchExpressions`. */
export interface Requirement extends LabelRequirement {
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
}

/** All requirements must hold. */
export type Requirements = readonly Requirement[];

export interface NamespacePart {
  readonly requirements: Requirements;
  /** Which of the given selectors hold for every namespace of this part; the others hold for none of it. Never empty. */
  readonly holds: readonly number[];
}

interface KeyState {
  readonly oneOf?: readonly string[];
  readonly noneOf: readonly string[];
  readonly exists?: boolean;
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();

/** Returns both requirements combined, undefined when they contradict each other. */
function narrowKey(state: KeyState, { operator, values }: Requirement): KeyState | undefined {
  switch (operator) {
    case 'In':
      if (state.exists === false) return undefined;
      return { ...state, exists: true, oneOf: state.oneOf?.filter((value) => values.includes(value)) ?? values };
    case 'NotIn':
      return { ...state, noneOf: [...state.noneOf, ...values] };
    case 'Exists':
      return state.exists === false ? undefined : { ...state, exists: true };
    case 'DoesNotExist':
      return state.exists === true ? undefined : { ...state, exists: false };
  }
}

function requirementsOf(key: string, { oneOf, noneOf, exists }: KeyState): Requirements | undefined {
  if (exists === false) return [{ key, operator: 'DoesNotExist', values: [] }];
  const excluded = distinct(noneOf);
  if (oneOf !== undefined) {
    const values = distinct(oneOf).filter((value) => !noneOf.includes(value));
    return values.length === 0 ? undefined : [{ key, operator: 'In', values }];
  }
  return [
    ...(exists === true ? [{ key, operator: 'Exists' as const, values: [] }] : []),
    ...(excluded.length > 0 ? [{ key, operator: 'NotIn' as const, values: excluded }] : []),
  ];
}

/** Returns equivalent requirements, at most two for a key and sorted by key; undefined when no namespace can meet them. */
export function simplify(requirements: Requirements): Requirements | undefined {
  const states = new Map<string, KeyState>();
  for (const requirement of requirements) {
    const state = states.get(requirement.key) ?? { noneOf: [] };
    const next = narrowKey(state, requirement);
    if (next === undefined) return undefined;
    states.set(requirement.key, next);
  }
  const simple: Requirement[] = [];
  for (const [key, state] of [...states].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const those = requirementsOf(key, state);
    if (those === undefined) return undefined;
    simple.push(...those);
  }
  return simple;
}

const opposites = { In: 'NotIn', NotIn: 'In', Exists: 'DoesNotExist', DoesNotExist: 'Exists' } as const;

const negated = ({ key, operator, values }: Requirement): Requirement => ({ key, operator: opposites[operator], values });

/** Returns the namespaces for which the selector does not hold, in parts that do not overlap. */
const complement = (selector: Requirements): readonly Requirements[] =>
  selector.map((requirement, index) => [...selector.slice(0, index), negated(requirement)]);

/**
 * Partitions the namespaces.
 *
 * @param selectors of namespaces, simplified, none of them empty
 * @param limit maximum of parts
 * @returns parts that do not overlap and contain every namespace that some selector selects; undefined when there were more than `limit`
 */
export function partition(selectors: readonly Requirements[], limit: number): readonly NamespacePart[] | undefined {
  let parts: readonly NamespacePart[] = [{ requirements: [], holds: [] }];
  for (const [index, selector] of selectors.entries()) {
    parts = parts.flatMap(({ requirements, holds }) => [
      ...partOf([...requirements, ...selector], [...holds, index]),
      ...complement(selector).flatMap((those) => partOf([...requirements, ...those], holds)),
    ]);
    // Parts in which no selector holds yet may still be split. They do not count, but their number must be bounded too.
    if (parts.filter(({ holds }) => holds.length > 0).length > limit || parts.length > 4 * limit) return undefined;
  }
  return parts.filter(({ holds }) => holds.length > 0);
}

function partOf(requirements: Requirements, holds: readonly number[]): readonly NamespacePart[] {
  const simple = simplify(requirements);
  return simple === undefined ? [] : [{ requirements: simple, holds }];
}

const asksForKey = ({ operator }: Requirement): boolean => operator === 'In' || operator === 'Exists';

/** Returns what all of these simplified selectors require in common, so that it holds wherever one of them does; possibly nothing. */
export function inCommon(selectors: readonly Requirements[]): Requirements {
  const [first = []] = selectors;
  return first.filter(asksForKey).flatMap(({ key }): Requirements => {
    const all = selectors.flatMap((selector) => selector.filter((one) => one.key === key && asksForKey(one)));
    if (all.length < selectors.length) return [];
    if (all.some(({ operator }) => operator === 'Exists')) return [{ key, operator: 'Exists', values: [] }];
    return [{ key, operator: 'In', values: distinct(all.flatMap(({ values }) => values)) }];
  });
}
