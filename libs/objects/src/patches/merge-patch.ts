/** JSON merge patch (RFC 7386): null deletes, lists are replaced whole. */
import { deepEqual } from '../json/equality.ts';
import { isJsonObject, ownMember, setOwnMember, shallowCopy, type JsonObject } from '../json/own-member.ts';

/**
 * Returns the smallest merge patch from one object to the other; `{}` when they are equal.
 *
 * @remarks A member that is null in `modified` cannot be expressed: the patch deletes it.
 */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(original)) {
    if (original[name] !== undefined && ownMember(modified, name) === undefined) setOwnMember(patch, name, null);
  }
  for (const name of Object.keys(modified)) {
    const after = modified[name];
    if (after === undefined) continue;
    const before = ownMember(original, name);
    if (deepEqual(before, after)) continue;
    setOwnMember(patch, name, isJsonObject(before) && isJsonObject(after) ? createMergePatch(before, after) : after);
  }
  return patch;
}

/** Applies a merge patch. @returns a new value that shares unchanged parts; the target itself when the patch changes nothing */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const base = isJsonObject(target) ? target : {};
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(patch)) {
    const before = ownMember(base, name);
    const after = patch[name] === null ? undefined : applyMergePatch(before, patch[name]);
    if (after === before) continue;
    result ??= shallowCopy(base);
    if (after === undefined) Reflect.deleteProperty(result, name);
    else setOwnMember(result, name, after);
  }
  return result ?? (base === target ? target : {});
}
