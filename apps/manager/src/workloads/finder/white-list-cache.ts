/** A white list of workloads as the cache has it. @see spec/manager.md 5.9 */
import { configuration } from '@kruise/api';
import type { Informer } from '@kruise/kube';
import { configMaps, type ConfigMap } from '@kruise/objects';
import type { Caches } from '../../caches/caches.ts';
import { readWhiteList, type WhiteListReading } from '@kruise/workloads';

/** The shared ConfigMap alone is held. */
export const configurationOf = (caches: Caches, podNamespace: string): Informer<ConfigMap> =>
  caches.part(configMaps, { namespace: podNamespace, fieldSelector: `metadata.name=${configuration.name}` });

export interface WhiteListCache {
  /** Whether the ConfigMap has been read, or is known not to be there. */
  readonly synced: boolean;
  /** What is known now. */
  reading(): WhiteListReading;
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Calls `changed` whenever the ConfigMap has become another. */
  subscribe(changed: () => void): void;
}

/** @param listKey of the list in the ConfigMap */
export function whiteListOf(caches: Caches, podNamespace: string, listKey: string): WhiteListCache {
  const { store, reflector } = configurationOf(caches, podNamespace);
  const key = { namespace: podNamespace, name: configuration.name };
  let last: { readonly of: ConfigMap | undefined; readonly reading: WhiteListReading } | undefined;
  return {
    get synced() {
      return store.synced;
    },
    reading: () => {
      const held = store.get(key);
      if (last === undefined || last.of !== held) last = { of: held, reading: readWhiteList(held, listKey) };
      return last.reading;
    },
    waitForSync: (signal) => (store.synced ? Promise.resolve() : reflector.waitForSync(signal)),
    subscribe: (changed) => void store.subscribe(changed),
  };
}
