/** Kinds that are watched from the moment that they are listed and served. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { workloadSpreadWhiteListKey } from '@kruise/api';
import { Informers, type Logger } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { configMaps, type ResourceType } from '@kruise/objects';
import { Caches } from '../../caches/caches.ts';
import { KindMapper } from './kind-mapper.ts';
import { configurationOf } from './white-list-cache.ts';
import { WhiteListedKinds } from './white-listed-watches.ts';

const group = 'game.example.com';
const kindOf = (kind: string, plural: string, namespaced = true): ResourceType => ({ group, version: 'v1', kind, plural, namespaced });
const games = kindOf('GameSet', 'gamesets');
const shops = kindOf('Shop', 'shops');

describe('the kinds on the white list', () => {
  let api: FakeApi;
  let clock: FakeClock;
  let kinds: WhiteListedKinds;
  let stop: AbortController;
  let running: Promise<void>;
  let end: () => void;
  let taken: string[];
  let failed: string[];
  let errors: number;
  let isFaulty: boolean;

  const serve = (...types: readonly ResourceType[]): void => {
    const resources = types.map(({ plural, kind, namespaced }) => ({ name: plural, kind, namespaced, verbs: ['get', 'list', 'watch'] }));
    api.rawAnswers.set(`/apis/${group}/v1`, { resources });
  };
  const listText = async (text: string): Promise<void> => {
    const data = { [workloadSpreadWhiteListKey]: text };
    api.seed(configMaps, { metadata: { namespace: 'kruise-system', name: 'kruise-configuration' }, data });
    await clock.settle();
  };
  const list = (...listed: readonly Pick<ResourceType, 'group' | 'version' | 'kind'>[]): Promise<void> =>
    listText(JSON.stringify({ workloads: listed.map((one) => ({ group: one.group, version: one.version, kind: one.kind })) }));
  const seed = async (type: ResourceType, name: string, namespace = 'default'): Promise<void> => {
    api.seed(type, { metadata: { name, namespace } });
    await clock.settle();
  };
  const watches = (type: ResourceType): number =>
    api.calls.filter(({ verb, type: of }) => verb === 'watch' && of?.kind === type.kind).length;
  const asked = (): number => api.calls.filter(({ verb }) => verb === 'raw').length;
  const namesIn = (type: ResourceType): readonly string[] | undefined =>
    kinds
      .storeOf(type)
      ?.list()
      .map(({ metadata }) => metadata.name);

  const open = async (namespace?: string): Promise<void> => {
    const informers = new Informers({ client: api, clock, logger: silentLogger() });
    const quiet = silentLogger();
    const logger: Logger = { ...quiet, error: () => void (errors += 1) };
    const settings = {
      client: api,
      clock,
      logger,
      list: configurationOf(new Caches(informers, ''), 'kruise-system'),
      listKey: workloadSpreadWhiteListKey,
    };
    kinds = new WhiteListedKinds({ ...settings, ...(namespace === undefined ? {} : { namespace }) }, new KindMapper(api, clock));
    const watch = kinds.watch(({ kind, object: { metadata } }) => {
      if (isFaulty) throw new Error('a fault');
      return [{ namespace: metadata.namespace ?? '', name: `${kind} ${metadata.name}` }];
    });
    running = informers.run(stop.signal);
    await watch.waitForSync(stop.signal);
    end = watch.start(
      (requests, initial) =>
        taken.push(...requests.map((request) => `${'key' in request ? request.key.name : request.name}${initial ? ' at first' : ''}`)),
      (_error, object) => failed.push(object?.metadata.name ?? ''),
    );
    await clock.settle();
  };

  beforeEach(() => {
    [api, clock, stop] = [new FakeApi(), new FakeClock(), new AbortController()];
    [taken, failed, errors, isFaulty] = [[], [], 0, false];
  });
  afterEach(async () => {
    end();
    stop.abort();
    await running;
  });

  it('are watched, and held, from the moment that they are listed', async () => {
    serve(games, shops);
    await open();
    await seed(games, 'one');
    expect([watches(games), kinds.storeOf(games), taken]).toEqual([0, undefined, []]);
    await list(games);
    expect([namesIn(games), taken]).toEqual([['one'], ['Added one at first']]);
    await seed(games, 'two');
    await api.delete(games, { namespace: 'default', name: 'one' });
    await clock.settle();
    expect([namesIn(games), taken.slice(1), watches(shops)]).toEqual([['two'], ['Added two', 'Deleted one'], 0]);
  });

  it('are watched no more, and forgotten, once they are not listed', async () => {
    serve(games, shops);
    await open();
    await list(games, shops);
    await seed(games, 'one');
    const before = [watches(games), watches(shops)];
    await list(shops);
    await seed(games, 'two');
    await seed(shops, 'three');
    expect([kinds.storeOf(games), namesIn(shops), taken]).toEqual([undefined, ['three'], ['Added one', 'Added three']]);
    expect([watches(games), watches(shops)]).toEqual(before);
  });

  it('stay unchanged while the list cannot be read, which is logged', async () => {
    serve(games);
    await open();
    await list(games);
    await listText('{');
    await seed(games, 'one');
    expect([kinds.reading.kind, namesIn(games), taken, errors]).toEqual(['Faulty', ['one'], ['Added one'], 1]);
  });

  it('that are not served are looked for again, ever later, at most every minute', async () => {
    await open();
    await list(games);
    const times: number[] = [];
    let [before, elapsed] = [asked(), 0];
    expect(before).toBe(1);
    while (times.length < 8) {
      await clock.step(1000);
      elapsed += 1;
      if (asked() > before) times.push(elapsed);
      before = asked();
    }
    const waits = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
    serve(games);
    await clock.step(60_000);
    await seed(games, 'one');
    expect(namesIn(games)).toEqual(['one']);
  });

  it('that are not served are not looked for once they are not listed', async () => {
    await open();
    await list(games);
    await list();
    const before = asked();
    await clock.step(600_000);
    expect(asked()).toBe(before);
  });

  it('are distinguished by group, and are none without a version or a kind', async () => {
    serve(games);
    await open();
    await list({ group, version: '', kind: 'GameSet' }, { group, version: 'v1', kind: '' });
    expect(asked()).toBe(0);
    await list(games);
    expect([
      kinds.storeOf(games) !== undefined,
      kinds.storeOf({ group: 'other', kind: 'GameSet' }),
      kinds.storeOf({ group, kind: 'Shop' }),
    ]).toEqual([true, undefined, undefined]);
  });

  it('are of the one namespace that the manager works in, unless they have none', async () => {
    const worlds = kindOf('World', 'worlds', false);
    serve(games, worlds);
    await open('default');
    await list(games, worlds);
    const scopes = api.calls
      .filter(({ verb, type }) => verb === 'watch' && type?.group === group)
      .map(({ type, key }) => [type?.kind, key.namespace]);
    expect(scopes).toEqual([
      ['GameSet', 'default'],
      ['World', ''],
    ]);
  });

  it('of which one object cannot be judged enqueue nothing, and a log line names it', async () => {
    serve(games);
    await open();
    isFaulty = true;
    await list(games);
    await seed(games, 'one');
    expect([failed, taken]).toEqual([['one'], []]);
  });

  it('are watched no more when the watch ends', async () => {
    serve(games);
    await open();
    await list(games);
    end();
    await seed(games, 'one');
    await list(games, shops);
    expect([kinds.storeOf(games), taken, watches(shops)]).toEqual([undefined, [], 0]);
  });
});
