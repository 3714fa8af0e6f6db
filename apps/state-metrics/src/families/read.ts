/** Reads members of objects that no schema was checked for. None of these functions throws. */
import { parseTime, type KubeObject } from '@kruise/objects';
import type { Path } from './family.ts';

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own member of a value; undefined when the value has no members. */
const member = (value: unknown, name: string): unknown => (isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined);

/** The value at a path; undefined when a member on the way is missing. null counts as missing. */
export function valueAt(object: unknown, path: Path): unknown {
  let value: unknown = object;
  for (const name of path) value = member(value, name);
  return value ?? undefined;
}

/** A whole or fractional number; int64 values beyond 2^53 lose their last digits, as in every gauge. */
export function numberAt(object: unknown, path: Path): number | undefined {
  const value = valueAt(object, path);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A text; '' when there is none. */
export function textAt(object: unknown, path: Path): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** A number or a text as text, as Go prints an IntOrString; undefined when there is neither. */
export function intOrStringAt(object: unknown, path: Path): string | undefined {
  const value = valueAt(object, path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** The items of a list; none when there is no list. */
export function itemsAt(object: unknown, path: Path): readonly unknown[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The members of a map with values that are texts; empty when there is no map. */
export function textsAt(object: unknown, path: Path): readonly (readonly [key: string, value: string])[] {
  const value = valueAt(object, path);
  if (!isMembers(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** How many members a map has. */
export function sizeAt(object: unknown, path: Path): number {
  const value = valueAt(object, path);
  return isMembers(value) ? Object.keys(value).length : 0;
}

/** Whole seconds since the epoch of an RFC 3339 time. */
export function secondsAt(object: KubeObject, path: Path): number | undefined {
  const at = parseTime(textAt(object, path));
  return at === undefined ? undefined : Math.floor(at / 1000);
}
