/** Which Pods are updated now, in which order, and which cannot be. @see spec/sidecarset.md 5.6 */
import type { ScatterStrategy } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { rankForUpdate } from '@kruise/pods';
import { refusedLast, type RefusedBefore } from '@kruise/workloads';
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

/** What this version did to the Pod is not over, or went wrong. */
const isUnderWay = ({ updated, consistent, ready }: Member): boolean => updated && (!consistent || !ready);

/** Pods whose update to this version has to wait for the end of an earlier one. */
const isHeldUp = ({ pod, records }: Member, view: SidecarSetView): boolean => servesOldImage(pod, records, view);

/** What else a choice depends on. */
export interface Surroundings {
  readonly refused: RefusedBefore;
  /** Pods whose hot upgrade ends in this pass. */
  readonly ending: ReadonlySet<Pod>;
}

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

/** In the order of their updates; those for which something was refused come last. */
function rank(
  candidates: readonly Member[],
  members: readonly Member[],
  view: SidecarSetView,
  { refused }: Surroundings,
): readonly Member[] {
  const byPod = new Map(candidates.map((member) => [member.pod, member]));
  const all = members.map(({ pod }) => pod);
  const { priorityStrategy: priority, scatterStrategy } = view.strategy;
  const ranked = rankForUpdate([...byPod.keys()], all, {
    scatter: expandScatter(scatterStrategy, all),
    preparingFirst: false,
    ...(priority === undefined ? {} : { priority }),
  });
  return refusedLast(ranked, ({ metadata }) => metadata.uid, refused).flatMap((pod) => byPod.get(pod) ?? []);
}

/** Without those that the partition keeps. */
const outsidePartition = (ranked: readonly Member[], kept: number): readonly Member[] => ranked.slice(0, Math.max(ranked.length - kept, 0));

/**
 * Pods that use up maxUnavailable because an update to an earlier version is still under way in them, and that this version will update. Not those
 * that it leaves as they are, nor those that wait for a kubelet which may never come back: they would hold up the others for ever. What is held
 * up but ready is about to go down.
 */
const startedBefore = (open: readonly Member[], heldUp: ReadonlySet<Member>): readonly Member[] =>
  open.filter((member) => member.updating && (member.ready || !heldUp.has(member)));

/**
 * Pods that use up maxUnavailable before anything is chosen. A Pod whose hot upgrade could end and may not serves with both twins, for as long as the
 * end is refused: it takes nothing away.
 */
const usesUp = (member: Member, { refused, ending }: Surroundings): boolean =>
  ending.has(member.pod) ? !refused.has(member.pod.metadata.uid ?? '') : isUnderWay(member);

/** @param members every matched Pod, by namespace and name */
export function chooseUpdates(members: readonly Member[], view: SidecarSetView, surroundings: Surroundings): UpdateChoice {
  const { ending } = surroundings;
  const candidates = members.filter((member) => !member.updated && view.selects.matches(member.pod.metadata.labels));
  const upgradable = candidates.filter((member) => member.upgradable && !ending.has(member.pod));
  const heldUp = new Set(upgradable.filter((member) => isHeldUp(member, view)));
  const waiting = upgradable.filter((member) => !heldUp.has(member));
  const maxUnavailable = maxUnavailableOf(view, members.length);
  const underWay = members.filter((member) => usesUp(member, surroundings)).length;
  const kept = partitionOf(view, members.length);
  // Ranking thousands of Pods costs: not where none of them could be taken anyway.
  const mayTake = underWay < maxUnavailable || waiting.some(({ ready }) => !ready);
  const open = mayTake ? outsidePartition(rank(waiting, members, view, surroundings), kept) : [];
  const toCome = heldUp.size === 0 || open.length === 0 ? open : outsidePartition(rank(upgradable, members, view, surroundings), kept);
  const limits = { maxUnavailable, busy: underWay + startedBefore(toCome, heldUp).length };
  return { chosen: walk(open, limits), notUpgradable: candidates.filter((member) => !member.upgradable) };
}
