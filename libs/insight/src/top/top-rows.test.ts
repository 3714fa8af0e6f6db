/** The row of each kind of object. */
import { describe, expect, it } from '@jest/globals';
import type { AnyObject } from '../seen.ts';
import { cloneSet, object, pod } from '../snapshots.testing.ts';
import { topRows, type TopRow } from './top-rows.ts';

const metrics = (name: string, namespace: string, ...usages: readonly object[]): AnyObject =>
  object('metrics.k8s.io/v1beta1/PodMetrics', name, {
    metadata: { namespace },
    containers: usages.map((usage) => ({ name: 'main', usage })),
  });

const rowOf = (root: AnyObject, pods: readonly AnyObject[] = [], measured: readonly AnyObject[] = []): TopRow =>
  topRows({ objects: [root], pods, metrics: measured })[0]!;

describe('the numbers of a row', () => {
  it.each<{ name: string; root: AnyObject; then: { readonly [K in keyof TopRow]?: TopRow[K] | undefined } }>([
    {
      name: 'a CloneSet',
      root: cloneSet({ replicas: 3 }, { readyReplicas: 2, updatedReplicas: 1 }),
      then: { desired: 3, ready: 2, updated: 1, state: 'Progressing', health: 'Busy' },
    },
    {
      name: 'an Advanced DaemonSet',
      root: object('apps.kruise.io/v1beta1/DaemonSet', 'agent', {
        status: { desiredNumberScheduled: 4, currentNumberScheduled: 4, numberReady: 3, updatedNumberScheduled: 4 },
      }),
      then: { desired: 4, ready: 3, updated: 4 },
    },
    {
      name: 'a SidecarSet',
      root: object('apps.kruise.io/v1beta1/SidecarSet', 'side', { status: { matchedPods: 5, readyPods: 4, updatedPods: 2 } }),
      then: { desired: 5, ready: 4, updated: 2 },
    },
    {
      name: 'a ReplicaSet, which has no updates',
      root: object('apps/v1/ReplicaSet', 'web', { spec: { replicas: 1 }, status: { readyReplicas: 1 } }),
      then: { desired: 1, ready: 1, updated: undefined },
    },
    {
      name: 'a kind that counts no Pods',
      root: object('apps.kruise.io/v1beta1/ContainerRecreateRequest', 'r', { status: { phase: 'Recreating' } }),
      then: { desired: undefined, ready: undefined, updated: undefined, state: 'Recreating' },
    },
    { name: 'a Pod', root: pod('web-1', undefined), then: { desired: undefined, state: 'Ready', health: 'Good' } },
  ])('are those of $name', ({ root, then }) => {
    const row = rowOf(root);
    expect(Object.fromEntries(Object.keys(then).map((key) => [key, row[key as keyof TopRow]]))).toEqual(then);
  });

  it('contain what blocks the object', () => {
    const conditions = [{ type: 'Blocked', status: 'True', reason: 'Paused', message: 'the update is paused' }];
    expect(rowOf(cloneSet({}, { conditions }))).toMatchObject({
      health: 'Faulty',
      state: 'Blocked: Paused',
      blocked: 'the update is paused',
    });
    expect(rowOf(cloneSet()).blocked).toBe('');
  });
});

describe('the Pods of a row', () => {
  const web = cloneSet();
  const restarted = (name: string, owner: AnyObject | undefined, restartCount: number, metadata: object = {}): AnyObject =>
    pod(name, owner, { main: { restartCount }, metadata });
  const another = { ...cloneSet(), metadata: { ...cloneSet().metadata, name: 'web2', uid: 'uid-web2' } } as AnyObject;

  it('are those that the selector matches, without those of another object of the kind or of another namespace', () => {
    const pods = [
      restarted('web-1', web, 1),
      restarted('orphan', undefined, 10),
      restarted('foreign', another, 100),
      restarted('far', web, 1000, { namespace: 'far' }),
      pod('unlike', web, { main: { restartCount: 10_000 }, labels: { app: 'other' } }),
    ];
    expect(rowOf(web, pods).restarts).toBe(11);
  });

  it('are those of all namespaces for a cluster-scoped kind', () => {
    const sidecarSet = object('apps.kruise.io/v1beta1/SidecarSet', 'side', {
      metadata: { namespace: undefined },
      spec: { selector: { matchLabels: { app: 'web' } } },
    });
    expect(rowOf(sidecarSet, [restarted('web-1', web, 1), restarted('far', web, 1, { namespace: 'far' })]).restarts).toBe(2);
  });

  it('are those that a kind without a selector controls', () => {
    const job = object('apps.kruise.io/v1beta1/BroadcastJob', 'job', {});
    expect(rowOf(job, [restarted('job-1', job, 2), restarted('web-1', web, 5)]).restarts).toBe(2);
  });

  it('also count restarts of init containers', () => {
    const status = { initContainerStatuses: [{ name: 'init', restartCount: 4 }] };
    expect(rowOf(web, [pod('web-1', web, { status })]).restarts).toBe(4);
  });

  it('are measured together', () => {
    const pods = [pod('web-1', web), pod('web-2', web), pod('web-3', web)];
    const measured = [
      metrics('web-1', 'shop', { cpu: '1500000n', memory: '1Mi' }, { cpu: '10m', memory: '1024Ki' }),
      metrics('web-2', 'shop', { cpu: '1', memory: 'wrong' }),
      metrics('web-3', 'far', { cpu: '9', memory: '9Gi' }),
    ];
    expect(rowOf(web, pods, measured).use).toEqual({ cpuCores: expect.closeTo(1.0115), memoryBytes: 2 * 2 ** 20, pods: 2 });
    expect(rowOf(web, pods)).not.toHaveProperty('use');
  });
});

it('rows are sorted by namespace and name', () => {
  const named = (namespace: string, name: string): AnyObject =>
    object('apps.kruise.io/v1beta1/CloneSet', name, { metadata: { namespace } });
  const rows = topRows({ objects: [named('b', 'a'), named('a', 'b'), named('a', 'a')], pods: [], metrics: [] });
  expect(rows.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['a/a', 'a/b', 'b/a']);
});
