/** A server side of lists and watches that a test controls step by step. */
import type { KubeObject, ResourceType } from '@kruise/objects';
import { ApiError } from '../api-error.ts';
import type { Client, ListOptions, ObjectList, WatchEvent, WatchOptions } from '../client/client.ts';

/** One opened watch. The test sends events on it, ends it or breaks it. Events that are sent before the reader asks wait. */
export class ScriptedWatch {
  readonly options: WatchOptions;
  readonly #waiting: (WatchEvent<KubeObject> | { readonly type: 'END' } | { readonly type: 'FAIL'; readonly error: unknown })[] = [];
  #wake: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.options = options;
  }

  send(...events: readonly WatchEvent<KubeObject>[]): this {
    this.#waiting.push(...events);
    this.#wake();
    return this;
  }

  bookmark(resourceVersion: string, initialEventsEnd = false): this {
    return this.send({ type: 'BOOKMARK', resourceVersion, initialEventsEnd });
  }

  /** Ends the watch as the server would. */
  end(): void {
    this.#waiting.push({ type: 'END' });
    this.#wake();
  }

  /** Breaks the watch. */
  fail(error: unknown): void {
    this.#waiting.push({ type: 'FAIL', error });
    this.#wake();
  }

  /** Whether the reader has closed it. */
  get closed(): boolean {
    return this.options.signal.aborted;
  }

  async *read(): AsyncGenerator<WatchEvent<KubeObject>, void, undefined> {
    const { signal } = this.options;
    const onAbort = (): void => this.#wake();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        if (signal.aborted) throw new ApiError('the call was aborted', { kind: 'Aborted' });
        const next = this.#waiting.shift();
        if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else if (next.type === 'END') return;
        else if (next.type === 'FAIL') throw next.error;
        else yield next;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** The answer of a list: pages or failures, one for each call. */
export type ScriptedList = ObjectList<KubeObject> | Error;

/** Lists and watches that return the answers of the test, in order. */
export class ScriptedSource implements Pick<Client, 'list' | 'watch'> {
  /** Every watch that was opened, the newest last. */
  readonly watches: ScriptedWatch[] = [];
  /** Options of every list call. */
  readonly listCalls: ListOptions[] = [];
  /** Answers of the next list calls. Without one a call fails as unreachable. */
  readonly lists: ScriptedList[] = [];
  /** Failures of the next watches, before they show anything. With undefined, the watch opens. */
  readonly watchFailures: (Error | undefined)[] = [];

  /** The watch that was opened last. Throws when there is none. */
  get watching(): ScriptedWatch {
    const last = this.watches.at(-1);
    if (last === undefined) throw new Error('no watch was opened');
    return last;
  }

  async list<T extends KubeObject>(_type: ResourceType<T>, options: ListOptions<T> = {}): Promise<ObjectList<T>> {
    this.listCalls.push(options as ListOptions);
    const answer = this.lists.shift() ?? new ApiError('connection refused', { kind: 'Unreachable', cause: undefined });
    if (answer instanceof Error) throw answer;
    return answer as unknown as ObjectList<T>;
  }

  watch<T extends KubeObject>(_type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    const watch = new ScriptedWatch(options);
    this.watches.push(watch);
    const failure = this.watchFailures.shift();
    if (failure !== undefined) watch.fail(failure);
    return watch.read() as AsyncIterable<WatchEvent<T>>;
  }
}
