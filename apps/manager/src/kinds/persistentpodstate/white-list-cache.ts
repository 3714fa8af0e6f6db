/** The white list of workloads as the cache has it. @see spec/persistentpodstate.md 3 */
import { configuration } from '@kruise/api';
import type { Informer } from '@kruise/kube';
import { configMaps, type ConfigMap } from '@kruise/objects';
import type { Caches } from '../../caches/caches.ts';
import { readWhiteList, type WhiteListReading } from '../../workloads/finder/index.ts';

/** The shared ConfigMap alone is held. */
export const configurationOf = (caches: Caches, podNamespace: string): Informer<ConfigMap> =>
  caches.part(configMaps, { namespace: podNamespace, fieldSelector: `metadata.name=${configuration.name}` });

export interface WhiteListCache {
  /** What is known now. */
  reading(): WhiteListReading;
  waitForSync(signal: AbortSignal): Promise<void>;
}

export function whiteListOf(caches: Caches, podNamespace: string): WhiteListCache {
  const { store, reflector } = configurationOf(caches, podNamespace);
  const key = { namespace: podNamespace, name: configuration.name };
  let last: { readonly of: ConfigMap | undefined; readonly reading: WhiteListReading } | undefined;
  return {
    reading: () => {
      const held = store.get(key);
      if (last === undefined || last.of !== held) last = { of: held, reading: readWhiteList(held) };
      return last.reading;
    },
    waitForSync: (signal) => (store.synced ? Promise.resolve() : reflector.waitForSync(signal)),
  };
}
