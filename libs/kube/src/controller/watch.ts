import type { KubeObject, Milliseconds, ObjectKey } from '@kruise/objects';
import type { StoreEvent, StoreListener } from '../store.ts';

/** A key to reconcile, now or after a while. */
export type Request = ObjectKey | { readonly key: ObjectKey; readonly after: Milliseconds };

/** What a controller watches: an informer, or a store with its reflector. */
export interface WatchSource<T extends KubeObject> {
  /** The listener hears of every change, and first of each object that is there already. */
  subscribe(listener: StoreListener<T>): () => void;
  /** Resolves when the first complete list is in; rejects when `signal` aborts. */
  waitForSync(signal: AbortSignal): Promise<void>;
}

/** One watch of a controller, whatever the kind of its objects; made by {@link watch}. */
export interface Watch {
  /** @param take gets the requests of one event and whether the event belongs to the initial list */
  start(
    take: (requests: readonly Request[], initial: boolean) => void,
    onFailure: (error: unknown, object: KubeObject) => void,
  ): () => void;
  waitForSync(signal: AbortSignal): Promise<void>;
}

/**
 * Joins a source with the rule that says whom an event wakes.
 *
 * @param toKeys pure; an empty list is an event that concerns nobody. When it throws, the event is lost for this controller: it is logged
 *   and counted as a panic, other events go on
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

/** A store and the reflector that feeds it: an `Informer`, or what stands for one. */
interface InformerSource<T extends KubeObject> {
  readonly store: Pick<WatchSource<T>, 'subscribe'>;
  readonly reflector: Pick<WatchSource<T>, 'waitForSync'>;
}

/** {@link watch} of an informer: the events of its store, synced when its reflector is. */
export const watchInformer = <T extends KubeObject>(
  informer: InformerSource<T>,
  toKeys: (event: StoreEvent<T>) => readonly Request[],
): Watch =>
  watch(
    { subscribe: (listener) => informer.store.subscribe(listener), waitForSync: (signal) => informer.reflector.waitForSync(signal) },
    toKeys,
  );

/**
 * Tells of every change and wakes nobody: for what a controller keeps beside its queue, such as which Pod went last. The cache is waited for.
 *
 * @param effect must not throw
 */
export const onEvent = <T extends KubeObject>(informer: InformerSource<T>, effect: StoreListener<T>): Watch => ({
  start: () => informer.store.subscribe(effect),
  waitForSync: (signal) => informer.reflector.waitForSync(signal),
});
