/** Which Pod has which place: the slots that are to be filled, and the Pods that have none. @see spec/statefulset.md 5.2 */
import { parsePodOrdinal, type StatefulSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { Context } from './snapshot.ts';
import { slotsOf } from './strategy.ts';

/** One of the places that are to be filled. */
export interface Slot {
  readonly ordinal: number;
  /** How many slots are below it. */
  readonly rank: number;
  /** Absent while there is none: it is to be created. */
  readonly pod?: Pod;
}

export interface Arrangement {
  /** Every slot, in ascending order of ordinals. */
  readonly slots: readonly Slot[];
  /** Pods out of range or on a reserved ordinal, in descending order of ordinals. */
  readonly condemned: readonly Pod[];
}

/** The ordinal of a Pod of this StatefulSet by its name; undefined for a name that is none of a member. */
export function ordinalOf(
  { metadata }: StatefulSet,
  { metadata: { name } }: { readonly metadata: { readonly name: string } },
): number | undefined {
  const parsed = parsePodOrdinal(name);
  return parsed?.parent === metadata.name ? parsed.ordinal : undefined;
}

/** @param pods claimed; any order */
export function arrange(set: StatefulSet, pods: readonly Pod[], { gates }: Pick<Context, 'gates'>): Arrangement {
  const wanted = slotsOf(set, gates);
  const held = new Map<number, Pod>();
  const condemned: { readonly ordinal: number; readonly pod: Pod }[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (wanted.has(ordinal)) held.set(ordinal, pod);
    else condemned.push({ ordinal, pod });
  }
  const slots: Slot[] = [];
  for (const ordinal of wanted) {
    const pod = held.get(ordinal);
    slots.push({ ordinal, rank: slots.length, ...(pod === undefined ? {} : { pod }) });
  }
  return { slots, condemned: condemned.sort((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod) };
}

/** The Pods that are there, in the order of their slots. */
export const podsIn = (slots: readonly Slot[]): readonly Pod[] => slots.flatMap(({ pod }) => pod ?? []);
