import { describe, expect, it } from '@jest/globals';
import { ApiError, type ListOptions, type ObjectList, type WatchEvent, type WatchOptions } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { ListWatch } from './list-watch.ts';

const type: ResourceType = { group: 'apps.kruise.io', version: 'v1alpha1', kind: 'CloneSet', plural: 'clonesets', namespaced: true };
const object = (uid: string, resourceVersion: string): KubeObject => ({ metadata: { name: uid, uid, resourceVersion } });
const signal = new AbortController().signal;

class Calls {
  readonly seen: string[] = [];
  readonly lists: ListOptions[] = [];
  readonly watches: WatchOptions[] = [];
  failure: Error | undefined;
  items: readonly KubeObject[] = [];
  events: readonly WatchEvent<KubeObject>[] = [];

  readonly client = {
    list: async <T extends KubeObject>(_type: ResourceType<T>, options: ListOptions<T> = {}): Promise<ObjectList<T>> => {
      this.lists.push(options as ListOptions);
      if (this.failure !== undefined) throw this.failure;
      for (const item of this.items) options.onItem?.(item as T);
      return { metadata: { resourceVersion: '9' }, items: options.onItem === undefined ? (this.items as readonly T[]) : [] };
    },
    watch: async function* <T extends KubeObject>(
      this: { events: () => readonly WatchEvent<KubeObject>[] },
      _type: ResourceType<T>,
      options: WatchOptions<T>,
    ): AsyncGenerator<WatchEvent<T>> {
      for (const event of this.events() as readonly WatchEvent<T>[])
        if (options.onEvent === undefined) yield event;
        else await options.onEvent(event);
    },
    events: (): readonly WatchEvent<KubeObject>[] => {
      if (this.failure !== undefined) throw this.failure;
      return this.events;
    },
  };

  listWatch(options: { readonly useCache?: boolean; readonly keeps?: (uid: string) => boolean } = {}): ListWatch {
    return new ListWatch({
      client: this.client,
      record: { listed: (result) => void this.seen.push(`list ${result}`), watched: (result) => void this.seen.push(`watch ${result}`) },
      useCache: false,
      onNotServed: () => void this.seen.push('not served'),
      ...options,
    });
  }
}

async function watched(
  listWatch: ListWatch,
  onEvent?: (event: WatchEvent<KubeObject>) => undefined,
): Promise<readonly WatchEvent<KubeObject>[]> {
  const events: WatchEvent<KubeObject>[] = [];
  for await (const event of listWatch.watch(type, { signal, ...(onEvent === undefined ? {} : { onEvent }) })) events.push(event);
  return events;
}

describe('the calls of a kind', () => {
  it('ask the cache of the API server for the first page alone, when the flag says so', async () => {
    const calls = new Calls();
    await calls.listWatch({ useCache: true }).list(type, { limit: 5 });
    await calls.listWatch({ useCache: true }).list(type, { limit: 5, continue: 'x' });
    await calls.listWatch().list(type, { limit: 5 });
    expect(calls.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', undefined, undefined]);
  });

  it('omit the objects of other shards, from lists in either form', async () => {
    const calls = new Calls();
    calls.items = [object('a', '1'), object('b', '2')];
    const listWatch = calls.listWatch({ keeps: (uid) => uid === 'b' });
    const taken: string[] = [];
    await listWatch.list(type, { onItem: (item) => void taken.push(item.metadata.name) });
    const { items } = await listWatch.list(type);
    expect([taken, items.map(({ metadata }) => metadata.name)]).toEqual([['b'], ['b']]);
  });

  it('say of a change of another shard only how far the watch has come', async () => {
    const calls = new Calls();
    calls.events = [
      { type: 'ADDED', object: object('a', '1') },
      { type: 'DELETED', object: object('b', '2') },
    ];
    const listWatch = calls.listWatch({ keeps: (uid) => uid === 'b' });
    const expected = [
      { type: 'BOOKMARK', resourceVersion: '1', initialEventsEnd: false },
      { type: 'DELETED', object: object('b', '2') },
    ];
    expect(await watched(listWatch)).toEqual(expected);
    const taken: unknown[] = [];
    await watched(listWatch, (event) => void taken.push(event));
    expect(taken).toEqual(expected);
  });

  it('are counted: each list, and each watch once', async () => {
    const calls = new Calls();
    const listWatch = calls.listWatch();
    await listWatch.list(type);
    calls.events = [
      { type: 'ADDED', object: object('a', '1') },
      { type: 'MODIFIED', object: object('a', '2') },
    ];
    await watched(listWatch);
    calls.events = [];
    await watched(listWatch);
    expect(calls.seen).toEqual(['list success', 'watch success', 'watch success']);
  });

  it('are counted as errors when they fail, and report a kind that is not served', async () => {
    const calls = new Calls();
    const listWatch = calls.listWatch();
    calls.failure = new ApiError('no right', { kind: 'Forbidden' }, { code: 403 });
    await expect(listWatch.list(type)).rejects.toThrow('no right');
    await expect(watched(listWatch)).rejects.toThrow('no right');
    calls.failure = new ApiError('not served', { kind: 'NotFound' }, { code: 404 });
    await expect(listWatch.list(type)).rejects.toThrow('not served');
    await expect(watched(listWatch)).rejects.toThrow('not served');
    expect(calls.seen).toEqual(['list error', 'watch error', 'list error', 'not served', 'watch error', 'not served']);
  });

  it('that are aborted are no errors', async () => {
    const calls = new Calls();
    calls.failure = new ApiError('aborted', { kind: 'Aborted' });
    await expect(calls.listWatch().list(type, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(calls.seen).toEqual([]);
  });
});
