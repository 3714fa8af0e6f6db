/** What other clients change in an object, as a list of its members. */
import { deepEqual, isJsonObject, ownMember, setOwnMember, type JsonObject } from '@kruise/objects';
import { mergePatchAt } from '../../objects/untyped.ts';

/** One member that another client changed. A list is one member. */
export interface MemberChange {
  readonly path: readonly string[];
  /** Absent when the member did not exist. */
  readonly from?: unknown;
  /** Absent when the member was removed. */
  readonly to?: unknown;
}

/** Returns the changes from one object to the other, in the order of the members of the first, then of the second. */
export function changesBetween(before: JsonObject, after: JsonObject, path: readonly string[] = []): readonly MemberChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [from, to] = [ownMember(before, name), ownMember(after, name)];
    const inner = [...path, name];
    if (deepEqual(from, to)) return [];
    if (isJsonObject(from) && isJsonObject(to)) return changesBetween(from, to, inner);
    return [{ path: inner, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}

/** Returns the merge patch that carries out the changes: a member that was removed is null. */
export const patchOf = (changes: readonly MemberChange[]): JsonObject =>
  changes.reduce<JsonObject>((all, { path, to = null }) => combinePatches(all, mergePatchAt(path, to)), {});

/** Returns the merge patch with the effect of two, one after the other. */
export function combinePatches(first: JsonObject, second: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const before = ownMember(result, name);
    setOwnMember(result, name, isJsonObject(before) && isJsonObject(value) ? combinePatches(before, value) : value);
  }
  return result;
}
