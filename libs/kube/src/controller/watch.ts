import type { KubeObject, Milliseconds, ObjectKey } from '@kruise/objects';
import type { StoreEvent, StoreListener } from '../store.ts';

/** A key to reconcile, now or after a delay. */
export type Request = ObjectKey | { readonly key: ObjectKey; readonly after: Milliseconds };

/** A source of events for a controller: an informer, or a store with its reflector. */
export interface WatchSource<T extends KubeObject> {
  /** Subscribes a listener, which receives each existing object first and then every change. */
  subscribe(listener: StoreListener<T>): () => void;
  /** Resolves when the first list is complete. Rejects when `signal` aborts. */
  waitForSync(signal: AbortSignal): Promise<void>;
}

/** One watch of a controller, for any kind of objects. Created by {@link watch}. */
export interface Watch {
  /**
   * Starts the watch.
   *
   * @param take receives the requests of one event and whether the event belongs to the initial list
   */
  start(
    take: (requests: readonly Request[], initial: boolean) => void,
    onFailure: (error: unknown, object: KubeObject) => void,
  ): () => void;
  waitForSync(signal: AbortSignal): Promise<void>;
}

/**
 * Combines a source with the rule that returns the keys of an event.
 *
 * @param toKeys pure; returns an empty list for an event that concerns no key. When it throws, the event is lost for this controller: it is logged
 * and counted as a panic, and other events continue
 */
export function watch<T extends KubeObject>(source: WatchSource<T>, toKeys: (event: StoreEvent<T>) => readonly Request[]): Watch {
  return {
    start: (take, onFailure) =>
      source.subscribe((event) => {
        let requests: readonly Request[];
        try {
          requests = toKeys(event);
        } catch (error) {
          onFailure(error, event.object);
          return;
        }
        if (requests.length > 0) take(requests, event.kind === 'Added' && event.initial);
      }),
    waitForSync: (signal) => source.waitForSync(signal),
  };
}

/** A store and the reflector that fills it: an `Informer`, or a substitute for one. */
interface InformerSource<T extends KubeObject> {
  readonly store: Pick<WatchSource<T>, 'subscribe'>;
  readonly reflector: Pick<WatchSource<T>, 'waitForSync'>;
}

/** Returns a {@link watch} of an informer: the events of its store, synced when its reflector is. */
export const watchInformer = <T extends KubeObject>(
  informer: InformerSource<T>,
  toKeys: (event: StoreEvent<T>) => readonly Request[],
): Watch =>
  watch(
    { subscribe: (listener) => informer.store.subscribe(listener), waitForSync: (signal) => informer.reflector.waitForSync(signal) },
    toKeys,
  );

/**
 * Reports every change and enqueues nothing: for state that a controller keeps besides its queue, such as which Pod was deleted last. The controller
 * waits for the cache.
 *
 * @param effect must not throw
 */
export const onEvent = <T extends KubeObject>(informer: InformerSource<T>, effect: StoreListener<T>): Watch => ({
  start: () => informer.store.subscribe(effect),
  waitForSync: (signal) => informer.reflector.waitForSync(signal),
});
