/** Changes below the top of an object, without writing to it. Values of another type than expected are unchanged. */
import { isMembers, withMembers, type Members } from './converter.ts';

/** Renames the member `from` to `to`; an existing member with that name is replaced. The input itself when `from` is absent. */
export const renameMember = (members: Members, from: string, to: string): Members =>
  members[from] === undefined ? members : withMembers(members, { [from]: undefined, [to]: members[from] });

/** Changes the object at `name` when there is one; unlike `changeMember` it creates none and removes none. */
export function mapMember(members: Members, name: string, change: (inner: Members) => Members): Members {
  const inner = members[name];
  return isMembers(inner) ? withMembers(members, { [name]: change(inner) }) : members;
}

/** Changes every object of the list at `name`. */
export function mapItems(members: Members, name: string, change: (item: Members) => Members): Members {
  const items = members[name];
  return Array.isArray(items) ? withMembers(members, { [name]: mapList(items, change) }) : members;
}

/** Changes every object of a list; the list itself when none differs. */
export function mapList(items: readonly unknown[], change: (item: Members) => Members): readonly unknown[] {
  const after = items.map((item) => (isMembers(item) ? change(item) : item));
  return after.every((item, index) => item === items[index]) ? items : after;
}

/** Returns the object without the member `name` when it is an empty list or object. */
export function withoutEmpty(members: Members, ...names: readonly string[]): Members {
  const empty = names.filter((name) => isEmpty(members[name]));
  return empty.length === 0 ? members : withMembers(members, Object.fromEntries(empty.map((name) => [name, undefined])));
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isMembers(value) && Object.keys(value).length === 0;
