/**
 * Reads members of objects of any shape. Names may be external: `__proto__` must be a member like any other, never the prototype. No reader throws, and
 * a value of another type counts as absent.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether the value is a JSON object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether a value is absent as the API server's decoder sees it: null counts as absent. */
export const isUnset = (value: unknown): boolean => value === undefined || value === null;

/** Returns the own member; undefined for absent and for inherited ones. */
export const ownMember = (object: JsonObject, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

/** Returns the member at the end of a path of own members; undefined when the path leads through anything but an object. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  let inner: unknown = value;
  for (const name of path) inner = isJsonObject(inner) ? ownMember(inner, name) : undefined;
  return inner;
}

/** Returns the number at a path; undefined for anything else. */
export function numberAt(object: unknown, ...path: readonly string[]): number | undefined {
  const value = memberAt(object, ...path);
  return typeof value === 'number' ? value : undefined;
}

/** Returns the text at a path; undefined for anything else. */
export function stringAt(object: unknown, ...path: readonly string[]): string | undefined {
  const value = memberAt(object, ...path);
  return typeof value === 'string' ? value : undefined;
}

/** Returns the text at a path; '' for anything else. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  const value = memberAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

/** Returns the object at a path; undefined for anything else. */
export function objectAt(object: unknown, ...path: readonly string[]): JsonObject | undefined {
  const value = memberAt(object, ...path);
  return isJsonObject(value) ? value : undefined;
}

/** Returns the object at a path; an empty one for anything else. */
export const membersAt = (object: unknown, ...path: readonly string[]): JsonObject => objectAt(object, ...path) ?? {};

/** Returns the items of the list at a path; none for anything else. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = memberAt(object, ...path);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Returns the objects of the list at a path; none for anything else. */
export const objectsAt = (object: unknown, ...path: readonly string[]): readonly JsonObject[] =>
  listAt(object, ...path).filter(isJsonObject);

/** Assigns an own member with any name to an object that the caller is building. */
export function setOwnMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  else target[name] = value;
}

/** Returns a shallow copy that keeps a member called `__proto__`. */
export function shallowCopy(object: JsonObject): Record<string, unknown> {
  // Spread defines members instead of assigning them, so it is safe for every name.
  return { ...object };
}
