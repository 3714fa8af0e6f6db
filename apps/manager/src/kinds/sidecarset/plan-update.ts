/** Which Pods are updated now, in which order, and which cannot be. @see spec/sidecarset.md 5.6 */
import type { ScatterStrategy } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { rankForUpdate } from '@kruise/pods';
import { servesOldImage, type Member } from './pod-facts.ts';
import { maxUnavailableOf, partitionOf, type SidecarSetView } from './sidecar-set-view.ts';

/** A Pod and the reason for its turn. */
export interface Chosen {
  readonly pod: Pod;
  readonly because: string;
}

export interface UpdateChoice {
  /** In the order of their updates. */
  readonly chosen: readonly Chosen[];
  /** Pods for which more than images would have to change; by namespace and name. */
  readonly notUpgradable: readonly Member[];
}

const anyValue = '*';

/** A term for every value stands for one term a value that occurs, each term once. */
export function expandScatter(strategy: ScatterStrategy | undefined, all: readonly Pod[]): ScatterStrategy {
  const terms = new Map<string, ScatterStrategy[number]>();
  for (const { key, value } of strategy ?? []) {
    const values = value === anyValue ? new Set(all.flatMap((pod) => pod.metadata.labels?.[key] ?? [])) : [value];
    for (const each of values) terms.set(JSON.stringify([key, each]), { key, value: each });
  }
  return [...terms.values()];
}

/**
 * Whether the Pod uses up maxUnavailable: brought down by its update, or by one of an earlier version that is still under way. The latter
 * only where this version can end it: a Pod that stays as it is would hold up the others for ever.
 */
const isBusy =
  (view: SidecarSetView) =>
  ({ pod, updated, consistent, ready, upgradable, updating }: Member): boolean =>
    updated ? !consistent || !ready : updating && upgradable && view.selects.matches(pod.metadata.labels);

interface Limits {
  readonly maxUnavailable: number;
  /** Pods that use it up before anything is chosen. */
  readonly busy: number;
}

/** Pods that are not ready lose nothing; the first ready one beyond the limit ends the round. */
function walk(ranked: readonly Member[], { maxUnavailable, busy }: Limits): readonly Chosen[] {
  const chosen: Chosen[] = [];
  let taken = busy;
  for (const { pod, ready } of ranked) {
    if (!ready) {
      chosen.push({ pod, because: 'it is not ready, so that its update takes nothing away' });
      continue;
    }
    if (taken >= maxUnavailable) break;
    chosen.push({ pod, because: `${taken} of at most ${maxUnavailable} Pods are unavailable` });
    taken++;
  }
  return chosen;
}

/** Those that may be updated, in order, without the partition's. */
function rankOpen(waiting: readonly Member[], members: readonly Member[], view: SidecarSetView): readonly Member[] {
  const byPod = new Map(waiting.map((member) => [member.pod, member]));
  const all = members.map(({ pod }) => pod);
  const { priorityStrategy: priority, scatterStrategy } = view.strategy;
  const ranked = rankForUpdate([...byPod.keys()], all, {
    scatter: expandScatter(scatterStrategy, all),
    preparingFirst: false,
    ...(priority === undefined ? {} : { priority }),
  });
  return ranked.slice(0, Math.max(ranked.length - partitionOf(view, members.length), 0)).flatMap((pod) => byPod.get(pod) ?? []);
}

/** @param members every matched Pod, by namespace and name */
export function chooseUpdates(members: readonly Member[], view: SidecarSetView): UpdateChoice {
  const candidates = members.filter((member) => !member.updated && view.selects.matches(member.pod.metadata.labels));
  const waiting = candidates.filter(({ pod, records, upgradable }) => upgradable && !servesOldImage(pod, records, view));
  const limits = { maxUnavailable: maxUnavailableOf(view, members.length), busy: members.filter(isBusy(view)).length };
  // Ranking thousands of Pods costs: not where none of them could be taken anyway.
  const mayTake = limits.busy < limits.maxUnavailable || waiting.some(({ ready }) => !ready);
  const open = mayTake ? rankOpen(waiting, members, view) : [];
  return { chosen: walk(open, limits), notUpgradable: candidates.filter(({ upgradable }) => !upgradable) };
}
