import { afterEach, describe, expect, it } from '@jest/globals';
import { configMaps, milliseconds, seconds, type ConfigMap, type ResourceType } from '@kruise/objects';
import { ApiError } from '../api-error.ts';
import type { WatchEvent } from '../client/client.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { ObjectStore } from '../store/object-store.ts';
import { ScriptedSource } from '../testing/scripted-source.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

const type: ResourceType<ConfigMap> = configMaps;
const aMap = (name: string, version: number): ConfigMap => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version) },
});
const added = (name: string, version: number): WatchEvent<ConfigMap> => ({ type: 'ADDED', object: aMap(name, version) });
const modified = (name: string, version: number): WatchEvent<ConfigMap> => ({ type: 'MODIFIED', object: aMap(name, version) });
const deleted = (name: string, version: number): WatchEvent<ConfigMap> => ({ type: 'DELETED', object: aMap(name, version) });

const gone = () => new ApiError('too old resource version', { kind: 'Gone' }, { code: 410 });
const forbidden = () => new ApiError('no right to watch', { kind: 'Forbidden' }, { code: 403 });
const unreachable = () => new ApiError('connection reset', { kind: 'Unreachable', cause: undefined });
const serverError = (status: number) => new ApiError('internal error', { kind: 'ServerError', status }, { code: status });
const tooMany = (retryAfter: number) =>
  new ApiError('slow down', { kind: 'TooManyRequests', retryAfter: seconds(retryAfter) }, { code: 429 });
const refused = (kind: 'Invalid' | 'BadRequest' | 'MethodNotAllowed') =>
  new ApiError('sendInitialEvents is forbidden', kind === 'Invalid' ? { kind, causes: [] } : { kind }, { code: 422 });

const running: AbortController[] = [];
afterEach(() => {
  for (const one of running.splice(0)) one.abort();
});

async function aReflector(options: Partial<ReflectorOptions<ConfigMap>> = {}, prepare: (source: ScriptedSource) => void = () => undefined) {
  const clock = new FakeClock();
  const source = new ScriptedSource();
  const logger = silentLogger();
  const store = new ObjectStore<ConfigMap>({ type, clock, logger });
  prepare(source);
  const reflector = new Reflector<ConfigMap>({ client: source, store, clock, logger, random: () => 1 - Number.EPSILON, ...options });
  const stop = new AbortController();
  running.push(stop);
  const ended = reflector.run(stop.signal);
  await clock.settle();
  const names = (): string[] =>
    store.list({ sorted: true }).map((object) => `${object.metadata.name}@${object.metadata.resourceVersion ?? ''}`);
  return { clock, source, logger, store, reflector, stop, ended, names };
}

/** Returns a reflector that has listed `a@5` at resourceVersion 10. */
async function aSyncedReflector(options: Partial<ReflectorOptions<ConfigMap>> = {}) {
  const all = await aReflector(options);
  all.source.watching.send(added('a', 5)).bookmark('10', true);
  await all.clock.settle();
  expect(all.reflector.synced).toBe(true);
  return all;
}

