/**
 * The parts of a kind's conversion between v1alpha1 and v1beta1 (the hub).
 *
 * A converter receives and returns whole objects as plain JSON. It never writes to its input (the result shares unchanged parts), copies every
 * unknown member, and changes nothing in `metadata` except labels and annotations, which is all the API server accepts. Members of an unexpected type
 * are copied unchanged: they affect only their own object.
 */

/** A JSON object of which only some members are known. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of the object in the other version, or why it has no such form. */
export type Conversion = { readonly kind: 'Converted'; readonly object: Members } | { readonly kind: 'Failed'; readonly message: string };

/** Both directions of one kind; the caller sets `apiVersion`. */
export interface Converter {
  readonly group: string;
  readonly kind: string;
  /** v1alpha1 to v1beta1. */
  toHub(object: Members): Conversion;
  /** v1beta1 to v1alpha1. */
  fromHub(object: Members): Conversion;
}

export const converted = (object: Members): Conversion => ({ kind: 'Converted', object });
export const failed = (message: string): Conversion => ({ kind: 'Failed', message });

/** Returns a converter for a kind whose two versions have the same members. */
export const sameInBothVersions = (group: string, kind: string): Converter => ({ group, kind, toHub: converted, fromHub: converted });

export const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the object at `name`, or an empty one when it is absent or of another type. */
export function membersAt(object: Members, name: string): Members {
  const value = object[name];
  return isMembers(value) ? value : {};
}

/** Returns a copy with `changes` set; a change to undefined removes the member. The input itself when nothing differs. */
export function withMembers(object: Members, changes: Members): Members {
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(changes)) {
    const value = changes[name];
    if (object[name] === value && (value !== undefined || !(name in object))) continue;
    result ??= { ...object };
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result ?? object;
}

/** Replaces the object at `name` by the result of `change` ({} when it is absent); an empty or undefined result removes it. */
export function changeMember(object: Members, name: string, change: (members: Members) => Members | undefined): Members {
  const before = object[name];
  if (before !== undefined && before !== null && !isMembers(before)) return object;
  const after = change(membersAt(object, name));
  if (after === before) return object;
  return withMembers(object, { [name]: after === undefined || Object.keys(after).length === 0 ? undefined : after });
}

/** Splits `object` into the members that `names` lists (null counts as absent) and the rest. */
export function split(object: Members, names: readonly string[]): { readonly picked: Members; readonly rest: Members } {
  const listed = new Set(names);
  const picked: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (!listed.has(name)) rest[name] = value;
    else if (value !== null) picked[name] = value;
  }
  return { picked, rest };
}

export type StringMapMember = 'labels' | 'annotations';

/** Returns the label or annotation `key` of an object; undefined when it is absent or no string. */
export function metadataValue(object: Members, where: StringMapMember, key: string): string | undefined {
  const value = membersAt(membersAt(object, 'metadata'), where)[key];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a copy with labels or annotations set, or removed when the value is undefined. */
export const withMetadataValues = (
  object: Members,
  where: StringMapMember,
  values: Readonly<Record<string, string | undefined>>,
): Members =>
  Object.keys(values).length === 0
    ? object
    : changeMember(object, 'metadata', (metadata) => changeMember(metadata, where, (present) => withMembers(present, values)));

/** Parses a decimal int32 as Go's `strconv.ParseInt(text, 10, 32)` does. */
export function parseInt32(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= -2147483648 && value <= 2147483647 ? value + 0 : undefined;
}

/** Returns the words of a comma-separated list, trimmed, without empty ones, in their order. */
export const splitWords = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
