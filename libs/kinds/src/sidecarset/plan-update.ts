/** Which Pods are updated now, in which order, and which cannot be. @see spec/sidecarset.md 5.6 */
import type { ScatterStrategy } from '@kruise/api';
import { isPodReady, type Pod } from '@kruise/objects';
import { rankForUpdate } from '@kruise/pods';
import { refusedLast, type OnPod, type RefusedBefore } from '@kruise/workloads';
import { isEmptying, isOnLostNode, servesOldImage, type Member } from './pods/pod-facts.ts';
import { maxUnavailableOf, partitionOf, type SidecarSetView } from './view/sidecar-set-view.ts';

export interface UpdateChoice {
  /** Pods whose hot upgrade is ended now. */
  readonly flips: readonly OnPod[];
  /** In the order of their updates. */
  readonly updates: readonly OnPod[];
  /** Pods for which more than images would have to change; by namespace and name. */
  readonly notUpgradable: readonly Member[];
}

const anyValue = '*';

/** Replaces a term for every value by one term for each value that occurs, without duplicates. */
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
  /** Uids of Pods to which nothing is written for a while, because something was refused. */
  readonly resting: ReadonlySet<string>;
  /** Pods whose hot upgrade can be ended, by name. */
  readonly ending: readonly Member[];
}

interface Candidate {
  readonly member: Member;
  readonly change: 'Flip' | 'Update';
}

const uidOf = ({ member }: Candidate): string => member.pod.metadata.uid ?? '';

/** Whether the change takes a Pod out of service. The Pod of a hot upgrade is ready while both twins run, although {@link Member.ready} is false. */
const takesAway = ({ member, change }: Candidate): boolean => (change === 'Flip' ? isPodReady(member.pod) : member.ready);

/** Chooses Pods one after the other, as long as the limit allows it. */
class Walk {
  readonly chosen: { readonly change: Candidate['change']; readonly chosen: OnPod }[] = [];
  readonly #maxUnavailable: number;
  #taken: number;

  /** @param busy Pods that use the limit up before anything is chosen */
  constructor(maxUnavailable: number, busy: number) {
    this.#maxUnavailable = maxUnavailable;
    this.#taken = busy;
  }

  /** The Pods use the limit up without being chosen. */
  reserve(count: number): void {
    this.#taken += count;
  }

