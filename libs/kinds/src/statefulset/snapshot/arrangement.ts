/** Which Pod has which slot: the wanted slots, and the Pods without one. @see spec/statefulset.md 5.2 */
import { parsePodOrdinal, type OrdinalSlots, type StatefulSet } from '@kruise/api';
import { memoized, type Pod } from '@kruise/objects';
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
export type FilledSlot = Required<Slot>;

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

/** @param pods claimed; any order */
export function arrange(set: StatefulSet, pods: readonly Pod[], { gates }: Pick<Context, 'gates'>): Arrangement {
  const wanted = slotsOf(set, gates);
  const filled: FilledSlot[] = [];
  const condemned: { readonly ordinal: number; readonly pod: Pod }[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    const rank = wanted.rankOf(ordinal);
    if (rank === undefined) condemned.push({ ordinal, pod });
    else filled.push({ ordinal, rank, pod });
  }
  return {
    wanted,
    filled: filled.sort((a, b) => a.ordinal - b.ordinal),
    missing: wanted.size - filled.length,
    condemned: condemned.sort((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod),
  };
}

/**
 * The slots in ascending order of ordinals, each made when it is asked for.
 *
 * @param isEnough once this says so, of the slots that follow only those that have a Pod are given
 */
export function* walkSlots({ wanted, filled }: Pick<Arrangement, 'wanted' | 'filled'>, isEnough: () => boolean): Iterable<Slot> {
  let [given, rank] = [0, 0];
  for (const ordinal of wanted) {
    const slot = filled[given];
    if (slot?.ordinal === ordinal) {
      given++;
      yield slot;
    } else if (isEnough()) break;
    else yield { ordinal, rank };
    rank++;
  }
  yield* filled.slice(given);
}

/** The Pods that are there, in the order of their slots. */
export const podsIn = (slots: readonly FilledSlot[]): readonly Pod[] => slots.map(({ pod }) => pod);
