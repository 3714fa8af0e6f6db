/** Fills in defaults: returns a copy with absent members set, and everything else, also members of another type than expected, unchanged. */
import { isUnset, withMembers, type JsonObject } from '@kruise/objects';

/** Sets those of `values` whose members are absent according to `isAbsent`. The input itself when all are set. */
export function fill(members: JsonObject, values: JsonObject, isAbsent: (value: unknown) => boolean): JsonObject {
  const names = Object.keys(values).filter((name) => isAbsent(members[name]));
  return names.length === 0 ? members : withMembers(members, Object.fromEntries(names.map((name) => [name, values[name]])));
}

/** Sets those of `values` whose members are absent or null. The input itself when all are set. */
export const fillAbsent = (members: JsonObject, values: JsonObject): JsonObject => fill(members, values, isUnset);

/** Sets those of `values` whose members are absent, null or the empty string: for strings where empty means absent. */
export const fillEmpty = (members: JsonObject, values: JsonObject): JsonObject =>
  fill(members, values, (value) => isUnset(value) || value === '');
