/** Changes below the top of an object, without writing to it. Values of another type than expected are unchanged. */
import { isJsonObject, withMembers, type JsonObject } from '@kruise/objects';

/** Renames the member `from` to `to`; an existing member with that name is replaced. The input itself when `from` is absent. */
export const renameMember = (members: JsonObject, from: string, to: string): JsonObject =>
  members[from] === undefined ? members : withMembers(members, { [from]: undefined, [to]: members[from] });

/** Changes the object at `name` when there is one; unlike `changeMember` it creates none and removes none. */
export function mapMember(members: JsonObject, name: string, change: (inner: JsonObject) => JsonObject): JsonObject {
  const inner = members[name];
  return isJsonObject(inner) ? withMembers(members, { [name]: change(inner) }) : members;
}

/** Changes every object of the list at `name`. */
export function mapItems(members: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const items = members[name];
  return Array.isArray(items) ? withMembers(members, { [name]: mapList(items, change) }) : members;
}

/** Changes every object of a list; the list itself when none differs. */
export function mapList(items: readonly unknown[], change: (item: JsonObject) => JsonObject): readonly unknown[] {
  const after = items.map((item) => (isJsonObject(item) ? change(item) : item));
  return after.every((item, index) => item === items[index]) ? items : after;
}

/** Returns the object without the member `name` when it is an empty list or object. */
export function withoutEmpty(members: JsonObject, ...names: readonly string[]): JsonObject {
  const empty = names.filter((name) => isEmpty(members[name]));
  return empty.length === 0 ? members : withMembers(members, Object.fromEntries(empty.map((name) => [name, undefined])));
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
