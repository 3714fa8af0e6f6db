/** The controller on an API server in memory. @see spec/resourcedistribution.md 5, 6, 8, 9 */
import { describe, expect, it } from '@jest/globals';
import { resourceDistributionAnnotations, resourceDistributions, type ResourceDistribution } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { apiFailures, deathsAtEveryStep, deathTimes, quietHour, type Death, type FakeCall } from '@kruise/kube/testing';
import { configMaps, namespaces, secrets, type KubeObject } from '@kruise/objects';
import { hashOf } from '@kruise/kinds/resourcedistribution';
import { configMap, list, secret } from '@kruise/kinds/resourcedistribution/testing';
import { distributionKey, DistributionCluster } from './cluster.testing.ts';

const five = ['ns-1', 'ns-2', 'ns-3', 'ns-4', 'ns-5'];
const named = (...names: readonly string[]) => ({ includedNamespaces: list(...names) });
const isCopyCall = ({ type, verb }: FakeCall): boolean => (type?.kind === 'ConfigMap' || type?.kind === 'Secret') && verb !== 'watch';

async function started(world: DistributionCluster, options: Parameters<DistributionCluster['begin']>[0] = {}) {
  const manager = world.begin(options);
  await manager.settle();
  return manager;
}

describe('copies', () => {
  it('are where they should be, with the hash, and the status says so (2)', async () => {
    const world = new DistributionCluster(['ns-5', 'kube-system', 'kube-public', 'default']);
    for (const name of ['ns-1', 'ns-2', 'ns-3', 'ns-4']) world.namespace(name, { group: 'one' });
    world.distribute({
      ...named('ns-1', 'ns-2', 'ns-5'),
      namespaceSelector: { matchLabels: { group: 'one' } },
      excludedNamespaces: list('ns-4'),
    });
    const manager = await started(world);
    expect(world.places()).toEqual(['ns-1', 'ns-2', 'ns-3', 'ns-5']);
    const { desired, succeeded, failed, observedGeneration, conditions = [] } = world.status() ?? {};
    expect([desired, succeeded, failed, observedGeneration]).toEqual([4, 4, undefined, 1]);
    expect(conditions.map(({ status, reason }) => `${status} ${String(reason)}`)).toEqual(
      Array.from({ length: 6 }, () => 'False Succeeded'),
    );
    const resource = (world.distribution as ResourceDistribution).spec.resource;
    expect(world.copy('ns-3')?.metadata.annotations).toEqual({
      [resourceDistributionAnnotations.from]: 'dist',
      [resourceDistributionAnnotations.hash]: hashOf(resource),
    });
    expect(manager.events).toEqual([]);
    await manager.stop();
  });

  it('come to namespaces that come, and follow their labels (3)', async () => {
    const world = new DistributionCluster(['plain']);
    world.distribute({ namespaceSelector: { matchLabels: { team: 'x' } }, ...named('later') });
    const manager = await started(world);
    expect([world.places(), world.wrong()]).toEqual([[], ['NamespaceNotExists: later']]);
    world.namespace('new', { team: 'x' });
    world.namespace('later');
    await manager.settle();
    expect([world.places(), world.counts()]).toEqual([
      ['later', 'new'],
      [2, 2, 0],
    ]);
    await world.api.patch(namespaces, { namespace: '', name: 'plain' }, { metadata: { labels: { team: 'x' } } }, { type: 'merge' });
    await manager.settle();
    expect(world.places()).toEqual(['later', 'new', 'plain']);
    await world.api.patch(namespaces, { namespace: '', name: 'new' }, { metadata: { labels: { team: null } } }, { type: 'merge' });
    await manager.settle();
    expect([world.places(), world.counts()]).toEqual([
      ['later', 'plain'],
      [2, 2, 0],
    ]);
    await manager.stop();
  });

  it('are put right after an edit, and made again after a deletion (4)', async () => {
    const world = new DistributionCluster(five);
    world.distribute(named('ns-1', 'ns-2'));
    const manager = await started(world);
    const key = { namespace: 'ns-1', name: 'settings' };
    await world.api.patch(
      configMaps,
      key,
      { data: { color: 'red', more: 'x' }, metadata: { labels: { mine: '1' }, finalizers: ['a/b'] } },
      { type: 'merge' },
    );
    await manager.settle();
    expect(world.copy('ns-1')).toMatchObject({ data: { color: 'blue' }, metadata: { labels: { mine: '1' }, finalizers: ['a/b'] } });
    expect(world.copy('ns-1')?.data).not.toHaveProperty('more');
    await world.api.delete(configMaps, { namespace: 'ns-2', name: 'settings' });
    await manager.settle();
    expect(world.copy('ns-2')?.data).toEqual({ color: 'blue' });
    await manager.stop();
  });

  it('follow the resource, its labels and annotations (8)', async () => {
    const world = new DistributionCluster(five);
    world.distribute(named('ns-1'));
    const manager = await started(world);
    await world.change({ resource: { data: { color: 'green' }, metadata: { labels: { team: 'x' } } } });
    await manager.settle();
    expect(world.copy('ns-1')).toMatchObject({ data: { color: 'green' }, metadata: { labels: { team: 'x' } } });
    await world.change({ resource: { metadata: { labels: { team: null }, annotations: { note: 'y' } } } });
    await manager.settle();
    expect(world.copy('ns-1')).toMatchObject({ metadata: { labels: { team: 'x' }, annotations: { note: 'y' } } });
    await manager.stop();
  });

  it('are deleted where the targets have become fewer (6)', async () => {
    const world = new DistributionCluster(five);
    world.distribute({ allNamespaces: true });
    const manager = await started(world);
    expect(world.counts()).toEqual([5, 5, 0]);
    await world.change({ targets: { allNamespaces: null, ...named('ns-2', 'ns-3') } });
    await manager.settle();
    expect([world.places(), world.counts()]).toEqual([
      ['ns-2', 'ns-3'],
      [2, 2, 0],
    ]);
    await manager.stop();
  });

  it('of a distribution that is being deleted are left to the garbage collector (7)', async () => {
    const world = new DistributionCluster(five);
    world.distribute({ allNamespaces: true });
    const manager = await started(world);
    await world.api.patch(
      resourceDistributions,
      distributionKey(),
      { metadata: { finalizers: ['foregroundDeletion'] } },
      { type: 'merge' },
    );
    await world.api.delete(resourceDistributions, distributionKey());
    await world.api.delete(configMaps, { namespace: 'ns-1', name: 'settings' });
    const { writes } = world;
    await manager.settle();
    expect([world.writes, world.places()]).toEqual([writes, ['ns-2', 'ns-3', 'ns-4', 'ns-5']]);
    await manager.stop();
  });

  it('are owned by the distribution, so that they go with it (7)', async () => {
    const world = new DistributionCluster(five);
    world.distribute(named('ns-1'));
    const manager = await started(world);
    expect(world.copy('ns-1')?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ResourceDistribution',
        name: 'dist',
        uid: world.distribution?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    await manager.stop();
  });

  it('never come into the namespaces of the system (8)', async () => {
    const world = new DistributionCluster(['kube-system', 'kube-public', 'ns-1']);
    world.distribute({ allNamespaces: true });
    world.distribute(named('kube-system', 'ns-1'), { ...configMap, metadata: { name: 'other' } }, 'second');
    const manager = await started(world);
    expect([world.places(), world.places(undefined, 'other'), world.counts('second')]).toEqual([['ns-1'], ['ns-1'], [1, 1, 0]]);
    await manager.stop();
  });
});

describe('an object of another owner', () => {
  const foreign: KubeObject = { metadata: { name: 'settings', namespace: 'ns-2' } };

  it('stays unchanged and is reported, without a hot retry, and is replaced when it is deleted (9)', async () => {
    const world = new DistributionCluster(five);
    world.api.seed(configMaps, { ...foreign, data: { of: 'somebody else' } });
    world.distribute(named('ns-1', 'ns-2'));
    const manager = await started(world);
    expect([world.counts(), world.wrong()]).toEqual([[2, 1, 1], ['ConflictOccurred: ns-2']]);
    expect(manager.events).toEqual([
      {
        about: 'dist',
        type: 'Warning',
        reason: 'DistributeFailed',
        message: 'ConflictOccurred in ns-2: conflict with existing resources because of the same namespace, group, version, kind and name',
      },
    ]);
    expect(await quietHour({ ...world, turn: async () => undefined })).toEqual([]);
    expect(world.copy('ns-2')?.data).toEqual({ of: 'somebody else' });
    await world.api.delete(configMaps, { namespace: 'ns-2', name: 'settings' });
    await manager.settle();
    expect([world.copy('ns-2')?.data, world.counts(), world.wrong()]).toEqual([{ color: 'blue' }, [2, 2, 0], []]);
    await manager.stop();
  });

  it('may be another distribution: the first has it, the second gets it when the first lets go', async () => {
    const world = new DistributionCluster(five);
    world.distribute(named('ns-1'));
    const manager = await started(world);
    world.distribute(named('ns-1'), { ...configMap, data: { color: 'red' } }, 'second');
    await manager.settle();
    expect([world.counts(), world.counts('second'), world.wrong('second')]).toEqual([[1, 1, 0], [1, 0, 1], ['ConflictOccurred: ns-1']]);
    await world.change({ targets: named('ns-2') });
    await manager.settle();
    expect([world.copy('ns-1')?.data, world.wrong('second')]).toEqual([{ color: 'red' }, []]);
    await manager.stop();
  });

  it('that came while the watch lagged is found by the write, and stays', async () => {
    const world = new DistributionCluster(['ns-1']);
    const manager = await started(world);
    world.api.holdWatches();
    world.distribute(named('ns-1'));
    world.api.releaseWatches();
    world.api.holdWatches();
    world.api.seed(configMaps, { metadata: { name: 'settings', namespace: 'ns-1' }, data: { of: 'somebody else' } });
    await manager.settle();
    world.api.releaseWatches();
    await manager.settle();
    expect([world.copy('ns-1')?.data, world.wrong()]).toEqual([{ of: 'somebody else' }, ['ConflictOccurred: ns-1']]);
    await manager.stop();
  });
});

describe('namespaces', () => {
  it('that are deleted are reported, and served again when they are created again (5)', async () => {
    const world = new DistributionCluster(five);
    world.distribute(named('ns-1', 'ns-2'));
    const manager = await started(world);
    await world.removeNamespace('ns-1');
    await manager.settle();
    expect([world.counts(), world.wrong()]).toEqual([[2, 1, 1], ['NamespaceNotExists: ns-1']]);
    expect(world.status()?.conditions?.[5]).toMatchObject({ reason: 'namespace not found or is terminating', failedNamespaces: ['ns-1'] });
    world.namespace('ns-1');
    await manager.settle();
    expect([world.places(), world.wrong()]).toEqual([['ns-1', 'ns-2'], []]);
    await manager.stop();
  });

  it('that are selected and go are no targets any more', async () => {
    const world = new DistributionCluster(five);
    world.namespace('x', { team: 'x' });
    world.distribute({ namespaceSelector: { matchLabels: { team: 'x' } } });
    const manager = await started(world);
    await world.removeNamespace('x');
    await manager.settle();
    expect([world.counts(), world.wrong()]).toEqual([[0, 0, 0], []]);
    await manager.stop();
  });

  it('that begin to go when a copy is made are as good as missing', async () => {
    const world = new DistributionCluster(['ns-1']);
    world.distribute(named('ns-1'));
    const terminating = { field: '', reason: 'NamespaceTerminating', message: '' };
    const manager = await started(world, {
      before: ({ verb, type }) => {
        if (verb === 'create' && type?.kind === 'ConfigMap')
          throw new ApiError(
            'unable to create new content',
            { kind: 'Forbidden' },
            { code: 403, reason: 'Forbidden', causes: [terminating] },
          );
      },
    });
    expect(world.wrong()).toEqual(['NamespaceNotExists: ns-1']);
    await manager.stop();
  });
});

describe('failures', () => {
  const failing = (verb: FakeCall['verb'], namespace: string, error: () => ApiError, until: () => boolean = () => true) => ({
    before: (call: FakeCall) => {
      if (call.verb === verb && isCopyCall(call) && call.key.namespace === namespace && until()) throw error();
    },
  });
  const forbidden = (): ApiError => new ApiError('exceeded quota', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });

  it.each([
    { verb: 'create', condition: 'CreateResourceFailed' },
    { verb: 'update', condition: 'UpdateResourceFailed' },
    { verb: 'delete', condition: 'DeleteResourceFailed' },
  ] as const)('of $verb are reported in $condition, hold back no other copy, and are retried', async ({ verb, condition }) => {
    const world = new DistributionCluster(five);
    world.distribute(named('ns-1', 'ns-2', 'ns-3'));
    const first = await started(world, verb === 'create' ? { before: () => undefined } : {});
    if (verb === 'create') for (const namespace of five.slice(0, 3)) await world.api.delete(configMaps, { namespace, name: 'settings' });
    await first.stop();
    let broken = true;
    if (verb === 'update') await world.change({ resource: { data: { color: 'green' } } });
    if (verb === 'delete') await world.change({ targets: named('ns-1') });
    const manager = await started(
      world,
      failing(verb, 'ns-2', forbidden, () => broken),
    );
    expect(world.wrong()).toEqual([`${condition}: ns-2`]);
    expect(world.status()?.conditions?.find(({ type }) => type === condition)?.reason).toBe('exceeded quota');
    expect(world.counts()).toEqual(verb === 'delete' ? [1, 1, 0] : [3, 2, 1]);
    broken = false;
    await world.clock.step(60_000);
    await manager.settle();
    expect(world.wrong()).toEqual([]);
    expect(world.places()).toEqual(verb === 'delete' ? ['ns-1'] : ['ns-1', 'ns-2', 'ns-3']);
    await manager.stop();
  });

  it('of an immutable copy are reported and retried with backoff; it is not replaced', async () => {
    const world = new DistributionCluster(['ns-1']);
    world.distribute(named('ns-1'), { ...configMap, immutable: true });
    const invalid = (): ApiError =>
      new ApiError('field is immutable when `immutable` is set', { kind: 'Invalid', causes: [] }, { code: 422 });
    const manager = await started(world, failing('update', 'ns-1', invalid));
    const { uid } = world.copy('ns-1')?.metadata ?? {};
    await world.change({ resource: { data: { color: 'red' } } });
    await manager.settle();
    expect(world.wrong()).toEqual(['UpdateResourceFailed: ns-1']);
    const calls = world.api.calls.length;
    await world.clock.step(600_000);
    expect(world.api.calls.slice(calls).filter(({ verb }) => verb === 'update').length).toBeLessThan(20);
    expect(world.copy('ns-1')?.metadata.uid).toBe(uid);
    await manager.stop();
  });

  it('to list because of missing rights are reported, and everything continues when the rights are granted', async () => {
    const world = new DistributionCluster(five);
    world.distribute(named('ns-1', 'ns-2'), secret);
    world.distribute(named('ns-1'), configMap, 'second');
    let allowed = false;
    const manager = await started(world, {
      before: ({ verb, type }) => {
        if (!allowed && type?.kind === 'Secret' && (verb === 'list' || verb === 'watch'))
          throw new ApiError('secrets is forbidden', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
      },
    });
    expect(world.counts('second')).toEqual([1, 1, 0]);
    expect(world.status()).toBeUndefined();
    await world.clock.step(60_000);
    expect([world.counts(), world.wrong()]).toEqual([[2, 0, 2], ['GetResourceFailed: ns-1,ns-2']]);
    expect(world.status()?.conditions?.[0]?.reason).toBe('secrets is forbidden');
    allowed = true;
    for (let minute = 0; minute < 20; minute++) await world.clock.step(60_000);
    expect([world.counts(), world.wrong(), world.places(secrets, 'token')]).toEqual([[2, 2, 0], [], ['ns-1', 'ns-2']]);
    await manager.stop();
  });

  it('of an unreachable API server end the pass: nothing is known or reported of what was not begun', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const world = new DistributionCluster(names);
    let away = false;
    world.distribute(named('n00'));
    const manager = await started(world, {
      before: (call) => {
        if (away && isCopyCall(call)) throw apiFailures.unreachable();
      },
    });
    away = true;
    await world.change({ targets: { allNamespaces: true } });
    await manager.settle();
    expect([world.counts(), world.wrong()]).toEqual([[1, 1, 0], []]);
    away = false;
    await world.clock.step(60_000);
    await manager.settle();
    expect([world.counts(), world.wrong()]).toEqual([[40, 40, 0], []]);
    await manager.stop();
  });

  it.each<{ name: string; resource: unknown; why: string }>([
    { name: 'no resource', resource: {}, why: 'spec.resource is empty' },
    {
      name: 'a kind that cannot be distributed',
      resource: { ...configMap, kind: 'Service' },
      why: 'spec.resource is neither a ConfigMap nor a Secret',
    },
    {
      name: 'a version that is not served',
      resource: { ...configMap, apiVersion: 'v2' },
      why: 'spec.resource: apiVersion v2 is not served, write v1',
    },
    {
      name: 'a name that is a path',
      resource: { ...configMap, metadata: { name: 'a/../b' } },
      why: expect.stringContaining('spec.resource: a lowercase RFC 1123 subdomain') as never,
    },
    { name: 'a text', resource: 'x', why: 'spec.resource cannot be read: it is no object' },
  ])('of an object that came past admission are its own: $name', async ({ resource, why }) => {
    const world = new DistributionCluster(['ns-1', 'ns-2']);
    world.distribute(named('ns-1'), resource as object);
    world.distribute(named('ns-2'), configMap, 'second');
    const manager = await started(world);
    expect([world.counts(), world.wrong(), world.status()?.conditions?.[0]?.reason]).toEqual([[1, 0, 1], ['GetResourceFailed: ns-1'], why]);
    expect(manager.events.map(({ about, reason }) => `${reason} ${about}`)).toEqual(['DistributeFailed dist']);
    expect(world.counts('second')).toEqual([1, 1, 0]);
    await manager.stop();
  });
});

