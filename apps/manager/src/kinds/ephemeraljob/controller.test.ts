import { describe, expect, it } from '@jest/globals';
import { ephemeralJobs, type EphemeralJob } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { deathsAtEveryStep, deathTimes, isWrite, type Death } from '@kruise/kube/testing';
import { nodes, pods, type Node, type Pod } from '@kruise/objects';
import { asNew, type ControllerProcess } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { ephemeralJobController } from './controller.ts';
import { aJob, at, aTarget, reported, type JobShape, type State } from '@kruise/kinds/ephemeraljob/testing';

const key = { namespace: 'default', name: 'job' };

const aNode = (name: string, ready: string): Node => ({ metadata: { name }, status: { conditions: [{ type: 'Ready', status: ready }] } });

function newCluster(podCount: number): InMemoryCluster {
  const cluster = new InMemoryCluster(ephemeralJobController);
  for (let index = 0; index < podCount; index++)
    cluster.api.seed(pods, asNew(aTarget(`web-${index}`, 'absent', undefined, { createdAt: at(index - 100) })));
  return cluster;
}
const create = ({ api }: InMemoryCluster, shape: JobShape = {}): Promise<EphemeralJob> =>
  api.create(ephemeralJobs, asNew(aJob({ finalized: false, ...shape })));
const jobOf = ({ api }: InMemoryCluster, name = 'job'): EphemeralJob | undefined => api.peek(ephemeralJobs, { ...key, name });
const injected = ({ api }: InMemoryCluster): readonly Pod[] =>
  api.peekAll(pods).filter(({ spec }) => (spec.ephemeralContainers ?? []).length > 0);
const names = (list: readonly Pod[]): readonly string[] => list.map(({ metadata }) => metadata.name);

/** The kubelet's word about every injected Pod that has not ended yet. */
function report(cluster: InMemoryCluster, state: State): void {
  for (const pod of injected(cluster)) {
    const ended = pod.status?.ephemeralContainerStatuses?.some((one) => one.state?.terminated !== undefined) === true;
    const statuses = reported(
      (pod.spec.ephemeralContainers ?? []).map(({ name }) => name),
      state,
    );
    if (!ended) cluster.api.seed(pods, { ...pod, status: { ...pod.status, ephemeralContainerStatuses: statuses } });
  }
}

