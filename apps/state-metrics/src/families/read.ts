/** Reads members of objects that no schema was checked for. None of these functions throws. */
import { memberAt, membersAt, parseTime, textAt, type KubeObject } from '@kruise/objects';
import type { Path } from './family.ts';

/** The value at a path; undefined when a member on the way is missing. null counts as missing. */
export function valueAt(object: unknown, path: Path): unknown {
  return memberAt(object, ...path) ?? undefined;
}

/** The value of a gauge: a whole or fractional number; int64 values beyond 2^53 lose their last digits, as in every gauge. */
export function gaugeAt(object: unknown, path: Path): number | undefined {
  const value = valueAt(object, path);
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A number or a text as text, as Go prints an IntOrString; undefined when there is neither. */
export function intOrStringAt(object: unknown, path: Path): string | undefined {
  const value = valueAt(object, path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** The members of a map with values that are texts; empty when there is no map. */
export function textsAt(object: unknown, path: Path): readonly (readonly [key: string, value: string])[] {
  return Object.entries(membersAt(object, ...path)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** How many members a map has. */
export function sizeAt(object: unknown, path: Path): number {
  return Object.keys(membersAt(object, ...path)).length;
}

/** Whole seconds since the epoch of an RFC 3339 time. */
export function secondsAt(object: KubeObject, path: Path): number | undefined {
  const at = parseTime(textAt(object, ...path));
  return at === undefined ? undefined : Math.floor(at / 1000);
}