describe('what it costs', () => {
  it('1,000 namespaces are 1,000 writes and one status, and idle there are none', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    const world = new DistributionCluster(names);
    world.distribute({ allNamespaces: true });
    const manager = await started(world);
    for (let turn = 0; turn < 50 && world.counts()[1] !== 1000; turn++) await manager.settle();
    expect(world.counts()).toEqual([1000, 1000, 0]);
    expect(world.writes).toBe(1001);
    expect(world.api.calls.filter(({ verb, type }) => verb === 'get' && type?.kind === 'ConfigMap')).toEqual([]);
    const calls = world.api.calls.length;
    expect(await quietHour({ ...world })).toEqual([]);
    expect(world.api.calls.slice(calls).filter(({ verb }) => verb !== 'watch')).toEqual([]);
    await manager.stop();
  });

  it('a Secret without type is written once, and never again while nothing changes (16)', async () => {
    const world = new DistributionCluster(['ns-1']);
    world.distribute(named('ns-1'), secret);
    const manager = await started(world);
    // As the API server stores what it was given.
    const made = world.api.peek(secrets, { namespace: 'ns-1', name: 'token' });
    const { stringData: _stringData, ...rest } = made as unknown as { stringData: object } & KubeObject;
    world.api.seed(secrets, { ...rest, type: 'Opaque', data: { password: Buffer.from('hunter2').toString('base64') } });
    await manager.settle();
    expect(await quietHour({ ...world })).toEqual([]);
    await manager.stop();
  });

  it('one watch for each name, which ends with the last who distributes it', async () => {
    const world = new DistributionCluster(five);
    const watches = (): readonly string[] =>
      world.api.calls.filter(({ verb, type }) => verb === 'watch' && type?.kind === 'ConfigMap').map(({ key }) => key.namespace);
    world.distribute(named('ns-1'));
    world.distribute(named('ns-2'), configMap, 'second');
    const manager = await started(world);
    expect(watches()).toHaveLength(1);
    world.api.seed(configMaps, { metadata: { name: 'unrelated', namespace: 'ns-1' } });
    await manager.settle();
    await world.api.delete(resourceDistributions, distributionKey());
    await manager.settle();
    world.api.endWatches();
    await world.clock.step(5_000);
    expect(watches().length).toBeGreaterThan(1);
    await world.api.delete(resourceDistributions, distributionKey('second'));
    await manager.settle();
    const held = watches().length;
    world.api.endWatches();
    await world.clock.step(60_000);
    expect(watches()).toHaveLength(held);
    await manager.stop();
  });

  it('with the gate off nothing is watched', async () => {
    const { resourceDistribution } = await import('./index.ts');
    expect(resourceDistribution.controllers?.[0]?.gates).toEqual(['ResourceDistributionGate']);
  });
});