describe('the controller', () => {
  it('runs four of five Pods one after the other, oldest first, and ends', async () => {
    const cluster = newCluster(5);
    const manager = cluster.begin();
    const { metadata } = await create(cluster, { spec: { replicas: 4 } });
    for (let round = 1; round <= 4; round++) {
      await manager.settle();
      expect(names(injected(cluster))).toEqual(['web-0', 'web-1', 'web-2', 'web-3'].slice(0, round));
      report(cluster, 'running');
      await manager.settle();
      expect(jobOf(cluster)?.status).toMatchObject({ phase: 'Running', running: 1, succeeded: round - 1, match: 4 });
      report(cluster, 'succeeded');
    }
    await manager.settle();
    expect(jobOf(cluster)?.status).toMatchObject({ phase: 'Succeeded', succeeded: 4, running: 0, completionTime: expect.any(String) });
    expect(injected(cluster)[0]?.spec.ephemeralContainers?.[0]?.env).toEqual([{ name: 'KRUISE_EJOB_ID', value: metadata.uid }]);
    expect(manager.events).toEqual([]);
    await manager.stop();
  });

  it('writes nothing when nothing changed, and is not enqueued by its own status', async () => {
    const cluster = newCluster(1);
    const manager = cluster.begin();
    await create(cluster);
    await manager.settle();
    report(cluster, 'running');
    await manager.settle();
    const before = manager.writes;
    await cluster.clock.step(60_000);
    expect(manager.writes).toBe(before);
    await manager.stop();
  });

  it('fails at the deadline and is deleted after its time, whatever else happens', async () => {
    const cluster = newCluster(1);
    const manager = cluster.begin();
    await create(cluster, { spec: { activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 5 } });
    await manager.settle();
    report(cluster, 'running');
    await cluster.clock.step(5000);
    expect(jobOf(cluster)?.status).toMatchObject({
      phase: 'Failed',
      conditions: expect.arrayContaining([expect.objectContaining({ reason: 'DeadlineExceeded' })]),
    });
    await cluster.clock.step(6000);
    expect(jobOf(cluster)).toBeUndefined();
    await manager.stop();
  });

  it('is deleted half an hour after its end without any setting', async () => {
    const cluster = newCluster(1);
    const manager = cluster.begin();
    await create(cluster);
    await manager.settle();
    report(cluster, 'succeeded');
    await manager.settle();
    expect(jobOf(cluster)?.status?.phase).toBe('Succeeded');
    await cluster.clock.step(1_801_000);
    expect(jobOf(cluster)).toBeUndefined();
    await manager.stop();
  });

  it('lets a deleted job go although its containers run', async () => {
    const cluster = newCluster(1);
    const manager = cluster.begin();
    await create(cluster);
    await manager.settle();
    report(cluster, 'running');
    await cluster.api.delete(ephemeralJobs, key);
    await manager.settle();
    expect(jobOf(cluster)).toBeUndefined();
    expect(injected(cluster)).toHaveLength(1);
    await manager.stop();
  });

  it('does nothing while paused and continues afterwards', async () => {
    const cluster = newCluster(1);
    const manager = cluster.begin();
    await create(cluster, { spec: { paused: true } });
    await manager.settle();
    expect([jobOf(cluster)?.status?.phase, injected(cluster)]).toEqual(['Paused', []]);
    await cluster.api.patch(ephemeralJobs, key, { spec: { paused: false } }, { type: 'merge' });
    await manager.settle();
    expect(injected(cluster)).toHaveLength(1);
    await manager.stop();
  });

  it('takes Pods that are created later, in place of a deleted one', async () => {
    const cluster = newCluster(1);
    const manager = cluster.begin();
    await create(cluster, { spec: { replicas: 1 } });
    await manager.settle();
    report(cluster, 'running');
    await manager.settle();
    cluster.api.seed(pods, asNew(aTarget('web-new')));
    await cluster.api.delete(pods, { namespace: 'default', name: 'web-0' }, { gracePeriodSeconds: 0 });
    await manager.settle();
    expect(names(injected(cluster))).toEqual(['web-new']);
    await manager.stop();
  });

  it('a second job with the same container name finds no Pod, one with another name does', async () => {
    const cluster = newCluster(1);
    const manager = cluster.begin();
    await create(cluster);
    await manager.settle();
    await create(cluster, { name: 'same' });
    await create(cluster, {
      name: 'other',
      containers: [{ name: 'trace', image: 'a', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }],
    });
    await manager.settle();
    expect(jobOf(cluster, 'same')?.status).toMatchObject({ phase: 'Waiting', match: 0 });
    expect(
      injected(cluster)[0]
        ?.spec.ephemeralContainers?.map(({ name }) => name)
        .toSorted(),
    ).toEqual(['debug', 'trace']);
    await manager.stop();
  });

  it('reports a Pod that cannot have the containers, and retries', async () => {
    const cluster = newCluster(1);
    let refusals = 1;
    const manager = cluster.begin({
      before: ({ subresource }) => {
        if (subresource === 'ephemeralcontainers' && refusals-- > 0) throw new ApiError('violates PodSecurity', { kind: 'Forbidden' });
      },
    });
    await create(cluster);
    await cluster.clock.step(1000);
    expect(manager.events).toEqual([{ about: 'job', type: 'Warning', reason: 'CreateFailed', message: 'violates PodSecurity' }]);
    expect(injected(cluster)).toHaveLength(1);
    await manager.stop();
  });

  it.each<{ name: string; error: ApiError }>([
    { name: 'a policy', error: new ApiError('violates PodSecurity', { kind: 'Forbidden' }) },
    { name: 'an error of a webhook', error: new ApiError('internal error', { kind: 'ServerError', status: 500 }) },
  ])('continues with the other Pods, one at a time, when $name refuses the first', async ({ error }) => {
    const cluster = newCluster(3);
    const manager = cluster.begin({
      before: ({ subresource, key: pod }) => {
        if (subresource === 'ephemeralcontainers' && pod.name === 'web-0') throw error;
      },
    });
    await create(cluster);
    for (let round = 0; round < 4; round += 1) {
      await cluster.clock.step(2000);
      report(cluster, 'succeeded');
    }
    expect(names(injected(cluster))).toEqual(['web-1', 'web-2']);
    expect(manager.events[0]).toMatchObject({ reason: 'CreateFailed', message: error.message });
    await manager.stop();
  });

  it('continues with the other Pods when a node is lost', async () => {
    const cluster = newCluster(0);
    for (const node of ['dead', 'well']) {
      cluster.api.seed(nodes, aNode(node, 'True'));
      cluster.api.seed(pods, asNew(aTarget(`on-${node}`, 'absent', undefined, { node, createdAt: at(node === 'dead' ? -9 : -8) })));
    }
    const manager = cluster.begin();
    await create(cluster);
    await manager.settle();
    expect(names(injected(cluster))).toEqual(['on-dead']);
    cluster.api.seed(nodes, aNode('dead', 'Unknown'));
    await manager.settle();
    expect(names(injected(cluster))).toEqual(['on-dead', 'on-well']);
    await manager.stop();
  });

  it('continues with the other Pods when one is refused', async () => {
    const cluster = newCluster(4);
    const manager = cluster.begin({
      before: ({ subresource, key: pod }) => {
        if (subresource === 'ephemeralcontainers' && pod.name === 'web-0')
          throw new ApiError('spec.ephemeralContainers[0].name: Duplicate value', { kind: 'Invalid', causes: [] });
      },
    });
    await create(cluster, { spec: { parallelism: 4 } });
    await manager.settle();
    expect(names(injected(cluster))).toEqual(['web-1', 'web-2', 'web-3']);
    expect(manager.events[0]).toMatchObject({ reason: 'CreateFailed', message: 'spec.ephemeralContainers[0].name: Duplicate value' });
    await manager.stop();
  });

  it.each<{ name: string; kind: string; subresource: string; tries: number }>([
    { name: 'a Pod', kind: 'Pod', subresource: 'ephemeralcontainers', tries: 7 },
    { name: 'its own status', kind: 'EphemeralJob', subresource: 'status', tries: 7 },
    { name: 'its own finalizer', kind: 'EphemeralJob', subresource: '', tries: 7 },
  ])('tries $name again only after growing waits, whatever causes passes', async ({ kind, subresource, tries }) => {
    const cluster = newCluster(2);
    let count = 0;
    const manager = cluster.begin({
      before: ({ verb, type, key: { name }, subresource: part }) => {
        if (!isWrite({ verb }) || type?.kind !== kind || part !== subresource || (kind === 'Pod' && name !== 'web-0')) return;
        count += 1;
        throw new ApiError('not allowed', { kind: 'Forbidden' });
      },
    });
    await create(cluster, { spec: { parallelism: 2 } });
    for (let second = 0; second < 62; second += 1) {
      cluster.api.seed(pods, asNew(aTarget(`new-${second}`, 'absent', undefined, { phase: 'Succeeded' })));
      await cluster.clock.step(1000);
    }
    expect(count).toBeLessThanOrEqual(tries);
    expect(count).toBeGreaterThan(tries - 2);
    if (kind === 'Pod') expect(manager.events.length).toBe(count);
    await manager.stop();
  });

  it('tries a refused Pod at once when its specification changes', async () => {
    const cluster = newCluster(1);
    let isRefusing = true;
    const manager = cluster.begin({
      before: ({ subresource }) => {
        if (isRefusing && subresource === 'ephemeralcontainers') throw new ApiError('not allowed', { kind: 'Forbidden' });
      },
    });
    await create(cluster);
    await cluster.clock.step(40_000);
    isRefusing = false;
    await cluster.api.patch(ephemeralJobs, key, { spec: { parallelism: 3 } }, { type: 'merge' });
    await manager.settle();
    expect(injected(cluster)).toHaveLength(1);
    await manager.stop();
  });

  it.each(deathTimes)('ends the same whichever write the process dies at (%s)', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const cluster = newCluster(2);
      const through = async (manager: ControllerProcess): Promise<void> => {
        for (let round = 0; round < 4 && !manager.dead; round++) {
          await manager.settle();
          report(cluster, 'succeeded');
        }
        await manager.settle();
      };
      await create(cluster);
      const first = cluster.begin({ death });
      await through(first);
      await first.stop();
      const second = cluster.begin();
      await through(second);
      expect(jobOf(cluster)?.status).toMatchObject({ phase: 'Succeeded', succeeded: 2 });
      expect(injected(cluster).map(({ spec }) => spec.ephemeralContainers?.length)).toEqual([1, 1]);
      await second.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBeGreaterThanOrEqual(4);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });
});
