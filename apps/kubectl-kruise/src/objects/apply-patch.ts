/** What `kubectl apply` changes in an object of a custom kind: fields of the file, and fields that an earlier file had. */
import { applyMergePatch, createMergePatch, isJsonObject, parseLossless, type JsonObject } from '@kruise/objects';
import type { Untyped } from './untyped.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function formerFile(live: Untyped): JsonObject {
  const text = live.metadata.annotations?.[lastApplied];
  if (text === undefined) return {};
  try {
    const parsed = parseLossless(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The members of a merge patch that remove something. */
function removals(patch: JsonObject): JsonObject {
  const kept = Object.entries(patch).flatMap(([name, value]): [string, unknown][] => {
    if (value === null) return [[name, null]];
    const inner = isJsonObject(value) ? removals(value) : {};
    return Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(kept);
}

/** Returns the patch that turns the live object into what the file requests; fields of other writers stay. */
export function applyPatch(live: Untyped, file: Untyped): JsonObject {
  const { status: _status, ...given } = file;
  const former = formerFile(live);
  const removed = removals(createMergePatch(former, given));
  return merged(removed, given);
}

/** Merges two patches; nulls of the second one stay nulls. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const all = new Set([...Object.keys(first), ...Object.keys(second)]);
  const members = [...all].map((name): [string, unknown] => {
    const [a, b] = [first[name], second[name]];
    return [name, b === undefined ? a : isJsonObject(a) && isJsonObject(b) ? merged(a, b) : b];
  });
  return Object.fromEntries(members);
}

/** Returns the live object after the patch. */
export const patchedLocally = (live: Untyped, patch: JsonObject): Untyped => applyMergePatch(live, patch) as never;
