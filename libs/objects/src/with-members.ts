/** Changes members of objects of any shape. Nothing here writes to its input; the result shares unchanged parts. */
import { isJsonObject, membersAt, type JsonObject } from './json/own-member.ts';

/** Returns a copy with `changes` set; a change to undefined removes the member. The input itself when nothing differs. */
export function withMembers(object: JsonObject, changes: JsonObject): JsonObject {
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
export function changeMember(object: JsonObject, name: string, change: (members: JsonObject) => JsonObject | undefined): JsonObject {
  const before = object[name];
  if (before !== undefined && before !== null && !isJsonObject(before)) return object;
  const after = change(membersAt(object, name));
  if (after === before) return object;
  return withMembers(object, { [name]: after === undefined || Object.keys(after).length === 0 ? undefined : after });
}

type StringMapMember = 'labels' | 'annotations';

/** Returns the label or annotation `key` of an object; undefined when it is absent or no string. */
export function metadataValue(object: JsonObject, where: StringMapMember, key: string): string | undefined {
  const value = membersAt(membersAt(object, 'metadata'), where)[key];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a copy with labels or annotations set, or removed when the value is undefined. */
export const withMetadataValues = (
  object: JsonObject,
  where: StringMapMember,
  values: Readonly<Record<string, string | undefined>>,
): JsonObject =>
  Object.keys(values).length === 0
    ? object
    : changeMember(object, 'metadata', (metadata) => changeMember(metadata, where, (present) => withMembers(present, values)));
