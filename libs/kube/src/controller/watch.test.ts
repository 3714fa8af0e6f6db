import { describe, expect, it } from '@jest/globals';
import { milliseconds, type KubeObject } from '@kruise/objects';
import type { StoreEvent, StoreListener } from '../store.ts';
import { onEvent, watch, watchInformer, type Request, type WatchSource } from './watch.ts';

const object: KubeObject = { kind: 'Pod', metadata: { name: 'a', namespace: 'ns' } };
const key = { namespace: 'ns', name: 'a' };

function aSource() {
  const listeners = new Set<StoreListener<KubeObject>>();
  const waits: AbortSignal[] = [];
  const source: WatchSource<KubeObject> = {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waitForSync: async (signal) => void waits.push(signal),
  };
  return { source, waits, send: (event: StoreEvent<KubeObject>) => listeners.forEach((listener) => listener(event)) };
}

/** Records what a controller receives of a watch over `source`. */
function listen(given: ReturnType<typeof watch>) {
  const heard: unknown[] = [];
  const stop = given.start(
    (requests, initial) => void heard.push({ requests, initial }),
    (error, about) => void heard.push({ error, about }),
  );
  return { heard, stop };
}

describe('a watch', () => {
  it.each<{ name: string; event: StoreEvent<KubeObject>; initial: boolean }>([
    { name: 'an object of the first list', event: { kind: 'Added', object, initial: true }, initial: true },
    { name: 'an object that was created later', event: { kind: 'Added', object, initial: false }, initial: false },
    { name: 'a change', event: { kind: 'Updated', object, previous: object }, initial: false },
    { name: 'a deletion', event: { kind: 'Deleted', object }, initial: false },
    // Only an added object can be in the first list, whatever else an event contains.
    { name: 'a change with initial set', event: { kind: 'Updated', object, previous: object, initial: true } as never, initial: false },
  ])('enqueues for $name, initial $initial', ({ event, initial }) => {
    const { source, send } = aSource();
    const asked: unknown[] = [];
    const { heard } = listen(watch(source, (of) => (asked.push(of), [key, { key, after: milliseconds(5) }])));
    send(event);
    expect([asked, heard]).toEqual([[event], [{ requests: [key, { key, after: 5 }], initial }]]);
  });

  it('enqueues nothing for an event without keys', () => {
    const { source, send } = aSource();
    const { heard } = listen(watch(source, () => []));
    send({ kind: 'Deleted', object });
    expect(heard).toEqual([]);
  });

  it('reports a filter that throws, and continues', () => {
    const { source, send } = aSource();
    const error = new TypeError('labels is null');
    const requests: (readonly Request[] | undefined)[] = [undefined, [key]];
    const toKeys = (): readonly Request[] => {
      const next = requests.shift();
      if (next === undefined) throw error;
      return next;
    };
    const { heard } = listen(watch(source, toKeys));
    send({ kind: 'Deleted', object });
    send({ kind: 'Deleted', object });
    expect(heard).toEqual([
      { error, about: object },
      { requests: [key], initial: false },
    ]);
  });

  it('receives nothing more once it is stopped', () => {
    const { source, send } = aSource();
    const { heard, stop } = listen(watch(source, () => [key]));
    stop();
    send({ kind: 'Deleted', object });
    expect(heard).toEqual([]);
  });

  it('of an informer receives the events of its store and is synced with its reflector', async () => {
    const [store, reflector] = [aSource(), aSource()];
    const given = watchInformer({ store: store.source, reflector: reflector.source }, () => [key]);
    const { heard, stop } = listen(given);
    const { signal } = new AbortController();
    await given.waitForSync(signal);
    reflector.send({ kind: 'Deleted', object });
    store.send({ kind: 'Deleted', object });
    stop();
    store.send({ kind: 'Deleted', object });
    expect([heard, store.waits, reflector.waits]).toEqual([[{ requests: [key], initial: false }], [], [signal]]);
  });

  it('that only reports events enqueues nothing, and is synced with its reflector', async () => {
    const [store, reflector] = [aSource(), aSource()];
    const reported: unknown[] = [];
    const given = onEvent({ store: store.source, reflector: reflector.source }, (event) => void reported.push(event));
    const { heard, stop } = listen(given);
    const { signal } = new AbortController();
    await given.waitForSync(signal);
    store.send({ kind: 'Deleted', object });
    stop();
    store.send({ kind: 'Deleted', object });
    expect([reported, heard, reflector.waits]).toEqual([[{ kind: 'Deleted', object }], [], [signal]]);
  });

  it('fails to sync when its source does', async () => {
    const source = { ...aSource().source, waitForSync: () => Promise.reject(new Error('aborted')) };
    const { signal } = new AbortController();
    await expect(watch(source, () => []).waitForSync(signal)).rejects.toThrow('aborted');
  });
});
