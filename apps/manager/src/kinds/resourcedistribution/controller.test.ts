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

async function started(cluster: DistributionCluster, options: Parameters<DistributionCluster['begin']>[0] = {}) {
  const manager = cluster.begin(options);
  await manager.settle();
  return manager;
}

describe('copies', () => {
  it('are where they should be, with the hash, and the status says so (2)', async () => {
    const cluster = new DistributionCluster(['ns-5', 'kube-system', 'kube-public', 'default']);
    for (const name of ['ns-1', 'ns-2', 'ns-3', 'ns-4']) cluster.namespace(name, { group: 'one' });
    cluster.distribute({
      ...named('ns-1', 'ns-2', 'ns-5'),
      namespaceSelector: { matchLabels: { group: 'one' } },
      excludedNamespaces: list('ns-4'),
    });
    const manager = await started(cluster);
    expect(cluster.places()).toEqual(['ns-1', 'ns-2', 'ns-3', 'ns-5']);
    const { desired, succeeded, failed, observedGeneration, conditions = [] } = cluster.status() ?? {};
    expect([desired, succeeded, failed, observedGeneration]).toEqual([4, 4, undefined, 1]);
    expect(conditions.map(({ status, reason }) => `${status} ${String(reason)}`)).toEqual(
      Array.from({ length: 6 }, () => 'False Succeeded'),
    );
    const resource = (cluster.distribution as ResourceDistribution).spec.resource;
    expect(cluster.copy('ns-3')?.metadata.annotations).toEqual({
      [resourceDistributionAnnotations.from]: 'dist',
      [resourceDistributionAnnotations.hash]: hashOf(resource),
    });
    expect(manager.events).toEqual([]);
    await manager.stop();
  });

  it('come to namespaces that come, and follow their labels (3)', async () => {
    const cluster = new DistributionCluster(['plain']);
    cluster.distribute({ namespaceSelector: { matchLabels: { team: 'x' } }, ...named('later') });
    const manager = await started(cluster);
    expect([cluster.places(), cluster.wrong()]).toEqual([[], ['NamespaceNotExists: later']]);
    cluster.namespace('new', { team: 'x' });
    cluster.namespace('later');
    await manager.settle();
    expect([cluster.places(), cluster.counts()]).toEqual([
      ['later', 'new'],
      [2, 2, 0],
    ]);
    await cluster.api.patch(namespaces, { namespace: '', name: 'plain' }, { metadata: { labels: { team: 'x' } } }, { type: 'merge' });
    await manager.settle();
    expect(cluster.places()).toEqual(['later', 'new', 'plain']);
    await cluster.api.patch(namespaces, { namespace: '', name: 'new' }, { metadata: { labels: { team: null } } }, { type: 'merge' });
    await manager.settle();
    expect([cluster.places(), cluster.counts()]).toEqual([
      ['later', 'plain'],
      [2, 2, 0],
    ]);
    await manager.stop();
  });

  it('are put right after an edit, and made again after a deletion (4)', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute(named('ns-1', 'ns-2'));
    const manager = await started(cluster);
    const key = { namespace: 'ns-1', name: 'settings' };
    await cluster.api.patch(
      configMaps,
      key,
      { data: { color: 'red', more: 'x' }, metadata: { labels: { mine: '1' }, finalizers: ['a/b'] } },
      { type: 'merge' },
    );
    await manager.settle();
    expect(cluster.copy('ns-1')).toMatchObject({ data: { color: 'blue' }, metadata: { labels: { mine: '1' }, finalizers: ['a/b'] } });
    expect(cluster.copy('ns-1')?.data).not.toHaveProperty('more');
    await cluster.api.delete(configMaps, { namespace: 'ns-2', name: 'settings' });
    await manager.settle();
    expect(cluster.copy('ns-2')?.data).toEqual({ color: 'blue' });
    await manager.stop();
  });

  it('follow the resource, its labels and annotations (8)', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute(named('ns-1'));
    const manager = await started(cluster);
    await cluster.change({ resource: { data: { color: 'green' }, metadata: { labels: { team: 'x' } } } });
    await manager.settle();
    expect(cluster.copy('ns-1')).toMatchObject({ data: { color: 'green' }, metadata: { labels: { team: 'x' } } });
    await cluster.change({ resource: { metadata: { labels: { team: null }, annotations: { note: 'y' } } } });
    await manager.settle();
    expect(cluster.copy('ns-1')).toMatchObject({ metadata: { labels: { team: 'x' }, annotations: { note: 'y' } } });
    await manager.stop();
  });

  it('are deleted where the targets have become fewer (6)', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute({ allNamespaces: true });
    const manager = await started(cluster);
    expect(cluster.counts()).toEqual([5, 5, 0]);
    await cluster.change({ targets: { allNamespaces: null, ...named('ns-2', 'ns-3') } });
    await manager.settle();
    expect([cluster.places(), cluster.counts()]).toEqual([
      ['ns-2', 'ns-3'],
      [2, 2, 0],
    ]);
    await manager.stop();
  });

  it('of a distribution that is being deleted are left to the garbage collector (7)', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute({ allNamespaces: true });
    const manager = await started(cluster);
    await cluster.api.patch(
      resourceDistributions,
      distributionKey(),
      { metadata: { finalizers: ['foregroundDeletion'] } },
      { type: 'merge' },
    );
    await cluster.api.delete(resourceDistributions, distributionKey());
    await cluster.api.delete(configMaps, { namespace: 'ns-1', name: 'settings' });
    const { writes } = cluster;
    await manager.settle();
    expect([cluster.writes, cluster.places()]).toEqual([writes, ['ns-2', 'ns-3', 'ns-4', 'ns-5']]);
    await manager.stop();
  });

  it('are owned by the distribution, so that they go with it (7)', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute(named('ns-1'));
    const manager = await started(cluster);
    expect(cluster.copy('ns-1')?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ResourceDistribution',
        name: 'dist',
        uid: cluster.distribution?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    await manager.stop();
  });

  it('never come into the namespaces of the system (8)', async () => {
    const cluster = new DistributionCluster(['kube-system', 'kube-public', 'ns-1']);
    cluster.distribute({ allNamespaces: true });
    cluster.distribute(named('kube-system', 'ns-1'), { ...configMap, metadata: { name: 'other' } }, 'second');
    const manager = await started(cluster);
    expect([cluster.places(), cluster.places(undefined, 'other'), cluster.counts('second')]).toEqual([['ns-1'], ['ns-1'], [1, 1, 0]]);
    await manager.stop();
  });
});

