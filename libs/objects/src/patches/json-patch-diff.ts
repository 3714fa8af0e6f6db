/** Creates a short JSON patch: one operation for each added or removed list element. */
import { deepEqual } from '../json/equality.ts';
import { escapePointer } from './json-pointer.ts';
import type { JsonPatchOperation } from './json-patch.ts';
import { stringifyLossless } from '../json/lossless-json.ts';
import { isJsonObject, ownMember, type JsonObject } from '../json/own-member.ts';

/** A position in the document. */
interface Place {
  readonly pointer: string;
  /** How many lists are around it. */
  readonly lists: number;
}

const memberOf = ({ pointer, lists }: Place, name: string): Place => ({ pointer: `${pointer}/${escapePointer(name)}`, lists });
const elementOf = ({ pointer, lists }: Place, index: number): Place => ({ pointer: `${pointer}/${String(index)}`, lists: lists + 1 });

/** Above this product of the two differing ranges, elements are paired by position instead of aligned. */
const maxAlignment = 40_000;
/** Values inside more lists are replaced as a whole, because all of them are compared again in each. No known kind has more than five. */
const maxLists = 6;

/**
 * Returns operations that turn `original` into `modified`; none when they are equal. Members that are undefined count as absent.
 *
 * @remarks The cost is linear except for the differing range of a list, which is aligned by content while that is cheap (40,000 cells).
 */
export function createJsonPatch(original: unknown, modified: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diff(original, modified, { pointer: '', lists: 0 }, operations);
  return operations;
}

function diff(before: unknown, after: unknown, at: Place, out: JsonPatchOperation[]): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after) && at.lists < maxLists) diffLists(before, after, at, out);
  else if (isJsonObject(before) && isJsonObject(after)) diffObjects(before, after, at, out);
  else if (!deepEqual(before, after)) out.push({ op: 'replace', path: at.pointer, value: after });
}

function diffObjects(before: JsonObject, after: JsonObject, at: Place, out: JsonPatchOperation[]): void {
  for (const name of Object.keys(before)) {
    if (before[name] !== undefined && ownMember(after, name) === undefined) out.push({ op: 'remove', path: memberOf(at, name).pointer });
  }
  for (const name of Object.keys(after)) {
    const value = after[name];
    if (value === undefined) continue;
    const old = ownMember(before, name);
    if (old === undefined) out.push({ op: 'add', path: memberOf(at, name).pointer, value });
    else if (old !== value) diff(old, value, memberOf(at, name), out);
  }
}

function diffLists(before: readonly unknown[], after: readonly unknown[], at: Place, out: JsonPatchOperation[]): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && deepEqual(before[start], after[start])) start += 1;
  // In lists of equal length the pair at the start certainly differs.
  const mostTail = shorter - start - (before.length === after.length ? 1 : 0);
  let tail = 0;
  while (tail < mostTail && deepEqual(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail += 1;
  const removed = before.slice(start, before.length - tail);
  const come = after.slice(start, after.length - tail);
  let index = start;
  for (const stretch of align(removed, come)) {
    index = diffStretch(stretch, index, at, out);
  }
}

/** Elements of the old list that are replaced by elements of the new one. Between two ranges are `kept` equal elements. */
interface Stretch {
  readonly removed: readonly unknown[];
  readonly come: readonly unknown[];
  readonly kept: number;
}

/** Adds the operations of a range. @returns the index in the new list after the range */
function diffStretch({ removed, come, kept }: Stretch, start: number, at: Place, out: JsonPatchOperation[]): number {
  const paired = Math.min(removed.length, come.length);
  for (let i = 0; i < paired; i += 1) if (removed[i] !== come[i]) diff(removed[i], come[i], elementOf(at, start + i), out);
  const end = start + paired;
  for (let i = paired; i < removed.length; i += 1) out.push({ op: 'remove', path: elementOf(at, end).pointer });
  for (let i = paired; i < come.length; i += 1) out.push({ op: 'add', path: elementOf(at, start + i).pointer, value: come[i] });
  return start + come.length + kept;
}

function align(removed: readonly unknown[], come: readonly unknown[]): readonly Stretch[] {
  const cells = removed.length * come.length;
  if (cells > maxAlignment || cells <= 1) return [{ removed, come, kept: 0 }];
  const ids = new Map<string, number>();
  const idOf = (element: unknown): number => {
    // Not in canonical form, which costs many times as much: changed elements keep the order of their members.
    const text = stringifyLossless(element);
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
  const left = removed.map(idOf);
  const right = come.map(idOf);
  return stretches(removed, come, commonPairs(left, right));
}

/** Returns the longest common subsequence as pairs of indexes, ascending. */
function commonPairs(left: readonly number[], right: readonly number[]): readonly (readonly [number, number])[] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = left[i] === right[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

function stretches(
  removed: readonly unknown[],
  come: readonly unknown[],
  pairs: readonly (readonly [number, number])[],
): readonly Stretch[] {
  const result: Stretch[] = [];
  let [i, j] = [0, 0];
  for (const [left, right] of pairs) {
    result.push({ removed: removed.slice(i, left), come: come.slice(j, right), kept: 1 });
    [i, j] = [left + 1, right + 1];
  }
  result.push({ removed: removed.slice(i), come: come.slice(j), kept: 0 });
  return result;
}
