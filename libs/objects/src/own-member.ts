/** Access to members with external names: `__proto__` must be a member like any other, never the prototype. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether the value is a JSON object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the own member; undefined for absent and for inherited ones. */
export const ownMember = (object: JsonObject, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

/** Returns the member at the end of a path of own members; undefined when the path leads through anything but an object. */
export const memberAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? ownMember(inner, name) : undefined), value);

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

/** Returns the objects of the list at a path; none for anything else. */
export function objectsAt(object: unknown, ...path: readonly string[]): readonly JsonObject[] {
  const value = memberAt(object, ...path);
  return Array.isArray(value) ? (value as unknown[]).filter(isJsonObject) : [];
}

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
