/** Whether one object could match two selectors. @see spec/sidecarset.md 4.5 */
import type { LabelSelector, LabelSelectorExpression } from '@kruise/objects';

export type Selector = LabelSelector | null | undefined;

/** What a selector says of a key: one of these values, or any. */
type Wanted = ReadonlyMap<string, ReadonlySet<string> | 'Any'>;

const expressionsOf = (selector: LabelSelector): readonly LabelSelectorExpression[] => selector.matchExpressions ?? [];

function wantedBy(selector: LabelSelector): Wanted {
  const wanted = new Map<string, Set<string> | 'Any'>(
    Object.entries(selector.matchLabels ?? {}).map(([key, value]) => [key, new Set([value])]),
  );
  for (const { key, operator, values = [] } of expressionsOf(selector)) {
    const present = wanted.get(key) ?? new Set<string>();
    if (operator === 'Exists') wanted.set(key, 'Any');
    if (operator !== 'In' || present === 'Any') continue;
    for (const value of values) present.add(value);
    wanted.set(key, present);
  }
  return wanted;
}

/** What a selector demands, by key, so that another one costs no more than its own keys and values. */
interface Demands {
  readonly exists: ReadonlySet<string>;
  readonly absent: ReadonlySet<string>;
  readonly among: ReadonlyMap<string, readonly ReadonlySet<string>[]>;
  readonly outside: ReadonlyMap<string, readonly ReadonlySet<string>[]>;
}

function demandsOf(selector: LabelSelector): Demands {
  const [exists, absent] = [new Set<string>(), new Set<string>()];
  const [among, outside] = [new Map<string, Set<string>[]>(), new Map<string, Set<string>[]>()];
  const add = (to: Map<string, Set<string>[]>, key: string, values: readonly string[]): void => {
    const held = to.get(key);
    if (held === undefined) to.set(key, [new Set(values)]);
    else held.push(new Set(values));
  };
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) add(among, key, [value]);
  for (const { key, operator, values = [] } of expressionsOf(selector)) {
    if (operator === 'Exists') exists.add(key);
    if (operator === 'DoesNotExist') absent.add(key);
    if (operator === 'In') add(among, key, values);
    if (operator === 'NotIn') add(outside, key, values);
  }
  return { exists, absent, among, outside };
}

function contradict({ exists, absent, among, outside }: Demands, wanted: Wanted): boolean {
  let existing = 0;
  for (const [key, held] of wanted) {
    if (absent.has(key)) return true;
    if (exists.has(key)) existing++;
    if (held === 'Any') continue;
    const values = [...held];
    if (among.get(key)?.some((allowed) => !values.some((value) => allowed.has(value))) === true) return true;
    if (outside.get(key)?.some((refused) => values.every((value) => refused.has(value))) === true) return true;
  }
  return existing < exists.size;
}

/** A selector that many others are compared with. */
export interface ReadSelector {
  readonly wanted: Wanted;
  readonly demands: Demands;
}

/** @returns undefined for an absent one, which matches all */
export const readSelector = (selector: Selector): ReadSelector | undefined =>
  selector === undefined || selector === null ? undefined : { wanted: wantedBy(selector), demands: demandsOf(selector) };

/** Whether one object could match both, as far as they tell. */
export const mayOverlap = (a: ReadSelector | undefined, b: ReadSelector | undefined): boolean =>
  a === undefined || b === undefined || !(contradict(b.demands, a.wanted) || contradict(a.demands, b.wanted));