describe('an object of another owner', () => {
  const foreign: KubeObject = { metadata: { name: 'settings', namespace: 'ns-2' } };

  it('stays unchanged and is reported, without a hot retry, and is replaced when it is deleted (9)', async () => {
    const cluster = new DistributionCluster(five);
    cluster.api.seed(configMaps, { ...foreign, data: { of: 'somebody else' } });
    cluster.distribute(named('ns-1', 'ns-2'));
    const manager = await started(cluster);
    expect([cluster.counts(), cluster.wrong()]).toEqual([[2, 1, 1], ['ConflictOccurred: ns-2']]);
    expect(manager.events).toEqual([
      {
        about: 'dist',
        type: 'Warning',
        reason: 'DistributeFailed',
        message: 'ConflictOccurred in ns-2: conflict with existing resources because of the same namespace, group, version, kind and name',
      },
    ]);
    expect(await quietHour({ ...cluster, turn: async () => undefined })).toEqual([]);
    expect(cluster.copy('ns-2')?.data).toEqual({ of: 'somebody else' });
    await cluster.api.delete(configMaps, { namespace: 'ns-2', name: 'settings' });
    await manager.settle();
    expect([cluster.copy('ns-2')?.data, cluster.counts(), cluster.wrong()]).toEqual([{ color: 'blue' }, [2, 2, 0], []]);
    await manager.stop();
  });

  it('may be another distribution: the first has it, the second gets it when the first lets go', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute(named('ns-1'));
    const manager = await started(cluster);
    cluster.distribute(named('ns-1'), { ...configMap, data: { color: 'red' } }, 'second');
    await manager.settle();
    expect([cluster.counts(), cluster.counts('second'), cluster.wrong('second')]).toEqual([
      [1, 1, 0],
      [1, 0, 1],
      ['ConflictOccurred: ns-1'],
    ]);
    await cluster.change({ targets: named('ns-2') });
    await manager.settle();
    expect([cluster.copy('ns-1')?.data, cluster.wrong('second')]).toEqual([{ color: 'red' }, []]);
    await manager.stop();
  });

  it('that came while the watch lagged is found by the write, and stays', async () => {
    const cluster = new DistributionCluster(['ns-1']);
    const manager = await started(cluster);
    cluster.api.holdWatches();
    cluster.distribute(named('ns-1'));
    cluster.api.releaseWatches();
    cluster.api.holdWatches();
    cluster.api.seed(configMaps, { metadata: { name: 'settings', namespace: 'ns-1' }, data: { of: 'somebody else' } });
    await manager.settle();
    cluster.api.releaseWatches();
    await manager.settle();
    expect([cluster.copy('ns-1')?.data, cluster.wrong()]).toEqual([{ of: 'somebody else' }, ['ConflictOccurred: ns-1']]);
    await manager.stop();
  });
});

