/** Fills in defaults: returns a copy with absent members set, and everything else, also members of another type than expected, unchanged. */
import { withMembers, type Members } from '../conversion/converter.ts';

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Sets those of `values` whose members are absent according to `isUnset`. The input itself when all are set. */
export function fill(members: Members, values: Members, isUnset: (value: unknown) => boolean): Members {
  const names = Object.keys(values).filter((name) => isUnset(members[name]));
  return names.length === 0 ? members : withMembers(members, Object.fromEntries(names.map((name) => [name, values[name]])));
}

/** Sets those of `values` whose members are absent or null. The input itself when all are set. */
export const fillAbsent = (members: Members, values: Members): Members => fill(members, values, isAbsent);

/** Sets those of `values` whose members are absent, null or the empty string: for strings where empty means absent. */
export const fillEmpty = (members: Members, values: Members): Members => fill(members, values, (value) => isAbsent(value) || value === '');
