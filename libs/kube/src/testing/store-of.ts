import type { KubeObject, ResourceType } from '@kruise/objects';
import { SystemClock } from '../clock/system-clock.ts';
import type { IndexFunction } from '../store.ts';
import { ObjectStore } from '../store/object-store.ts';
import { silentLogger } from './silent-logger.ts';

/** Returns a store that holds these objects, as if a watch had shown them. */
export function storeOf<T extends KubeObject>(
  type: ResourceType<T>,
  objects: readonly KubeObject[],
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): ObjectStore<T> {
  const store = new ObjectStore<T>({ type, clock: new SystemClock(), logger: silentLogger(), indexes });
  for (const object of objects) store.observe(object as T);
  return store;
}