describe('namespaces', () => {
  it('that are deleted are reported, and served again when they are created again (5)', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute(named('ns-1', 'ns-2'));
    const manager = await started(cluster);
    await cluster.removeNamespace('ns-1');
    await manager.settle();
    expect([cluster.counts(), cluster.wrong()]).toEqual([[2, 1, 1], ['NamespaceNotExists: ns-1']]);
    expect(cluster.status()?.conditions?.[5]).toMatchObject({
      reason: 'namespace not found or is terminating',
      failedNamespaces: ['ns-1'],
    });
    cluster.namespace('ns-1');
    await manager.settle();
    expect([cluster.places(), cluster.wrong()]).toEqual([['ns-1', 'ns-2'], []]);
    await manager.stop();
  });

  it('that are selected and go are no targets any more', async () => {
    const cluster = new DistributionCluster(five);
    cluster.namespace('x', { team: 'x' });
    cluster.distribute({ namespaceSelector: { matchLabels: { team: 'x' } } });
    const manager = await started(cluster);
    await cluster.removeNamespace('x');
    await manager.settle();
    expect([cluster.counts(), cluster.wrong()]).toEqual([[0, 0, 0], []]);
    await manager.stop();
  });

  it('that begin to go when a copy is made are as good as missing', async () => {
    const cluster = new DistributionCluster(['ns-1']);
    cluster.distribute(named('ns-1'));
    const terminating = { field: '', reason: 'NamespaceTerminating', message: '' };
    const manager = await started(cluster, {
      before: ({ verb, type }) => {
        if (verb === 'create' && type?.kind === 'ConfigMap')
          throw new ApiError(
            'unable to create new content',
            { kind: 'Forbidden' },
            { code: 403, reason: 'Forbidden', causes: [terminating] },
          );
      },
    });
    expect(cluster.wrong()).toEqual(['NamespaceNotExists: ns-1']);
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
    const cluster = new DistributionCluster(five);
    cluster.distribute(named('ns-1', 'ns-2', 'ns-3'));
    const first = await started(cluster, verb === 'create' ? { before: () => undefined } : {});
    if (verb === 'create') for (const namespace of five.slice(0, 3)) await cluster.api.delete(configMaps, { namespace, name: 'settings' });
    await first.stop();
    let broken = true;
    if (verb === 'update') await cluster.change({ resource: { data: { color: 'green' } } });
    if (verb === 'delete') await cluster.change({ targets: named('ns-1') });
    const manager = await started(
      cluster,
      failing(verb, 'ns-2', forbidden, () => broken),
    );
    expect(cluster.wrong()).toEqual([`${condition}: ns-2`]);
    expect(cluster.status()?.conditions?.find(({ type }) => type === condition)?.reason).toBe('exceeded quota');
    expect(cluster.counts()).toEqual(verb === 'delete' ? [1, 1, 0] : [3, 2, 1]);
    broken = false;
    await cluster.clock.step(60_000);
    await manager.settle();
    expect(cluster.wrong()).toEqual([]);
    expect(cluster.places()).toEqual(verb === 'delete' ? ['ns-1'] : ['ns-1', 'ns-2', 'ns-3']);
    await manager.stop();
  });

  it('of an immutable copy are reported and retried with backoff; it is not replaced', async () => {
    const cluster = new DistributionCluster(['ns-1']);
    cluster.distribute(named('ns-1'), { ...configMap, immutable: true });
    const invalid = (): ApiError =>
      new ApiError('field is immutable when `immutable` is set', { kind: 'Invalid', causes: [] }, { code: 422 });
    const manager = await started(cluster, failing('update', 'ns-1', invalid));
    const { uid } = cluster.copy('ns-1')?.metadata ?? {};
    await cluster.change({ resource: { data: { color: 'red' } } });
    await manager.settle();
    expect(cluster.wrong()).toEqual(['UpdateResourceFailed: ns-1']);
    const calls = cluster.api.calls.length;
    await cluster.clock.step(600_000);
    expect(cluster.api.calls.slice(calls).filter(({ verb }) => verb === 'update').length).toBeLessThan(20);
    expect(cluster.copy('ns-1')?.metadata.uid).toBe(uid);
    await manager.stop();
  });

  it('to list because of missing rights are reported, and everything continues when the rights are granted', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute(named('ns-1', 'ns-2'), secret);
    cluster.distribute(named('ns-1'), configMap, 'second');
    let allowed = false;
    const manager = await started(cluster, {
      before: ({ verb, type }) => {
        if (!allowed && type?.kind === 'Secret' && (verb === 'list' || verb === 'watch'))
          throw new ApiError('secrets is forbidden', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
      },
    });
    expect(cluster.counts('second')).toEqual([1, 1, 0]);
    expect(cluster.status()).toBeUndefined();
    await cluster.clock.step(60_000);
    expect([cluster.counts(), cluster.wrong()]).toEqual([[2, 0, 2], ['GetResourceFailed: ns-1,ns-2']]);
    expect(cluster.status()?.conditions?.[0]?.reason).toBe('secrets is forbidden');
    allowed = true;
    for (let minute = 0; minute < 20; minute++) await cluster.clock.step(60_000);
    expect([cluster.counts(), cluster.wrong(), cluster.places(secrets, 'token')]).toEqual([[2, 2, 0], [], ['ns-1', 'ns-2']]);
    await manager.stop();
  });

  it('of an unreachable API server end the pass: nothing is known or reported of what was not begun', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const cluster = new DistributionCluster(names);
    let away = false;
    cluster.distribute(named('n00'));
    const manager = await started(cluster, {
      before: (call) => {
        if (away && isCopyCall(call)) throw apiFailures.unreachable();
      },
    });
    away = true;
    await cluster.change({ targets: { allNamespaces: true } });
    await manager.settle();
    expect([cluster.counts(), cluster.wrong()]).toEqual([[1, 1, 0], []]);
    away = false;
    await cluster.clock.step(60_000);
    await manager.settle();
    expect([cluster.counts(), cluster.wrong()]).toEqual([[40, 40, 0], []]);
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
    { name: 'a text', resource: 'x', why: 'spec.resource cannot be read: it is not an object' },
  ])('of an object that came past admission are its own: $name', async ({ resource, why }) => {
    const cluster = new DistributionCluster(['ns-1', 'ns-2']);
    cluster.distribute(named('ns-1'), resource as object);
    cluster.distribute(named('ns-2'), configMap, 'second');
    const manager = await started(cluster);
    expect([cluster.counts(), cluster.wrong(), cluster.status()?.conditions?.[0]?.reason]).toEqual([
      [1, 0, 1],
      ['GetResourceFailed: ns-1'],
      why,
    ]);
    expect(manager.events.map(({ about, reason }) => `${reason} ${about}`)).toEqual(['DistributeFailed dist']);
    expect(cluster.counts('second')).toEqual([1, 1, 0]);
    await manager.stop();
  });
});

