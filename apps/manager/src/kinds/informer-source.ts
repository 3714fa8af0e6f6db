/** An informer as a controller watches it: changes from its store, the first complete list from its reflector. */
import type { Informer, WatchSource } from '@kruise/kube';
import type { KubeObject } from '@kruise/objects';

export const sourceOf = <T extends KubeObject>({ store, reflector }: Informer<T>): WatchSource<T> => ({
  subscribe: (listener) => store.subscribe(listener),
  waitForSync: (signal) => reflector.waitForSync(signal),
});
