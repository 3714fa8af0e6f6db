import { isJsonObject, setOwnMember } from '@kruise/objects';

/**
 * A copy of JSON data that is frozen all the way down, so that it can be shared. Parts that are frozen already are taken as they are: of an object
 * that was made from a frozen one only what is new is copied.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((element: unknown) => frozenCopy(element))) as T;
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) setOwnMember(copy, name, frozenCopy(value[name]));
  return Object.freeze(copy) as T;
}