describe('what it costs', () => {
  it('1,000 namespaces are 1,000 writes and one status, and idle there are none', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    const cluster = new DistributionCluster(names);
    cluster.distribute({ allNamespaces: true });
    const manager = await started(cluster);
    for (let turn = 0; turn < 50 && cluster.counts()[1] !== 1000; turn++) await manager.settle();
    expect(cluster.counts()).toEqual([1000, 1000, 0]);
    expect(cluster.writes).toBe(1001);
    expect(cluster.api.calls.filter(({ verb, type }) => verb === 'get' && type?.kind === 'ConfigMap')).toEqual([]);
    const calls = cluster.api.calls.length;
    expect(await quietHour({ ...cluster })).toEqual([]);
    expect(cluster.api.calls.slice(calls).filter(({ verb }) => verb !== 'watch')).toEqual([]);
    await manager.stop();
  });

  it('a Secret without type is written once, and never again while nothing changes (16)', async () => {
    const cluster = new DistributionCluster(['ns-1']);
    cluster.distribute(named('ns-1'), secret);
    const manager = await started(cluster);
    // As the API server stores what it was given.
    const made = cluster.api.peek(secrets, { namespace: 'ns-1', name: 'token' });
    const { stringData: _stringData, ...rest } = made as unknown as { stringData: object } & KubeObject;
    cluster.api.seed(secrets, { ...rest, type: 'Opaque', data: { password: Buffer.from('hunter2').toString('base64') } });
    await manager.settle();
    expect(await quietHour({ ...cluster })).toEqual([]);
    await manager.stop();
  });

  it('one watch for each name, which ends with the last who distributes it', async () => {
    const cluster = new DistributionCluster(five);
    const watches = (): readonly string[] =>
      cluster.api.calls.filter(({ verb, type }) => verb === 'watch' && type?.kind === 'ConfigMap').map(({ key }) => key.namespace);
    cluster.distribute(named('ns-1'));
    cluster.distribute(named('ns-2'), configMap, 'second');
    const manager = await started(cluster);
    expect(watches()).toHaveLength(1);
    cluster.api.seed(configMaps, { metadata: { name: 'unrelated', namespace: 'ns-1' } });
    await manager.settle();
    await cluster.api.delete(resourceDistributions, distributionKey());
    await manager.settle();
    cluster.api.endWatches();
    await cluster.clock.step(5_000);
    expect(watches().length).toBeGreaterThan(1);
    await cluster.api.delete(resourceDistributions, distributionKey('second'));
    await manager.settle();
    const held = watches().length;
    cluster.api.endWatches();
    await cluster.clock.step(60_000);
    expect(watches()).toHaveLength(held);
    await manager.stop();
  });

  it('with the gate off nothing is watched', async () => {
    const { resourceDistribution } = await import('./index.ts');
    expect((await resourceDistribution.controllers?.())?.[0]?.gates).toEqual(['ResourceDistributionGate']);
  });
});

