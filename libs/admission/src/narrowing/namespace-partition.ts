/**
 * Cuts the namespaces into parts by what label selectors say of them. A webhook has one namespace selector, which can only say "and"; with one
 * webhook for each part no request is sent twice, whatever selectors overlap. Pure.
 */
import type { LabelRequirement } from '@kruise/objects';

/** All must hold; the operators are those of `matchExpressions`. At most two for a key, sorted by key. */
export type Requirements = readonly LabelRequirement[];

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

/** @returns undefined when both cannot be */
function narrowKey(state: KeyState, { operator, values }: LabelRequirement): KeyState | undefined {
  switch (operator) {
    case 'In':
    case 'Equals':
      return { ...state, exists: true, oneOf: state.oneOf?.filter((value) => values.includes(value)) ?? values };
    case 'NotIn':
    case 'NotEquals':
      return { ...state, noneOf: [...state.noneOf, ...values] };
    default:
      return state.exists === (operator !== 'Exists') ? undefined : { ...state, exists: operator === 'Exists' };
  }
}

function requirementsOf(key: string, { oneOf, noneOf, exists }: KeyState): Requirements | undefined {
  if (exists === false) return oneOf === undefined ? [{ key, operator: 'DoesNotExist', values: [] }] : undefined;
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

/** The same said shortly, or undefined when no namespace can be so. */
export function simplify(requirements: Requirements): Requirements | undefined {
  const states = new Map<string, KeyState>();
  for (const requirement of requirements) {
    const state = states.get(requirement.key) ?? { noneOf: [] };
    if (state.exists === false && (requirement.operator === 'In' || requirement.operator === 'Equals')) return undefined;
    const next = narrowKey(state, requirement);
    if (next === undefined) return undefined;
    states.set(requirement.key, next);
  }
  const simple: LabelRequirement[] = [];
  for (const [key, state] of [...states].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const those = requirementsOf(key, state);
    if (those === undefined) return undefined;
    simple.push(...those);
  }
  return simple;
}

const opposites = {
  In: 'NotIn',
  Equals: 'NotIn',
  NotIn: 'In',
  NotEquals: 'In',
  Exists: 'DoesNotExist',
  DoesNotExist: 'Exists',
} as const;

function negated({ key, operator, values }: LabelRequirement): LabelRequirement {
  if (operator === 'GreaterThan' || operator === 'LessThan') throw new Error(`no selector of an object has the operator ${operator}`);
  return { key, operator: opposites[operator], values };
}

/** Namespaces for which the selector does not hold, in parts that do not overlap. */
const complement = (selector: Requirements): readonly Requirements[] =>
  selector.map((requirement, index) => [...selector.slice(0, index), negated(requirement)]);

/**
 * @param selectors of namespaces, none of them empty
 * @param limit of parts
 * @returns parts that do not overlap and hold every namespace that some selector holds for; undefined when there were more than `limit`
 */
export function partition(selectors: readonly Requirements[], limit: number): readonly NamespacePart[] | undefined {
  let parts: readonly NamespacePart[] = [{ requirements: [], holds: [] }];
  for (const [index, selector] of selectors.entries()) {
    parts = parts.flatMap(({ requirements, holds }) => [
      ...partOf([...requirements, ...selector], [...holds, index]),
      ...complement(selector).flatMap((those) => partOf([...requirements, ...those], holds)),
    ]);
    // Parts in which nothing holds yet may still be cut; they do not count, but they may not grow without end either.
    if (parts.filter(({ holds }) => holds.length > 0).length > limit || parts.length > 4 * limit) return undefined;
  }
  return parts.filter(({ holds }) => holds.length > 0);
}

function partOf(requirements: Requirements, holds: readonly number[]): readonly NamespacePart[] {
  const simple = simplify(requirements);
  return simple === undefined ? [] : [{ requirements: simple, holds }];
}

/** What all of these selectors ask for in common, so that it holds wherever one of them does; possibly nothing. */
export function inCommon(selectors: readonly Requirements[]): Requirements {
  const [first = [], ...others] = selectors;
  return first.flatMap(({ key, operator }): Requirements => {
    if (operator !== 'In' && operator !== 'Equals' && operator !== 'Exists') return [];
    const same = others.map((selector) => selector.find((requirement) => requirement.key === key));
    const all = [first.find((requirement) => requirement.key === key), ...same];
    if (all.some((one) => one === undefined || !['In', 'Equals', 'Exists'].includes(one.operator))) return [];
    if (all.some((one) => one?.operator === 'Exists')) return [{ key, operator: 'Exists', values: [] }];
    return [{ key, operator: 'In', values: distinct(all.flatMap((one) => one?.values ?? [])) }];
  });
}
