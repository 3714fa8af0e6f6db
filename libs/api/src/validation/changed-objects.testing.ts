/** Objects with single values changed, for the tests of validation. */
import { setIn, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';

/** Sets a value in an object; in the default object if none is given. @param path with dots; numbers are indexes of lists */
export type SetValue = (path: string, value: unknown, object?: JsonObject) => JsonObject;

/** Returns how a test changes its objects. */
export const havingIn =
  (bare: JsonObject): SetValue =>
  (path, value, object = bare) =>
    setIn<JsonObject>(
      object,
      path.split('.').map((part): string | number => (/^\d+$/.test(part) ? Number(part) : part)),
      value,
    );

/** Returns the path of an object, and those of its members. */
export const members = (path: string, ...names: readonly string[]): readonly string[] => [path, ...names.map((name) => `${path}.${name}`)];

const set = havingIn({});

/** A change below a missing member, or below what another change has replaced, is skipped. */
const changed = (object: JsonObject, [path, value]: readonly [string, unknown]): JsonObject => {
  try {
    return set(path, value, object);
  } catch {
    return object;
  }
};

/** What {@link changedObjects} generates. */
interface Changes {
  readonly of: readonly JsonObject[];
  readonly paths: readonly string[];
  readonly values: fc.Arbitrary<unknown>;
  /** Number of changes of an object: 0 by default, and at most 2. */
  readonly minLength?: number;
}

/** Generates objects, each with up to two changes. */
export const changedObjects = ({ of, paths, values, minLength = 0 }: Changes): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(fc.constantFrom(...of), fc.array(fc.tuple(fc.constantFrom(...paths), values), { minLength, maxLength: 2 }))
    .map(([object, changes]) => changes.reduce(changed, object));
