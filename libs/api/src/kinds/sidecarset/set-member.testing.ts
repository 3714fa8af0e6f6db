/** Changes one member deep in an object, for tests of faults in valid objects. */
import type { JsonObject } from '@kruise/objects';

/** Sets a member. @param path such as `spec.containers.0.image` @param value undefined removes the member */
export function setMember(object: JsonObject, path: string, value: unknown): JsonObject {
  const copy = structuredClone(object) as Record<string, unknown>;
  const parts = path.split('.');
  const last = parts.pop() as string;
  const holder = parts.reduce<Record<string, unknown>>((inner, part) => (inner[part] ??= {}) as Record<string, unknown>, copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
