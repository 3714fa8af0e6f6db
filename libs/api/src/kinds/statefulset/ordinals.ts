/**
 * Ordinals of a StatefulSet's Pods: the reserved ones, the used ones, and the one in a Pod's name. Ranges are never expanded, so a huge one costs as
 * much as a small one.
 * @see spec/statefulset.md 5.2
 */
import { memoized } from '@kruise/objects';

/** Ordinals from `first` to `last`, both included. */
export interface OrdinalRange {
  readonly first: number;
  readonly last: number;
}

/** `reserveOrdinals` as disjoint ranges in ascending order, and its unreadable elements. */
export interface ReservedOrdinals {
  readonly ranges: readonly OrdinalRange[];
  readonly faults: readonly { readonly index: number; readonly value: unknown; readonly why: string }[];
}

const rangePattern = /^(\d+)-(\d+)$/;

/** The largest ordinal of a Pod: ordinals are read as 32 bits. */
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

/** Omits ordinals that no Pod can have: they need no reservation, and numbers cannot count them exactly. */
const withinReach = (ranges: readonly OrdinalRange[]): readonly OrdinalRange[] =>
  ranges.filter(({ first }) => first <= largestOrdinal).map(({ first, last }) => ({ first, last: Math.min(last, largestOrdinal) }));

/** Merges ranges that touch or overlap. */
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
 * Parses reserved ordinals.
 *
 * @param list `spec.reserveOrdinals` unchanged, of any type; absent and null reserve nothing
 * @returns readable elements are reserved, whatever is beside them
 */
export function parseReservedOrdinals(list: unknown): ReservedOrdinals {
  return Array.isArray(list) ? parseOnce(list) : { ranges: [], faults: [] };
}

/** Parses a list once, because a store keeps it as the same object: thousands of reservations in every pass would cost noticeable time. */
const parseOnce = memoized(parse);

function parse(list: readonly unknown[]): ReservedOrdinals {
  const read = list.map((value: unknown, index) => ({ index, value, range: rangeOf(value) }));
  return {
    ranges: merged(read.flatMap(({ range }) => (typeof range === 'string' ? [] : [range]))),
    faults: read.flatMap(({ index, value, range }) => (typeof range === 'string' ? [{ index, value, why: range }] : [])),
  };
}

/** The ordinals that Pods of a StatefulSet need; iterates in ascending order. */
export interface OrdinalSlots extends Iterable<number> {
  /** The first that may be used. */
  readonly start: number;
  /** One past the last that is used; `start` when none is. */
  readonly end: number;
  /** Their number: fewer than replicas when no more are left up to 2147483647. */
  readonly size: number;
  has(ordinal: number): boolean;
  /** Returns how many of them are below the ordinal; undefined for one that is none of them. */
  rankOf(ordinal: number): number | undefined;
}

/** What determines the ordinals. Numbers are whole and not negative; `reserved` as {@link parseReservedOrdinals} returns it. */
export interface OrdinalChoice {
  readonly start: number;
  readonly replicas: number;
  readonly reserved: readonly OrdinalRange[];
}

/** Returns the used ranges: from `start` on, around reserved ones, until there are as many as replicas or no more are left. */
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

/** Returns the ordinals. @see spec/statefulset.md 5.2 */
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
 * Returns the name of the StatefulSet and the ordinal in a Pod's name.
 *
 * @returns undefined for a name that does not end in a valid ordinal: none, with leading zeros, or beyond 32 bits
 */
export function parsePodOrdinal(name: string): { readonly parent: string; readonly ordinal: number } | undefined {
  const dash = name.lastIndexOf('-');
  const digits = name.slice(dash + 1);
  if (dash < 0 || !/^(?:0|[1-9]\d{0,9})$/.test(digits)) return undefined;
  const ordinal = Number(digits);
  return ordinal > largestOrdinal ? undefined : { parent: name.slice(0, dash), ordinal };
}
