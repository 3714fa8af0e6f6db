/** Spreads Pods with a certain label evenly over a rollout. @see spec/inplace-update.md 10.3 */
import type { ScatterStrategy } from '@kruise/api';
import { workloadLimits, type Pod } from '@kruise/objects';
import type { ScatterTerm } from './update-strategy.ts';

const isMarked = (pod: Pod, { key, value }: ScatterTerm): boolean => (pod.metadata.labels?.[key] ?? '') === (value ?? '');

interface Groups {
  readonly count: number;
  readonly marked: number;
  readonly unmarked: number;
}

function evenGroups(marked: number, unmarked: number): Groups {
  const count = Math.min(marked, unmarked);
  return count === 0
    ? { count, marked: 0, unmarked: 0 }
    : { count, marked: Math.round(marked / count), unmarked: Math.round(unmarked / count) };
}

/** Returns the groups. When the workload has relatively fewer unmarked Pods than the candidates, the surplus of the candidates comes first. */
function groupsFor(
  marked: number,
  unmarked: number,
  totals: { readonly marked: number; readonly unmarked: number },
): Groups & { readonly first: number } {
  if (totals.unmarked * marked >= unmarked * totals.marked) return { ...evenGroups(marked, unmarked), first: 0 };
  const whole = evenGroups(totals.marked, totals.unmarked);
  const count = Math.min(Math.floor(marked / whole.marked), Math.floor(unmarked / whole.unmarked));
  const usable = Number.isFinite(count) ? count : 0;
  return { ...whole, count: usable, first: unmarked - usable * whole.unmarked };
}

function scatterByTerm(candidates: readonly Pod[], all: readonly Pod[], term: ScatterTerm): readonly Pod[] {
  const marked = candidates.filter((pod) => isMarked(pod, term));
  const unmarked = candidates.filter((pod) => !isMarked(pod, term));
  if (marked.length <= 1 || unmarked.length <= 1) return candidates;
  const last = marked.slice(-1);
  const rest = marked.slice(0, -1);
  const totalMarked = all.filter((pod) => isMarked(pod, term)).length;
  const groups = groupsFor(rest.length, unmarked.length, { marked: totalMarked - 1, unmarked: all.length - totalMarked });
  const later = unmarked.slice(groups.first);
  const scattered = Array.from({ length: groups.count }).flatMap((_, i) => [
    ...rest.slice(i * groups.marked, (i + 1) * groups.marked),
    ...later.slice(i * groups.unmarked, (i + 1) * groups.unmarked),
  ]);
  return [
    ...unmarked.slice(0, groups.first),
    ...scattered,
    ...rest.slice(groups.count * groups.marked),
    ...later.slice(groups.count * groups.unmarked),
    ...last,
  ];
}

/** Counts how many candidates each term marks, with one pass over the labels of each. */
function countMarked(candidates: readonly Pod[], strategy: ScatterStrategy): (term: ScatterTerm) => number {
  const counts = new Map(strategy.map(({ key }) => [key, new Map<string, number>()]));
  const filled = new Map<string, number>();
  const add = (map: Map<string, number>, name: string): unknown => map.set(name, (map.get(name) ?? 0) + 1);
  for (const { metadata } of candidates)
    for (const [key, value] of Object.entries(metadata.labels ?? {})) {
      const ofKey = value === '' ? undefined : counts.get(key);
      if (ofKey === undefined) continue;
      add(ofKey, value);
      add(filled, key);
    }
  return ({ key, value = '' }) => (value === '' ? candidates.length - (filled.get(key) ?? 0) : (counts.get(key)?.get(value) ?? 0));
}

/** Returns the terms that mark candidates, the one with the most first, up to the bound. */
function termsFor(candidates: readonly Pod[], strategy: ScatterStrategy): ScatterStrategy {
  if (strategy.length <= 1) return strategy;
  const matchesOf = countMarked(candidates, strategy);
  return strategy
    .map((term) => ({ term, matches: matchesOf(term) }))
    .filter(({ matches }) => matches > 0)
    .sort((a, b) => b.matches - a.matches)
    .slice(0, workloadLimits.orderTerms.value)
    .map(({ term }) => term);
}

/**
 * Returns the same Pods, each once, in scattered order.
 *
 * @param candidates in the order so far
 * @param all Pods of the workload, any order
 */
export const scatterPods = (candidates: readonly Pod[], all: readonly Pod[], strategy: ScatterStrategy): readonly Pod[] =>
  termsFor(candidates, strategy).reduce((pods, term) => scatterByTerm(pods, all, term), candidates);
