/**
 * The building blocks of the rules for Pod templates.
 *
 * A {@link Check} examines one value of any origin: it reports a value of the wrong JSON type, never throws, and treats absent and null as unset (as
 * the API server's decoder does). A {@link Rule} examines members of one object together, through readers that treat a value of the wrong type as
 * unset, because its check has reported it already.
 */
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  listAt,
  mostListedErrors,
  textAt,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import type { PodFacts } from './pod-facts.ts';

/** One validation: the faults found, what is allowed, and what containers must know of their Pod. */
export interface Run {
  readonly faults: FieldError[];
  /** Whether `securityContext.privileged: true` is allowed. */
  readonly allowPrivileged: boolean;
  /** Minor version of the API server where Pods will be created: 34 for Kubernetes 1.34. Later features are refused as that server would. */
  readonly kubernetes: number;
  readonly pod: PodFacts;
}

/** For a server of an unknown version: everything that the newest one accepts is accepted. */
export const newestKubernetes = Infinity;

export type Check = (value: unknown, path: string, run: Run) => void;
export type Rule = (object: JsonObject, path: string, run: Run) => void;

/** Visits the objects of a list with their indexes. */
export function forEachObject(object: JsonObject, name: string, visit: (item: JsonObject, index: number) => void): void {
  listAt(object, name).forEach((item, index) => {
    if (isJsonObject(item)) visit(item, index);
  });
}

// Checks of one value.

const ofType =
  (type: 'string' | 'boolean', detail: string): Check =>
  (value, path, { faults }) => {
    if (!isUnset(value) && typeof value !== type) faults.push(fieldTypeInvalid(path, value, detail));
  };

export const anyText = ofType('string', 'must be a string');
export const bool = ofType('boolean', 'must be true or false');

/** Checks a string by a rule that returns its faults in words; an empty one counts as absent. */
export const textBy =
  (rule: (text: string) => readonly string[]): Check =>
  (value, path, run) => {
    if (typeof value !== 'string') anyText(value, path, run);
    else if (value !== '') for (const why of rule(value)) run.faults.push(fieldInvalid(path, value, why));
  };

/** Checks that a string is one of the list; an empty one counts as absent. */
export const oneOf =
  (...supported: readonly string[]): Check =>
  (value, path, run) => {
    if (typeof value !== 'string') anyText(value, path, run);
    else if (value !== '' && !supported.includes(value)) run.faults.push(fieldNotSupported(path, value, supported));
  };

/** Checks that a string is one of the list, for members that the API server distinguishes from absent ones when they are empty. */
export const oneOfNotEmpty =
  (...supported: readonly string[]): Check =>
  (value, path, run) => {
    if (value === '') run.faults.push(fieldNotSupported(path, '', supported));
    else if (!isUnset(value)) oneOf(...supported)(value, path, run);
  };

/** Checks a whole number; `detail` describes one outside the bounds. */
export const wholeNumber =
  (min: number | bigint, max: number | bigint, detail: string): Check =>
  (value, path, { faults }) => {
    if (isUnset(value)) return;
    const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
    if (!isWhole) faults.push(fieldTypeInvalid(path, value, 'must be an integer'));
    else if (value < min || value > max) faults.push(fieldInvalid(path, value, detail));
  };

const maxInt32 = 2147483647;

/** Checks an int32 of any sign. */
export const int32 = wholeNumber(-maxInt32 - 1, maxInt32, 'must be a 32-bit integer');
/** Checks an int64 of any sign. */
export const int64 = wholeNumber(-(2n ** 63n), 2n ** 63n - 1n, 'must be a 64-bit integer');
export const atLeast = (min: 0 | 1): Check =>
  wholeNumber(min, maxInt32, min === 0 ? 'must be greater than or equal to 0' : 'must be greater than zero');
export const between = (min: number, max: number): Check =>
  wholeNumber(min, max, `must be between ${String(min)} and ${String(max)}, inclusive`);
/** Checks the mode of a file. */
export const fileMode: Check = wholeNumber(0, 0o777, 'must be a number between 0 and 0777 (octal), both inclusive');

/** Accepts any JSON. */
export const anything: Check = () => undefined;

// Checks of lists, maps and objects.