describe('a manager that dies', () => {
  it.each(deathTimes)('at any write (%s) leads to the result of an undisturbed run', async (when) => {
    const scenario = async (death?: Death) => {
      const cluster = new DistributionCluster(['a', 'b', 'c', 'd']);
      cluster.api.seed(configMaps, { metadata: { name: 'settings', namespace: 'c' }, data: { of: 'somebody else' } });
      cluster.distribute(named('a', 'b', 'c', 'gone'));
      const manager = await started(cluster, { death });
      const step = async (act: () => Promise<unknown>): Promise<void> => {
        await act();
        await manager.settle();
      };
      await step(() =>
        cluster.api
          .patch(configMaps, { namespace: 'a', name: 'settings' }, { data: { color: 'red' } }, { type: 'merge' })
          .catch(() => undefined),
      );
      await step(() => cluster.change({ targets: named('a', 'd', 'c') }));
      const next = manager.dead ? cluster.begin() : manager;
      await next.settle();
      await cluster.clock.step(1_000);
      expect([cluster.places(), cluster.counts(), cluster.wrong()]).toEqual([['a', 'c', 'd'], [3, 2, 1], ['ConflictOccurred: c']]);
      expect([cluster.copy('a')?.data, cluster.copy('c')?.data]).toEqual([{ color: 'blue' }, { of: 'somebody else' }]);
      if (manager.dead) await manager.stop();
      await next.stop();
      return manager;
    };
    expect(await deathsAtEveryStep(when, scenario)).toBe((await scenario()).writes);
  });

  it('and another that leads for a moment at the same time make the same copies', async () => {
    const cluster = new DistributionCluster(five);
    cluster.distribute({ allNamespaces: true });
    const managers = [cluster.begin(), cluster.begin()];
    for (const manager of managers) await manager.settle();
    await cluster.change({ resource: { data: { color: 'green' } } });
    for (const manager of managers) await manager.settle();
    await cluster.clock.step(5_000);
    expect([cluster.counts(), cluster.wrong()]).toEqual([[5, 5, 0], []]);
    expect(five.map((name) => cluster.copy(name)?.data)).toEqual(five.map(() => ({ color: 'green' })));
    for (const manager of managers) await manager.stop();
  });
});
