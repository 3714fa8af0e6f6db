/** Which Pod has which slot: the wanted slots, and the Pods without one. @see spec/statefulset.md 5.2 */
import { parsePodOrdinal, type OrdinalSlots, type StatefulSet } from '@kruise/api';
import { memoized, memoizedList, type Pod } from '@kruise/objects';
import { podViewOf, type PodView } from '@kruise/workloads';
import type { Context } from './snapshot.ts';
import { slotsOf } from './strategy.ts';

/** One wanted place. */
export interface Slot {
  readonly ordinal: number;
  /** How many slots are below it. */
  readonly rank: number;
  /** Absent if the Pod does not exist and must be created. */
  readonly pod?: Pod;
}

/** A slot that has its Pod. */
export interface FilledSlot extends Slot {
  readonly pod: Pod;
  /** Of the Pod. */
  readonly view: PodView;
}

export interface Arrangement {
  /** The wanted ordinals, as ranges because there may be a million. */
  readonly wanted: OrdinalSlots;
  /** The slots that have a Pod, in ascending order of ordinals. */
  readonly filled: readonly FilledSlot[];
  /** How many slots have none. */
  readonly missing: number;
  /** Pods out of range or on a reserved ordinal, in descending order of ordinals. */
  readonly condemned: readonly Pod[];
}

const parsedOf = memoized(({ name }: { readonly name: string }) => parsePodOrdinal(name));

/** The ordinal of a Pod of this StatefulSet by its name; undefined for a name that is none of a member. */
export function ordinalOf({ metadata }: StatefulSet, pod: { readonly metadata: { readonly name: string } }): number | undefined {
  const parsed = parsedOf(pod.metadata);
  return parsed?.parent === metadata.name ? parsed.ordinal : undefined;
}

/** A Pod with an ordinal, with or without a slot. */
type Numbered = Omit<FilledSlot, 'rank'> & { readonly rank: number | undefined };

const hasSlot = (one: Numbered): one is FilledSlot => one.rank !== undefined;

const numberedOf = memoizedList((pod: Pod, setName: string, wanted: OrdinalSlots): Numbered | undefined => {
  const parsed = parsedOf(pod.metadata);
  if (parsed?.parent !== setName) return undefined;
  return { ordinal: parsed.ordinal, rank: wanted.rankOf(parsed.ordinal), pod, view: podViewOf(pod) };
});

/** Sorts by ordinal. Sparsely filled slots, of which there may be a million, are compared; else each is put in its place, which is faster. */
function inOrder(filled: FilledSlot[], size: number): readonly FilledSlot[] {
  if (size > 2 * filled.length + 100) return filled.sort((a, b) => a.ordinal - b.ordinal);
  const places = new Array<FilledSlot | undefined>(size).fill(undefined);
  for (const slot of filled) places[slot.rank] = slot;
  return places.filter((slot) => slot !== undefined);
}

/** Returns which Pod has which slot. @param pods claimed; any order */
export function arrange(set: StatefulSet, pods: readonly Pod[], { gates }: Pick<Context, 'gates'>): Arrangement {
  const wanted = slotsOf(set, gates);
  const filled: FilledSlot[] = [];
  const condemned: Numbered[] = [];
  for (const one of numberedOf(set.metadata, pods, set.metadata.name, wanted)) {
    if (one === undefined) continue;
    if (hasSlot(one)) filled.push(one);
    else condemned.push(one);
  }
  return {
    wanted,
    filled: inOrder(filled, wanted.size),
    missing: wanted.size - filled.length,
    condemned: condemned.sort((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod),
  };
}

/**
 * The slots in ascending order of ordinals, each made when it is requested.
 *
 * @param isEnough once this says so, of the slots that follow only those that have a Pod are given
 * @param isLeftOut whether a slot with a Pod, with its index in `filled`, is not given
 */
export function* walkSlots(
  { wanted, filled, missing }: Pick<Arrangement, 'wanted' | 'filled' | 'missing'>,
  isEnough: () => boolean,
  isLeftOut: (slot: FilledSlot, index: number) => boolean = () => false,
): Iterable<Slot> {
  let [given, rank] = [0, 0];
  for (const ordinal of missing > 0 ? wanted : []) {
    const slot = filled[given];
    if (slot?.ordinal === ordinal) {
      if (!isLeftOut(slot, given++)) yield slot;
    } else if (isEnough()) break;
    else yield { ordinal, rank };
    rank++;
  }
  for (const [index, slot] of filled.entries()) if (index >= given && !isLeftOut(slot, index)) yield slot;
}

/** The Pods that are there, in the order of their slots. */
export const podsIn = (slots: readonly FilledSlot[]): readonly Pod[] => slots.map(({ pod }) => pod);
