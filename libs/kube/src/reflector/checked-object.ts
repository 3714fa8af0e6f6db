import type { KubeObject } from '@kruise/objects';
import { MalformedAnswer } from './watch-failure.ts';

/**
 * Returns the object after it has checked the fields that every object must have to be held. Readers check the rest.
 *
 * @throws {MalformedAnswer} for anything without metadata, name or resourceVersion
 */
export function checkedObject<T extends KubeObject>(object: T): T {
  const metadata: unknown = (object as T | undefined)?.metadata;
  if (typeof metadata !== 'object' || metadata === null) throw new MalformedAnswer('an object without metadata');
  const { name, resourceVersion } = metadata as Record<string, unknown>;
  if (typeof name !== 'string' || typeof resourceVersion !== 'string')
    throw new MalformedAnswer('an object without name or resourceVersion');
  return object;
}
