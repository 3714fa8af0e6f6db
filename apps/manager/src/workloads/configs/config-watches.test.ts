/** Only named objects are watched, each by its name. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apiFailures, FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { configMaps, secrets, type KubeObject } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import type { ConfigReference } from '@kruise/workloads';
import { ConfigWatches } from './config-watches.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const heapKB = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1024;
};

const namespace = 'default';
const workload = (name: string, over: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  metadata: { name, namespace, uid: `uid-${name}`, ...over },
});
const config = (name: string, kind: ConfigReference['kind'] = 'ConfigMap'): ConfigReference => ({ kind, name, isOptional: false });

describe('the watches of named objects', () => {
  let api: FakeApi;
  let clock: FakeClock;
  let watches: ConfigWatches;
  let end: () => void;
  let taken: string[];

  const write = async (name: string, data: Readonly<Record<string, string>>): Promise<void> => {
    api.seed(configMaps, { metadata: { namespace, name }, data });
    await clock.settle();
  };
  const calls = (): readonly string[] => api.calls.map(({ verb, type, key }) => `${verb} ${type?.kind ?? ''} ${key.namespace ?? ''}`);

  beforeEach(() => {
    clock = new FakeClock(epoch, 'WhenIdle');
    api = new FakeApi({ clock });
    watches = new ConfigWatches({ client: api, clock, logger: silentLogger() });
    taken = [];
    end = watches.watch().start(
      (requests) => taken.push(...requests.map((one) => ('after' in one ? `${one.key.name} ${one.after}` : one.name))),
      () => undefined,
    );
  });
  afterEach(async () => {
    end();
    await clock.settle();
  });

  it('enqueue the workload when the first answer comes, and a second after the content changes', async () => {
    await write('app', { a: '1' });
    expect(watches.follow(workload('web'), [config('app')])).toBe('Followed');
    expect(watches.stateOf(namespace, config('app')).kind).toBe('Awaited');
    await clock.settle();
    const first = watches.stateOf(namespace, config('app'));
    expect([first.kind, taken]).toEqual(['Known', ['web 0']]);
    await write('app', { a: '2' });
    expect([watches.stateOf(namespace, config('app')).kind, taken.slice(1)]).toEqual(['Known', ['web 1000']]);
    expect(watches.stateOf(namespace, config('app'))).not.toEqual(first);
    await api.delete(configMaps, { namespace, name: 'app' });
    await clock.settle();
    expect([watches.stateOf(namespace, config('app')).kind, taken.slice(2)]).toEqual(['Missing', ['web 1000']]);
  });

  it('enqueue no workload for labels, or for objects that it does not name', async () => {
    await write('app', { a: '1' });
    watches.follow(workload('web'), [config('app')]);
    await clock.settle();
    api.seed(configMaps, { metadata: { namespace, name: 'app', labels: { x: 'y' } }, data: { a: '1' } });
    await write('other', { a: '1' });
    expect(taken).toEqual(['web 0']);
  });

  it('read exactly the named objects, each once for all workloads', async () => {
    for (let index = 0; index < 50; index++) await write(`other-${index}`, {});
    watches.follow(workload('web'), [config('app'), config('tls', 'Secret')]);
    watches.follow(workload('api'), [config('app')]);
    await clock.settle();
    expect(watches.size).toBe(2);
    expect(new Set(calls().map((call) => call.split(' ')[1]))).toEqual(new Set(['ConfigMap', 'Secret']));
    expect(calls().every((call) => call.endsWith(` ${namespace}`))).toBe(true);
    await write('app', { a: '1' });
    expect(taken.slice(-2)).toEqual(['web 1000', 'api 1000']);
  });

  it('end when no workload names the object any more', async () => {
    const [web, other] = [workload('web'), workload('api')];
    watches.follow(web, [config('app'), config('more')]);
    watches.follow(other, [config('app')]);
    await clock.settle();
    watches.follow(web, [config('more')]);
    expect(watches.size).toBe(2);
    watches.forget('uid-api');
    expect(watches.size).toBe(1);
    taken.length = 0;
    await write('app', { a: '1' });
    expect(taken).toEqual([]);
    watches.forget('uid-web');
    watches.forget('uid-web');
    expect(watches.size).toBe(0);
  });

  it('are 100 in a namespace at most; a workload beyond that has none, and others keep theirs', async () => {
    for (let index = 0; index < 10; index++)
      expect(
        watches.follow(
          workload(`w${index}`),
          Array.from({ length: 10 }, (_, part) => config(`c${index}-${part}`)),
        ),
      ).toBe('Followed');
    expect(watches.follow(workload('more'), [config('c0-0'), config('one-more')])).toBe('NamespaceFull');
    expect(watches.follow(workload('shared'), [config('c0-0'), config('c1-1')])).toBe('Followed');
    expect(watches.follow(workload('elsewhere', { namespace: 'other' }), [config('one-more')])).toBe('Followed');
    expect(watches.size).toBe(101);
    watches.forget('uid-w9');
    expect(watches.follow(workload('more'), [config('c0-0'), config('one-more')])).toBe('Followed');
    await clock.settle();
  });

  it('are 5,000 in all namespaces at most; a workload beyond that has none, and has them once another one is deleted', async () => {
    const follow = (index: number): string =>
      watches.follow(workload('web', { namespace: `n${index}`, uid: `uid-${index}` }), [config('app')]);
    for (let index = 0; index < 5000; index++) expect(follow(index)).toBe('Followed');
    expect([follow(5000), follow(4999), watches.size]).toEqual(['ClusterFull', 'Followed', 5000]);
    watches.forget('uid-7');
    expect([follow(5000), watches.size]).toEqual(['Followed', 5000]);
    await clock.settle();
  });

  it('show since when an object may no longer be read, and enqueue its workloads when that is reported and when it ends', async () => {
    let isForbidden = false;
    const faults = {
      before: () => {
        if (isForbidden) throw apiFailures.forbidden();
      },
    };
    const guarded = new ConfigWatches({ client: api.connect('manager', faults), clock, logger: silentLogger() });
    end();
    end = guarded.watch().start(
      (requests) => taken.push(...requests.map((one) => ('after' in one ? `${one.key.name} ${one.after}` : one.name))),
      () => undefined,
    );
    await write('app', { a: '1' });
    guarded.follow(workload('web'), [config('app')]);
    await clock.settle();
    taken.length = 0;
    isForbidden = true;
    api.endWatches();
    await clock.step(30_000);
    expect(guarded.stateOf(namespace, config('app'))).toMatchObject({ kind: 'Known', forbiddenSince: expect.any(Number) });
    expect(taken).toEqual(['web 10000']);
    isForbidden = false;
    await clock.step(60_000);
    expect(guarded.stateOf(namespace, config('app'))).toMatchObject({ kind: 'Known', forbiddenSince: undefined });
    expect(taken).toEqual(['web 10000', 'web 0']);
  });

  it('take little memory each, as tenants may have many namespaces', async () => {
    const before = heapKB();
    for (let index = 0; index < 500; index++) {
      const web = workload('web', { namespace: `n${index}`, uid: `uid-${index}` });
      watches.follow(web, [config('app')]);
    }
    await clock.settle();
    expect(watches.size).toBe(500);
    // Tables of their own for parts that objects share would be 64 KB.
    expect((heapKB() - before) / watches.size).toBeLessThan(50);
  });

  it('watch Secrets as well', async () => {
    api.seed(secrets, { metadata: { namespace, name: 'tls' }, data: { key: 'AA==' } });
    watches.follow(workload('web'), [config('tls', 'Secret')]);
    await clock.settle();
    expect(watches.stateOf(namespace, config('tls', 'Secret')).kind).toBe('Known');
    expect(watches.stateOf(namespace, config('tls')).kind).toBe('Awaited');
  });

  it('end with the controller, and begin again with the next start', async () => {
    watches.follow(workload('web'), [config('app')]);
    await clock.settle();
    end();
    expect(watches.size).toBe(0);
    expect([watches.follow(workload('web'), [config('app')]), watches.size]).toEqual(['Followed', 0]);
    end = watches.watch().start(
      () => undefined,
      () => undefined,
    );
    expect([watches.follow(workload('web'), [config('app')]), watches.size]).toEqual(['Followed', 1]);
  });
});