export const listOf =
  (check: Check): Check =>
  (value, path, run) => {
    if (isUnset(value)) return;
    if (!Array.isArray(value)) run.faults.push(fieldTypeInvalid(path, value, 'must be a list'));
    else for (let i = 0; i < value.length && mayFindMore(run); i += 1) check(value[i], `${path}[${String(i)}]`, run);
  };

/** Returns whether more faults may be listed. Further ones would not be read, and an object may contain millions. */
const mayFindMore = ({ faults }: Run): boolean => faults.length <= mostListedErrors;

/** Checks a list whose items must be objects: null is refused. */
export const objectsOf = (check: Check): Check =>
  listOf((item, path, run) => {
    if (isUnset(item)) run.faults.push(fieldTypeInvalid(path, item, 'must be an object'));
    else check(item, path, run);
  });

/** Null equals the empty string. */
export const textList = listOf(anyText);

/** Checks a map; `entry` checks each key and value. */
export const mapOf =
  (entry: (key: string, value: unknown, at: { readonly path: string; readonly run: Run }) => void): Check =>
  (value, path, run) => {
    if (isUnset(value)) return;
    if (!isJsonObject(value)) run.faults.push(fieldTypeInvalid(path, value, 'must be an object'));
    else
      for (const key of Object.keys(value)) {
        if (!mayFindMore(run)) return;
        entry(key, value[key], { path, run });
      }
  };

export const textMap = mapOf((key, value, { path, run }) => {
  if (typeof value !== 'string') run.faults.push(fieldTypeInvalid(`${path}[${key}]`, value, 'must be a string'));
});

/** Checks an object: each known member by its check, unknown ones are ignored; then the rules, in order. */
export function objectOf(members: Readonly<Record<string, Check>>, ...rules: readonly Rule[]): Check {
  const checks = new Map(Object.entries(members));
  return (value, path, run) => {
    if (isUnset(value)) return;
    if (!isJsonObject(value)) {
      run.faults.push(fieldTypeInvalid(path, value, 'must be an object'));
      return;
    }
    for (const name of Object.keys(value)) checks.get(name)?.(value[name], `${path}.${name}`, run);
    for (const rule of rules) rule(value, path, run);
  };
}

// Rules that many objects have.

/** Requires members; an empty string counts as absent, a value of the wrong type does not. */
export const required =
  (...names: readonly string[]): Rule =>
  (object, path, { faults }) => {
    for (const name of names) if (isUnset(object[name]) || object[name] === '') faults.push(fieldRequired(`${path}.${name}`));
  };

/** Requires lists with an item. */
export const requiredList =
  (...names: readonly string[]): Rule =>
  (object, path, { faults }) => {
    for (const name of names) {
      const value = object[name];
      if (isUnset(value) || (Array.isArray(value) && value.length === 0)) faults.push(fieldRequired(`${path}.${name}`));
    }
  };

/** Returns which of `names` are set, in the order of `names`. */
export const given = (object: JsonObject, names: readonly string[]): readonly string[] => names.filter((name) => !isUnset(object[name]));

/** Requires exactly one of `names`: none is reported at the object, every further one at itself. */
export const exactlyOne =
  (names: readonly string[], whenNone: string, whenMany: string): Rule =>
  (object, path, { faults }) => {
    const [first, ...further] = given(object, names);
    if (first === undefined) faults.push(fieldRequired(path, whenNone));
    for (const name of further) faults.push(fieldForbidden(`${path}.${name}`, whenMany));
  };

/** Adds a rule after a check, for objects whose shape and meaning are separate. */
export const withRule =
  (check: Check, rule: Rule): Check =>
  (value, path, run) => {
    check(value, path, run);
    if (isJsonObject(value)) rule(value, path, run);
  };

/** Requires different names of the items of a list. */
export const uniqueIn =
  (list: string, member: string): Rule =>
  (holder, path, { faults }) => {
    const seen = new Set<string>();
    forEachObject(holder, list, (item, i) => {
      const name = textAt(item, member);
      if (name !== '' && seen.has(name)) faults.push(fieldDuplicate(`${path}.${list}[${String(i)}].${member}`, name));
      seen.add(name);
    });
  };