describe('the first list', () => {
  it('is a streaming one that continues as the watch', async () => {
    const { source, clock, store, reflector, names } = await aReflector({
      namespace: 'ns',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name!=x',
    });
    expect(source.watching.options).toMatchObject({
      namespace: 'ns',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name!=x',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    expect(source.watching.options.resourceVersion).toBeUndefined();
    source.watching.send(added('a', 5), added('b', 6), modified('a', 9), deleted('b', 8)).bookmark('9');
    await clock.settle();
    expect(reflector.synced).toBe(false);
    source.watching.bookmark('10', true);
    await clock.settle();
    expect([reflector.synced, store.resourceVersion, names()]).toEqual([true, '10', ['a@9']]);
    source.watching.send(added('c', 11));
    await clock.settle();
    expect([names(), source.watches.length]).toEqual([['a@9', 'c@11'], 1]);
  });

  it.each(['Invalid', 'BadRequest', 'MethodNotAllowed'] as const)(
    'is read in pages when the server refuses it (%s), from then on',
    async (kind) => {
      const { source, clock, names } = await aReflector({}, ({ watchFailures, lists }) => {
        watchFailures.push(refused(kind));
        lists.push(
          { metadata: { resourceVersion: '10', continue: 'more' }, items: [aMap('a', 5)] },
          { metadata: { resourceVersion: '10' }, items: [aMap('b', 6)] },
        );
      });
      expect(source.listCalls.map(({ limit, continue: next }) => [limit, next])).toEqual([
        [500, undefined],
        [500, 'more'],
      ]);
      expect(names()).toEqual(['a@5', 'b@6']);
      expect(source.watching.options).toMatchObject({ resourceVersion: '10', allowWatchBookmarks: true });
      expect(source.watching.options.sendInitialEvents).toBeUndefined();
      source.lists.push({ metadata: { resourceVersion: '20' }, items: [aMap('b', 6)] });
      source.watching.fail(gone());
      await clock.settle();
      expect([names(), source.watches.length]).toEqual([['b@6'], 3]);
    },
  );

  it('that breaks in the middle is repeated, and only then are missing objects removed', async () => {
    const { source, clock, names } = await aSyncedReflector();
    source.watching.fail(gone());
    await clock.settle();
    source.watching.send(added('b', 12)).fail(unreachable());
    await clock.settle();
    expect(names()).toEqual(['a@5', 'b@12']);
    await clock.step(800);
    source.watching.send(added('b', 12)).bookmark('14', true);
    await clock.settle();
    expect(names()).toEqual(['b@12']);
  });

  it('that ends before its last bookmark is incomplete', async () => {
    const { source, clock, reflector } = await aReflector();
    source.watching.send(added('a', 5)).end();
    await clock.step(800);
    expect([reflector.synced, source.watches.length, source.watching.options.sendInitialEvents]).toEqual([false, 2, true]);
  });

  it('is read in pages after two streaming lists that became silent', async () => {
    const { source, clock } = await aReflector({ stalledAfter: seconds(60) }, ({ lists }) =>
      lists.push({ metadata: { resourceVersion: '3' }, items: [] }),
    );
    await clock.step(60_000);
    await clock.step(800);
    expect(source.watches).toHaveLength(2);
    await clock.step(60_000);
    await clock.step(1_600);
    expect(source.listCalls).toHaveLength(1);
    expect(source.watching.options.resourceVersion).toBe('3');
  });

  it('is requested in one piece when the rest of a paged one has expired', async () => {
    const { source, names } = await aReflector({ streamingLists: false }, ({ lists }) => {
      lists.push({ metadata: { resourceVersion: '10', continue: 'more' }, items: [aMap('a', 5)] }, gone());
      lists.push({ metadata: { resourceVersion: '12' }, items: [aMap('a', 5), aMap('b', 11)] });
    });
    expect(source.listCalls.map(({ limit }) => limit)).toEqual([500, 500, undefined]);
    expect(names()).toEqual(['a@5', 'b@11']);
  });

  it('without resourceVersion is refused', async () => {
    const { reflector, logger } = await aReflector({ streamingLists: false }, ({ lists }) =>
      lists.push({ metadata: { resourceVersion: '' }, items: [] }),
    );
    expect(reflector.synced).toBe(false);
    expect(JSON.stringify(logger.lines)).toContain('MalformedAnswer');
  });

  it.each([true, false])('skips an item that cannot be held, with a log (streaming: %s)', async (streamingLists) => {
    const broken = { metadata: {} } as ConfigMap;
    const { source, clock, logger, reflector, names } = await aReflector({ streamingLists }, ({ lists }) =>
      lists.push({ metadata: { resourceVersion: '10' }, items: [broken, aMap('a', 5)] }),
    );
    if (streamingLists) source.watching.send({ type: 'ADDED', object: broken }, added('a', 5)).bookmark('10', true);
    await clock.settle();
    expect([reflector.synced, names()]).toEqual([true, ['a@5']]);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('is retried for as long as the server cannot be reached, with growing waits of at most 5 s', async () => {
    const { source, clock } = await aReflector({ streamingLists: false });
    const made: number[] = [];
    for (let second = 0; second < 30; second++) {
      await clock.step(1_000);
      made.push(source.listCalls.length);
    }
    expect(made.slice(0, 6)).toEqual([2, 2, 3, 3, 3, 4]);
    expect(made.at(-1)).toBe(8);
  });
});

describe('a watch', () => {
  it('that the server ends is opened again immediately at the same position', async () => {
    const { source, clock, names } = await aSyncedReflector();
    source.watching.send(modified('a', 12));
    await clock.settle();
    source.watching.end();
    await clock.settle();
    expect(source.watching.options).toMatchObject({ resourceVersion: '12' });
    expect(source.watching.options.sendInitialEvents).toBeUndefined();
    source.watching.send(deleted('a', 13), added('b', 14));
    await clock.settle();
    expect(names()).toEqual(['b@14']);
  });

  it('continues from the last bookmark', async () => {
    const { source, clock } = await aSyncedReflector();
    source.watching.bookmark('30').end();
    await clock.settle();
    expect(source.watching.options.resourceVersion).toBe('30');
  });

  it('asks the server to end it after 5 to 10 minutes', async () => {
    const times = await Promise.all(
      [0, 0.999].map(async (random) => (await aReflector({ random: () => random })).source.watching.options.timeoutSeconds),
    );
    expect(times).toEqual([300, 599]);
  });

  it('whose position has expired leads to a list immediately; the next time with a wait', async () => {
    const { source, clock, names } = await aSyncedReflector();
    source.watching.fail(gone());
    await clock.settle();
    expect(source.watching.options.sendInitialEvents).toBe(true);
    source.watching.send(added('b', 18)).bookmark('20', true);
    await clock.settle();
    expect(names()).toEqual(['b@18']);
    source.watching.fail(gone());
    await clock.settle();
    expect(source.watches).toHaveLength(2);
    await clock.step(1_600);
    expect(source.watches).toHaveLength(3);
  });

  it.each([
    { name: 'a reset', failure: unreachable, waitMs: 800 },
    { name: 'an error of the server', failure: () => serverError(500), waitMs: 800 },
    { name: 'an unknown error', failure: () => new TypeError('?'), waitMs: 800 },
    { name: '429 with Retry-After', failure: () => tooMany(7), waitMs: 7_000 },
    {
      name: '503 with Retry-After',
      failure: () => new ApiError('starting', { kind: 'ServerError', status: 503, retryAfter: seconds(4) }),
      waitMs: 4_000,
    },
  ])('continues at the same position after $name', async ({ failure, waitMs }) => {
    const { source, clock } = await aSyncedReflector();
    source.watching.fail(failure());
    await clock.step(waitMs - 1);
    expect(source.watches).toHaveLength(1);
    await clock.step(1);
    expect(source.watches).toHaveLength(2);
    expect(source.watching.options.resourceVersion).toBe('10');
  });

  it('that ends immediately counts as a failure', async () => {
    const { source, clock } = await aSyncedReflector();
    await clock.step(1_000);
    source.watching.end();
    await clock.settle();
    expect(source.watches).toHaveLength(2);
    source.watching.end();
    await clock.step(799);
    expect(source.watches).toHaveLength(2);
    await clock.step(1);
    expect(source.watches).toHaveLength(3);
  });

  it('waits longer with each failure, up to 30 s, and starts over after an event', async () => {
    const { source, clock } = await aSyncedReflector();
    const waits: number[] = [];
    const waitForNext = async (): Promise<number> => {
      const count = source.watches.length;
      let waited = 0;
      for (; source.watches.length === count; waited += 100) await clock.step(100);
      return waited;
    };
    for (let failure = 0; failure < 9; failure++) {
      source.watching.fail(tooMany(0));
      waits.push(await waitForNext());
    }
    expect(waits).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
    source.watching.send(modified('a', 40)).fail(unreachable());
    expect(await waitForNext()).toBe(800);
  });

  it('that the server keeps refusing leads to a list', async () => {
    const { source, clock } = await aSyncedReflector();
    for (let failure = 0; failure < 5; failure++) {
      source.watching.fail(serverError(504));
      await clock.step(30_000);
    }
    expect(source.watching.options.sendInitialEvents).toBe(true);
  });

  it('that is silent is renewed immediately, without a list', async () => {
    const { source, clock } = await aSyncedReflector({ stalledAfter: seconds(90) });
    await clock.step(60_000);
    source.watching.bookmark('15');
    await clock.step(89_999);
    expect(source.watches).toHaveLength(1);
    const [silent] = source.watches;
    await clock.step(1);
    expect(silent?.closed).toBe(true);
    expect(source.watches).toHaveLength(2);
    expect(source.watching.options.resourceVersion).toBe('15');
  });

  it('that is silent again after it was renewed leads to a list, which finds a restored history', async () => {
    const { source, clock, names } = await aSyncedReflector();
    await clock.step(179_999);
    expect(source.watches.map(({ options }) => options.sendInitialEvents)).toEqual([true, undefined]);
    await clock.step(1);
    source.watching.send(added('b', 2)).bookmark('3', true);
    await clock.settle();
    await clock.step(800);
    source.watching.send(added('b', 2)).bookmark('3', true);
    await clock.settle();
    expect(names()).toEqual(['b@2']);
  });

  it('whose silences are not in a row is only renewed', async () => {
    const { source, clock } = await aSyncedReflector();
    for (let silences = 0; silences < 5; silences++) {
      await clock.step(90_000);
      source.watching.bookmark(String(20 + silences));
      await clock.settle();
    }
    expect(source.watches.filter(({ options }) => options.sendInitialEvents)).toHaveLength(1);
  });

  it('that stays silent leads to a list every three minutes, and to none immediately', async () => {
    const { source, clock } = await aSyncedReflector();
    const lists = (): number => source.watches.filter(({ options }) => options.sendInitialEvents).length;
    const reported: number[] = [];
    for (let minutes = 0; minutes < 9; minutes += 1.5) {
      await clock.step(90_000);
      if (source.watching.options.sendInitialEvents) source.watching.send(added('a', 5)).bookmark('10', true);
      await clock.settle();
      reported.push(lists());
    }
    expect(reported).toEqual([1, 2, 2, 3, 3, 4]);
  });

  it('that the server ends repeatedly without an event leads to a list after three minutes', async () => {
    const { source, clock } = await aSyncedReflector();
    for (let minute = 0; minute < 3; minute++) {
      expect(source.watches.filter(({ options }) => options.sendInitialEvents)).toHaveLength(1);
      await clock.step(60_000);
      source.watching.end();
      await clock.settle();
    }
    expect(source.watching.options.sendInitialEvents).toBe(true);
  });

  it('of a server that was unreachable for long continues at the same position', async () => {
    const { source, clock } = await aSyncedReflector();
    source.watchFailures.push(...Array.from({ length: 100 }, () => unreachable()));
    source.watching.fail(unreachable());
    await clock.step(450_000);
    source.watchFailures.length = 0;
    await clock.step(5_000);
    source.watching.bookmark('11').end();
    await clock.settle();
    expect(source.watches.filter(({ options }) => options.sendInitialEvents)).toHaveLength(1);
    expect(source.watching.options.resourceVersion).toBe('11');
  });

  it('that breaks at the same place each time leads to a list', async () => {
    const { source, clock } = await aSyncedReflector();
    for (let failure = 0; failure < 5; failure++) {
      source.watching.fail(new ApiError('broken', { kind: 'Unreachable', cause: undefined }, { code: 200 }));
      await clock.step(30_000);
    }
    expect(source.watching.options.sendInitialEvents).toBe(true);
  });

  it('with an event that is not JSON leads to a list', async () => {
    const { source, clock } = await aSyncedReflector();
    source.watching.fail(new ApiError('not the requested JSON', { kind: 'ServerError', status: 200 }, { code: 200 }));
    await clock.step(800);
    expect(source.watching.options.sendInitialEvents).toBe(true);
  });

  it.each<{ name: string; event: WatchEvent<ConfigMap> }>([
    { name: 'ADDED, of an object that is not held', event: added('x', 8) },
    { name: 'MODIFIED, of a state that is not held', event: modified('a', 8) },
    { name: 'ADDED at the current position', event: added('x', 10) },
    { name: 'DELETED, of an object that is held', event: deleted('a', 8) },
  ])(
    'with an event not newer than the position that contains something new is not applied, and leads to a list: $name',
    async ({ event }) => {
      const { source, clock, names } = await aSyncedReflector();
      source.watching.send(event);
      await clock.step(800);
      expect(names()).toEqual(['a@5']);
      expect(source.watching.options.sendInitialEvents).toBe(true);
    },
  );

  it.each<{ name: string; event: WatchEvent<ConfigMap> }>([
    { name: 'of what is held', event: added('a', 5) },
    { name: 'of an earlier state', event: modified('a', 4) },
    { name: 'of an object that was deleted since', event: added('gone', 11) },
    { name: 'of a deletion', event: deleted('gone', 12) },
    { name: 'of an old deletion', event: deleted('never-seen', 3) },
  ])('that repeats what is known continues: $name', async ({ event }) => {
    const { source, clock, names } = await aSyncedReflector();
    source.watching.send(added('gone', 11), deleted('gone', 12), event);
    await clock.step(30_000);
    expect([names(), source.watches.length]).toEqual([['a@5'], 1]);
  });

  it.each<{ name: string; event: unknown }>([
    { name: 'no object', event: { type: 'ADDED' } },
    { name: 'an object without metadata', event: { type: 'MODIFIED', object: {} } },
    { name: 'an object without name', event: { type: 'MODIFIED', object: { metadata: { resourceVersion: '3' } } } },
    { name: 'an object without resourceVersion', event: { type: 'ADDED', object: { metadata: { name: 'x' } } } },
    { name: 'an unknown type', event: { type: 'NEW', object: aMap('x', 11) } },
    { name: 'a bookmark of the past', event: { type: 'BOOKMARK', resourceVersion: '4', initialEventsEnd: false } },
  ])('with $name is logged and leads to a list', async ({ event }) => {
    const { source, clock, logger, names } = await aSyncedReflector();
    source.watching.send(event as WatchEvent<ConfigMap>);
    await clock.step(800);
    expect(source.watching.options.sendInitialEvents).toBe(true);
    expect(names()).toEqual(['a@5']);
    expect(JSON.stringify(logger.lines)).toContain('MalformedAnswer');
  });

  it('that is forbidden reports it once, and reports access again with the next bookmark or list', async () => {
    const seen: string[] = [];
    const { source, clock } = await aSyncedReflector({ onAccess: (access) => seen.push(access) });
    const refuse = (times: number): void => void source.watchFailures.push(...Array.from({ length: times }, forbidden));
    refuse(2);
    source.watching.fail(forbidden());
    await clock.step(10_000);
    expect([seen, source.watchFailures.length]).toEqual([['Forbidden'], 0]);
    source.watching.bookmark('11');
    await clock.settle();
    expect(seen).toEqual(['Forbidden', 'Granted']);
    refuse(5);
    source.watching.fail(forbidden());
    await clock.step(60_000);
    expect(source.watching.options.sendInitialEvents).toBe(true);
    source.watching.send(added('a', 5)).bookmark('12', true);
    await clock.settle();
    expect(seen).toEqual(['Forbidden', 'Granted', 'Forbidden', 'Granted']);
  });

  it('survives a failing listener', async () => {
    const { source, clock, store, names } = await aSyncedReflector();
    store.subscribe(() => {
      throw new Error('broken');
    });
    source.watching.send(added('b', 11));
    await clock.settle();
    expect(names()).toEqual(['a@5', 'b@11']);
  });

  it('never returns to an older state with duplicate and late events', async () => {
    const { source, clock, names, store } = await aSyncedReflector();
    source.watching.send(modified('a', 12), modified('a', 11), added('a', 5), modified('a', 12));
    await clock.settle();
    expect(names()).toEqual(['a@12']);
    expect(store.resourceVersion).toBe('12');
  });
});

describe('a server that was restored from an older backup', () => {
  it('is trusted after a second list', async () => {
    const { source, clock, names } = await aSyncedReflector();
    source.watching.fail(gone());
    await clock.settle();
    source.watching.send(added('a', 2)).bookmark('3', true);
    await clock.settle();
    expect(names()).toEqual(['a@5']);
    await clock.step(800);
    source.watching.send(added('a', 2), added('b', 3)).bookmark('3', true);
    await clock.settle();
    expect(names()).toEqual(['a@2', 'b@3']);
    source.watching.send(modified('a', 4));
    await clock.settle();
    expect(names()).toEqual(['a@4', 'b@3']);
  });
});

describe('running', () => {
  it('ends with its signal, in any state, leaving no watch open', async () => {
    const { source, stop, ended } = await aSyncedReflector();
    stop.abort();
    await ended;
    expect(source.watches.every((watch) => watch.closed)).toBe(true);
    const waiting = await aReflector({ streamingLists: false });
    waiting.stop.abort();
    await waiting.ended;
    expect(waiting.clock.pending).toBe(0);
  });

  it('ends before it began when the signal has aborted already', async () => {
    const clock = new FakeClock();
    const source = new ScriptedSource();
    const store = new ObjectStore<ConfigMap>({ type, clock, logger: silentLogger() });
    await new Reflector<ConfigMap>({ client: source, store, clock, logger: silentLogger(), resyncEvery: seconds(1) }).run(
      AbortSignal.abort(),
    );
    expect(source.watches).toEqual([]);
  });

  it('resolves for those who wait for the first list', async () => {
    const { source, reflector, clock } = await aReflector();
    const given = new AbortController();
    const failed = reflector.waitForSync(given.signal);
    given.abort(new Error('enough'));
    await expect(failed).rejects.toThrow('enough');
    await expect(reflector.waitForSync(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const synced = reflector.waitForSync(new AbortController().signal);
    source.watching.bookmark('1', true);
    await clock.settle();
    await expect(synced).resolves.toBeUndefined();
    await expect(reflector.waitForSync(new AbortController().signal)).resolves.toBeUndefined();
  });

  it('announces every object to listeners again after each resync period', async () => {
    const { store, clock } = await aSyncedReflector({ resyncEvery: milliseconds(60_000) });
    const heard: string[] = [];
    store.subscribe((event) => heard.push(event.kind === 'Updated' && event.previous === event.object ? 'again' : event.kind), {
      replay: false,
    });
    await clock.step(180_000);
    expect(heard).toEqual(['again', 'again', 'again']);
  });

  it('lets other work run while it applies a large list', async () => {
    const { source, clock, store } = await aReflector();
    const objects = Array.from({ length: 30_000 }, (_, at) => added(`object-${at}`, at + 1));
    let beats = 0;
    const beat = (): void => {
      beats++;
      if (!store.synced) setImmediate(beat);
    };
    // Every reading of the clock takes 1 ms.
    let looks = 0;
    clock.monotonic = () => milliseconds(looks++);
    source.watching.send(...objects).bookmark('40000', true);
    setImmediate(beat);
    while (!store.synced) await clock.settle(1);
    expect(store.size).toBe(30_000);
    expect(beats).toBeGreaterThan(5);
  });
});
