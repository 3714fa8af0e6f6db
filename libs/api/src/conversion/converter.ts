/**
 * The parts of a kind's conversion between v1alpha1 and v1beta1 (the hub).
 *
 * A converter receives and returns whole objects as plain JSON. It never writes to its input (the result shares unchanged parts), copies every
 * unknown member, and changes nothing in `metadata` except labels and annotations, which is all the API server accepts. Members of an unexpected type
 * are copied unchanged: they affect only their own object.
 */
import type { JsonObject } from '@kruise/objects';

/** The members of the object in the other version, or why it has no such form. */
export type Conversion =
  { readonly kind: 'Converted'; readonly object: JsonObject } | { readonly kind: 'Failed'; readonly message: string };

/** Both directions of one kind; the caller sets `apiVersion`. */
export interface Converter {
  readonly group: string;
  readonly kind: string;
  /** v1alpha1 to v1beta1. */
  toHub(object: JsonObject): Conversion;
  /** v1beta1 to v1alpha1. */
  fromHub(object: JsonObject): Conversion;
}

export const converted = (object: JsonObject): Conversion => ({ kind: 'Converted', object });
export const failed = (message: string): Conversion => ({ kind: 'Failed', message });

/** Returns a converter for a kind whose two versions have the same members. */
export const sameInBothVersions = (group: string, kind: string): Converter => ({ group, kind, toHub: converted, fromHub: converted });

/** Splits `object` into the members that `names` lists (null counts as absent) and the rest. */
export function split(object: JsonObject, names: readonly string[]): { readonly picked: JsonObject; readonly rest: JsonObject } {
  const listed = new Set(names);
  const picked: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (!listed.has(name)) rest[name] = value;
    else if (value !== null) picked[name] = value;
  }
  return { picked, rest };
}
