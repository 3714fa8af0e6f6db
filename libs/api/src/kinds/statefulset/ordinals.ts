/**
 * Ordinals of a StatefulSet's Pods: those that are reserved, those that are used, and the one that a Pod's name ends in. Ranges are never written
 * out, so that a huge one costs what a small one does.
 * @see spec/statefulset.md 5.2
 */
import { memoized } from '@kruise/objects';

/** Ordinals from `first` to `last`, both included. */
export interface OrdinalRange {
  readonly first: number;
  readonly last: number;
}

/** `reserveOrdinals` as disjoint ranges in ascending order, and what of it cannot be read. */
export interface ReservedOrdinals {
  readonly ranges: readonly OrdinalRange[];
  readonly faults: readonly { readonly index: number; readonly value: unknown; readonly why: string }[];
}

const rangePattern = /^(\d+)-(\d+)$/;

/** The largest that a Pod can have: ordinals are read as 32 bits. */
const largestOrdinal = 2147483647;

function rangeOf(value: unknown): OrdinalRange | string {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'must be a whole number or a range of them such as "2-5"';
    return value < 0 ? 'must be 0 or more' : { first: value, last: value };
  }
  const match = typeof value === 'string' ? rangePattern.exec(value) : null;
  if (match === null) return 'must be a whole number or a range of them such as "2-5"';
  const [first, last] = [Number(match[1]), Number(match[2])];
  return first > last ? `the start of the range must not be above its end` : { first, last };
}

/** What no Pod can have needs no reservation, and is beyond what numbers count exactly. */
const withinReach = (ranges: readonly OrdinalRange[]): readonly OrdinalRange[] =>
  ranges.filter(({ first }) => first <= largestOrdinal).map(({ first, last }) => ({ first, last: Math.min(last, largestOrdinal) }));

/** Ranges that touch or overlap are one. */
function merged(ranges: readonly OrdinalRange[]): readonly OrdinalRange[] {
  const disjoint: OrdinalRange[] = [];
  for (const range of withinReach(ranges).toSorted((a, b) => a.first - b.first)) {
    const before = disjoint.at(-1);
    if (before === undefined || range.first > before.last + 1) disjoint.push(range);
    else if (range.last > before.last) disjoint[disjoint.length - 1] = { first: before.first, last: range.last };
  }
  return disjoint;
}

/**
 * @param list `spec.reserveOrdinals` as it stands, of any type; absent and null reserve nothing
 * @returns the elements that can be read are reserved, whatever stands beside them
 */
export function parseReservedOrdinals(list: unknown): ReservedOrdinals {
  return Array.isArray(list) ? parseOnce(list) : { ranges: [], faults: [] };
}

/** The list of an object from a store stays the same object; parsing thousands of reservations in every pass would cost noticeable time. */
const parseOnce = memoized(parse);

function parse(list: readonly unknown[]): ReservedOrdinals {
  const read = list.map((value: unknown, index) => ({ index, value, range: rangeOf(value) }));
  return {
    ranges: merged(read.flatMap(({ range }) => (typeof range === 'string' ? [] : [range]))),
    faults: read.flatMap(({ index, value, range }) => (typeof range === 'string' ? [{ index, value, why: range }] : [])),
  };
}

/** The ordinals that Pods of a StatefulSet are to have; iterates in ascending order. */
export interface OrdinalSlots extends Iterable<number> {
  /** The first that may be used. */
  readonly start: number;
  /** One past the last that is used; `start` when none is. */
  readonly end: number;
  /** How many there are: fewer than replicas where no more are left up to 2147483647. */
  readonly size: number;
  has(ordinal: number): boolean;
  /** How many of them are below the ordinal; undefined for one that is none of them. */
  rankOf(ordinal: number): number | undefined;
}

/** What ordinals are chosen by. Numbers are whole and not negative; `reserved` as {@link parseReservedOrdinals} gives it. */
export interface OrdinalChoice {
  readonly start: number;
  readonly replicas: number;
  readonly reserved: readonly OrdinalRange[];
}

/** The ranges that are used: from `start` on, around what is reserved, until there are as many as replicas or no more are left. */
function usedRanges({ start, replicas, reserved }: OrdinalChoice): readonly OrdinalRange[] {
  const used: OrdinalRange[] = [];
  let next = start;
  let left = replicas;
  const use = (most: number): void => {
    const count = Math.min(left, most, largestOrdinal - next + 1);
    if (count <= 0) return;
    used.push({ first: next, last: next + count - 1 });
    left -= count;
  };
  for (const { first, last } of reserved) {
    if (left === 0) break;
    if (last < next) continue;
    use(first - next);
    next = last + 1;
  }
  use(left);
  return used;
}

/** @see spec/statefulset.md 5.2 */
export function ordinalSlots(choice: OrdinalChoice): OrdinalSlots {
  const used = usedRanges(choice);
  const ranks: number[] = [];
  let size = 0;
  for (const { first, last } of used) {
    ranks.push(size);
    size += last - first + 1;
  }
  const rankOf = (ordinal: number): number | undefined => {
    let [low, high] = [0, used.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((used[middle]?.last ?? 0) < ordinal) low = middle + 1;
      else high = middle;
    }
    const range = used[low];
    return range !== undefined && range.first <= ordinal ? (ranks[low] ?? 0) + ordinal - range.first : undefined;
  };
  return {
    start: choice.start,
    end: (used.at(-1)?.last ?? choice.start - 1) + 1,
    size,
    has: (ordinal) => rankOf(ordinal) !== undefined,
    rankOf,
    *[Symbol.iterator]() {
      for (const { first, last } of used) for (let ordinal = first; ordinal <= last; ordinal++) yield ordinal;
    },
  };
}

/**
 * The name of the StatefulSet and the ordinal in a Pod's name.
 *
 * @returns undefined for a name that does not end in an ordinal as it is written: none, with leading zeros, or beyond 32 bits
 */
export function parsePodOrdinal(name: string): { readonly parent: string; readonly ordinal: number } | undefined {
  const dash = name.lastIndexOf('-');
  const digits = name.slice(dash + 1);
  if (dash < 0 || !/^(?:0|[1-9]\d{0,9})$/.test(digits)) return undefined;
  const ordinal = Number(digits);
  return ordinal > largestOrdinal ? undefined : { parent: name.slice(0, dash), ordinal };
}