  /** @returns whether the Pod was chosen; one that is not ready loses nothing. Without any limit no hot upgrade would end */
  take(candidate: Candidate): boolean {
    const { member, change } = candidate;
    const limit = change === 'Flip' ? Math.max(this.#maxUnavailable, 1) : this.#maxUnavailable;
    const isCosted = takesAway(candidate);
    if (isCosted && this.#taken >= limit) return false;
    const room = isCosted
      ? `${this.#taken} of at most ${limit} Pods are unavailable`
      : 'it is not ready, so that its update takes nothing away';
    const because = change === 'Flip' ? 'the new containers work, so the old ones are not needed' : room;
    this.chosen.push({ change, chosen: { pod: member.pod, because } });
    if (isCosted) this.#taken++;
    return true;
  }
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
 * Pods that use up maxUnavailable because an update to an earlier version is still in progress in them, and that this version will update. Pods
 * that it leaves as they are do not count, nor do Pods whose kubelet may never return: they would delay the others indefinitely. A Pod that is
 * delayed but ready will soon be unavailable.
 */
const startedBefore = (open: readonly Member[], heldUp: ReadonlySet<Member>): readonly Member[] =>
  open.filter((member) => member.updating && !(heldUp.has(member) && isOnLostNode(member.pod)));

interface Choosable {
  /** Hot upgrades to end, of which none was refused. */
  readonly flips: readonly Candidate[];
  /** Updates in their order, of which none was refused. */
  readonly updates: readonly Candidate[];
  /** What was refused before, in the order of the last refusals. */
  readonly refused: readonly Candidate[];
}

/** Without what rests. */
function choosable(flips: readonly Member[], updates: readonly Member[], { refused, resting }: Surroundings): Choosable {
  const all: readonly Candidate[] = [
    ...flips.map((member) => ({ member, change: 'Flip' as const })),
    ...updates.map((member) => ({ member, change: 'Update' as const })),
  ];
  const now = all.filter((candidate) => !resting.has(uidOf(candidate)));
  const fresh = now.filter((candidate) => !refused.has(uidOf(candidate)));
  return {
    flips: fresh.filter(({ change }) => change === 'Flip'),
    updates: fresh.filter(({ change }) => change === 'Update'),
    refused: refusedLast(
      now.filter((candidate) => refused.has(uidOf(candidate))),
      uidOf,
      refused,
    ),
  };
}

/**
 * Ends of hot upgrades come first, as their Pods use the limit up since their update. A Pod that serves and for which there is no
 * room is passed over: one behind it that does not serve costs nothing, and its update may heal it. What was refused before comes last.
 */
function choose({ flips, updates, refused }: Choosable, walk: Walk): Pick<UpdateChoice, 'flips' | 'updates'> {
  const postponed = flips.filter((candidate) => !walk.take(candidate));
  walk.reserve(postponed.length);
  for (const candidate of updates) walk.take(candidate);
  for (const candidate of refused) walk.take(candidate);
  const of = (change: Candidate['change']): readonly OnPod[] =>
    walk.chosen.filter((one) => one.change === change).map(({ chosen }) => chosen);
  return { flips: of('Flip'), updates: of('Update') };
}

/** What is known of the Pods that are not updated. */
interface Open {
  /** Those to update, in their order. */
  readonly toUpdate: readonly Member[];
  /** Pods that use up maxUnavailable because an update to an earlier version is under way in them. */
  readonly begunBefore: readonly Member[];
}

function openUpdates(upgradable: readonly Member[], members: readonly Member[], view: SidecarSetView, surroundings: Surroundings): Open {
  const kept = partitionOf(view, members.length);
  const heldUp = new Set(upgradable.filter((member) => isHeldUp(member, view)));
  const waiting = upgradable.filter((member) => !heldUp.has(member));
  const toUpdate = outsidePartition(rank(waiting, members, view, surroundings), kept);
  const toCome =
    heldUp.size === 0 || toUpdate.length === 0 ? toUpdate : outsidePartition(rank(upgradable, members, view, surroundings), kept);
  return { toUpdate, begunBefore: startedBefore(toCome, heldUp) };
}

/**
 * @param members every matched Pod, by namespace and name
 * @remarks The Pod of a hot upgrade that could end counts while it is not ready. While it is ready it serves with both twins: it counts until the end
 * is refused, as its end takes it out of service for a moment. That moment counts in any Pod, also in one that this version leaves as it is.
 */
export function chooseUpdates(members: readonly Member[], view: SidecarSetView, surroundings: Surroundings): UpdateChoice {
  const ending = new Set(surroundings.ending);
  const candidates = members.filter((member) => !member.updated && view.selects.matches(member.pod.metadata.labels));
  const upgradable = candidates.filter((member) => member.upgradable && !ending.has(member));
  const maxUnavailable = maxUnavailableOf(view, members.length);
  const underWay = members.filter((member) => (ending.has(member) ? !isPodReady(member.pod) : isUnderWay(member)));
  // Ranking thousands of Pods costs: not where none of them could be taken anyway.
  const mayTake = underWay.length < maxUnavailable || ending.size > 0 || upgradable.some(({ ready }) => !ready);
  const { toUpdate, begunBefore } = mayTake ? openUpdates(upgradable, members, view, surroundings) : { toUpdate: [], begunBefore: [] };
  const emptying = view.hotSidecars.length === 0 ? [] : members.filter(({ pod, records }) => isEmptying(pod, records, view));
  const walk = new Walk(maxUnavailable, new Set([...underWay, ...begunBefore, ...emptying]).size);
  return {
    ...choose(choosable(surroundings.ending, toUpdate, surroundings), walk),
    notUpgradable: candidates.filter((member) => !member.upgradable),
  };
}