describe('a manager that dies', () => {
  it.each(deathTimes)('at any write (%s) leads to the result of an undisturbed run', async (when) => {
    const scenario = async (death?: Death) => {
      const world = new DistributionCluster(['a', 'b', 'c', 'd']);
      world.api.seed(configMaps, { metadata: { name: 'settings', namespace: 'c' }, data: { of: 'somebody else' } });
      world.distribute(named('a', 'b', 'c', 'gone'));
      const manager = await started(world, { death });
      const step = async (act: () => Promise<unknown>): Promise<void> => {
        await act();
        await manager.settle();
      };
      await step(() =>
        world.api
          .patch(configMaps, { namespace: 'a', name: 'settings' }, { data: { color: 'red' } }, { type: 'merge' })
          .catch(() => undefined),
      );
      await step(() => world.change({ targets: named('a', 'd', 'c') }));
      const next = manager.dead ? world.begin() : manager;
      await next.settle();
      await world.clock.step(1_000);
      expect([world.places(), world.counts(), world.wrong()]).toEqual([['a', 'c', 'd'], [3, 2, 1], ['ConflictOccurred: c']]);
      expect([world.copy('a')?.data, world.copy('c')?.data]).toEqual([{ color: 'blue' }, { of: 'somebody else' }]);
      if (manager.dead) await manager.stop();
      await next.stop();
      return manager;
    };
    expect(await deathsAtEveryStep(when, scenario)).toBe((await scenario()).writes);
  });

  it('and another that leads for a moment at the same time make the same copies', async () => {
    const world = new DistributionCluster(five);
    world.distribute({ allNamespaces: true });
    const managers = [world.begin(), world.begin()];
    for (const manager of managers) await manager.settle();
    await world.change({ resource: { data: { color: 'green' } } });
    for (const manager of managers) await manager.settle();
    await world.clock.step(5_000);
    expect([world.counts(), world.wrong()]).toEqual([[5, 5, 0], []]);
    expect(five.map((name) => world.copy(name)?.data)).toEqual(five.map(() => ({ color: 'green' })));
    for (const manager of managers) await manager.stop();
  });
});
