/** The list and watch calls of one kind, as its reflectors see them: counted, from the cache when that is requested, and of one shard only. */
import { isNotServed, type Client, type ListOptions, type ObjectList, type WatchEvent, type WatchOptions } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';

type Calls = Pick<Client, 'list' | 'watch'>;

export interface CallRecorder {
  readonly listed: (result: 'success' | 'error') => void;
  readonly watched: (result: 'success' | 'error') => void;
}

export interface ListWatchOptions {
  readonly client: Calls;
  readonly record: CallRecorder;
  readonly useCache: boolean;
  /** Whether an object belongs to the shard; all do when absent. */
  readonly keeps?: (uid: string) => boolean;
  /** Called when nothing is served at the path of the kind any more. */
  readonly onNotServed: () => void;
}

export class ListWatch implements Calls {
  readonly #options: ListWatchOptions;

  constructor(options: ListWatchOptions) {
    this.#options = options;
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions<T> = {}): Promise<ObjectList<T>> {
    const { client, record, useCache } = this.#options;
    const { onItem, ...rest } = options;
    const cached = useCache && rest.continue === undefined ? { resourceVersion: '0' } : {};
    try {
      const answer = await client.list<T>(type, {
        ...rest,
        ...cached,
        ...(onItem === undefined ? {} : { onItem: (item: T) => (this.#keeps(item) ? onItem(item) : undefined) }),
      });
      record.listed('success');
      return { ...answer, items: answer.items.filter((item) => this.#keeps(item)) };
    } catch (error) {
      if (options.signal?.aborted !== true) record.listed('error');
      this.#checkServed(error);
      throw error;
    }
  }

  /** A watch counts as a success with its first event, or when it ends without one. */
  async *watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions<T>): AsyncIterable<WatchEvent<T>> {
    const { client, record } = this.#options;
    const { onEvent, ...rest } = options;
    let counted = false;
    const seen = (event: WatchEvent<T>): WatchEvent<T> => {
      if (!counted) record.watched('success');
      counted = true;
      return this.#ofShard(event);
    };
    const taking = onEvent === undefined ? {} : { onEvent: (event: WatchEvent<T>) => onEvent(seen(event)) };
    try {
      for await (const event of client.watch<T>(type, { ...rest, ...taking })) yield seen(event);
      if (!counted) record.watched('success');
    } catch (error) {
      if (!options.signal.aborted) record.watched('error');
      this.#checkServed(error);
      throw error;
    }
  }

  #checkServed(error: unknown): void {
    if (isNotServed(error)) this.#options.onNotServed();
  }

  #keeps({ metadata }: KubeObject): boolean {
    return this.#options.keeps?.(metadata.uid ?? '') ?? true;
  }

  /** A change of another shard's object still says how far the watch has come. */
  #ofShard<T extends KubeObject>(event: WatchEvent<T>): WatchEvent<T> {
    if (event.type === 'BOOKMARK' || this.#keeps(event.object)) return event;
    return { type: 'BOOKMARK', resourceVersion: event.object.metadata.resourceVersion ?? '', initialEventsEnd: false };
  }
}
