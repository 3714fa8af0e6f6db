/**
 * The rules of a kind: one list, from which admission takes what it refuses and what it warns of, and the controller what it cannot work with. A rule is
 * about one part of the object and finds faults of up to three severities:
 *
 * - `refuse`: admission refuses the object.
 * - `cannotWork`: an object that is stored nevertheless has the fault in its `Blocked` condition, its status or an event, and its controller does not act.
 * - `warn`: admission allows the object and warns.
 *
 * Each severity reports in the order of the list.
 */
import {
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  membersAt,
  memoized,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';

/** One rule. `R` is what the faults depend on besides the object, `W` what the warnings depend on. */
export interface KindRule<R = unknown, W = unknown> {
  /** Returns faults of an object of any shape. */
  readonly refuse?: (object: JsonObject, facts: R) => readonly FieldError[];
  /** Returns a fault, with field and value. Rules before it have found none, so it may rely on what they check. */
  readonly cannotWork?: (spec: JsonObject) => string | undefined;
  /** Returns warnings about an object of any shape. */
  readonly warn?: (object: JsonObject, facts: W) => string | readonly string[] | undefined;
}

/** Returns a `refuse` that checks `spec`, and finds nothing without one: {@link specRule} reports that. */
export const inSpec =
  <R>(find: (spec: JsonObject, facts: R) => readonly FieldError[]) =>
  ({ spec }: JsonObject, facts: R): readonly FieldError[] =>
    isJsonObject(spec) ? find(spec, facts) : [];

/** Returns a rule that warns about `spec`; an object without one is read as if it were empty. */
export const warnInSpec = <W>(warn: (spec: JsonObject, facts: W) => string | readonly string[] | undefined): KindRule<unknown, W> => ({
  warn: (object, facts) => warn(membersAt(object, 'spec'), facts),
});

/** Requires an object as `spec`. Controllers check this for all kinds. */
export const specRule: KindRule = {
  refuse: ({ spec }) => {
    if (isUnset(spec)) return [fieldRequired('spec')];
    return isJsonObject(spec) ? [] : [fieldTypeInvalid('spec', spec, 'must be an object')];
  },
};

/** Returns what admission refuses, in the order of the rules. Never throws. */
export const faultsOf = <R>(rules: readonly KindRule<R, never>[], object: JsonObject, facts: R): readonly FieldError[] =>
  rules.flatMap(({ refuse }) => refuse?.(object, facts) ?? []);

/** Returns what admission warns of, in the order of the rules. Never throws. */
export const warningsOf = <W>(rules: readonly KindRule<never, W>[], object: JsonObject, facts: W): readonly string[] =>
  rules.flatMap(({ warn }) => warn?.(object, facts) ?? []);

/**
 * Returns the check of stored objects: the first fault that its controller cannot work with, undefined when there is none.
 *
 * @remarks Only the `cannotWork` parts of the list run, once for each spec: controllers examine an object for every event.
 */
export function obstacleBy(rules: readonly KindRule<never, never>[]): (object: { readonly spec?: unknown }) => string | undefined {
  const checks = rules.flatMap(({ cannotWork }) => cannotWork ?? []);
  const find = memoized((spec: JsonObject): string | undefined => {
    for (const check of checks) {
      const why = check(spec);
      if (why !== undefined) return why;
    }
    return undefined;
  });
  return ({ spec }) => (isJsonObject(spec) ? find(spec) : 'spec: Required value: must be an object');
}
