import { isJsonObject, setOwnMember } from '@kruise/objects';

/**
 * Returns a copy of JSON data that is deeply frozen, so that it can be shared. Parts that are frozen already are reused: for an object that was made
 * from a frozen one, only the new parts are copied.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((element: unknown) => frozenCopy(element))) as T;
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) setOwnMember(copy, name, frozenCopy(value[name]));
  return Object.freeze(copy) as T;
}
