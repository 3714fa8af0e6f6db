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

function newWorld(podCount: number): InMemoryCluster {
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
function report(world: InMemoryCluster, state: State): void {
  for (const pod of injected(world)) {
    const ended = pod.status?.ephemeralContainerStatuses?.some((one) => one.state?.terminated !== undefined) === true;
    const statuses = reported(
      (pod.spec.ephemeralContainers ?? []).map(({ name }) => name),
      state,
    );
    if (!ended) world.api.seed(pods, { ...pod, status: { ...pod.status, ephemeralContainerStatuses: statuses } });
  }
}

describe('the controller', () => {
  it('runs four of five Pods one after the other, oldest first, and ends', async () => {
    const world = newWorld(5);
    const manager = world.begin();
    const { metadata } = await create(world, { spec: { replicas: 4 } });
    for (let round = 1; round <= 4; round++) {
      await manager.settle();
      expect(names(injected(world))).toEqual(['web-0', 'web-1', 'web-2', 'web-3'].slice(0, round));
      report(world, 'running');
      await manager.settle();
      expect(jobOf(world)?.status).toMatchObject({ phase: 'Running', running: 1, succeeded: round - 1, match: 4 });
      report(world, 'succeeded');
    }
    await manager.settle();
    expect(jobOf(world)?.status).toMatchObject({ phase: 'Succeeded', succeeded: 4, running: 0, completionTime: expect.any(String) });
    expect(injected(world)[0]?.spec.ephemeralContainers?.[0]?.env).toEqual([{ name: 'KRUISE_EJOB_ID', value: metadata.uid }]);
    expect(manager.events).toEqual([]);
    await manager.stop();
  });

  it('writes nothing when nothing changed, and is not woken by its own status', async () => {
    const world = newWorld(1);
    const manager = world.begin();
    await create(world);
    await manager.settle();
    report(world, 'running');
    await manager.settle();
    const before = manager.writes;
    await world.clock.step(60_000);
    expect(manager.writes).toBe(before);
    await manager.stop();
  });

  it('fails at the deadline and is deleted after its time, whatever else happens', async () => {
    const world = newWorld(1);
    const manager = world.begin();
    await create(world, { spec: { activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 5 } });
    await manager.settle();
    report(world, 'running');
    await world.clock.step(5000);
    expect(jobOf(world)?.status).toMatchObject({
      phase: 'Failed',
      conditions: expect.arrayContaining([expect.objectContaining({ reason: 'DeadlineExceeded' })]),
    });
    await world.clock.step(6000);
    expect(jobOf(world)).toBeUndefined();
    await manager.stop();
  });

  it('is deleted half an hour after its end without any setting', async () => {
    const world = newWorld(1);
    const manager = world.begin();
    await create(world);
    await manager.settle();
    report(world, 'succeeded');
    await manager.settle();
    expect(jobOf(world)?.status?.phase).toBe('Succeeded');
    await world.clock.step(1_801_000);
    expect(jobOf(world)).toBeUndefined();
    await manager.stop();
  });

  it('lets a deleted job go although its containers run', async () => {
    const world = newWorld(1);
    const manager = world.begin();
    await create(world);
    await manager.settle();
    report(world, 'running');
    await world.api.delete(ephemeralJobs, key);
    await manager.settle();
    expect(jobOf(world)).toBeUndefined();
    expect(injected(world)).toHaveLength(1);
    await manager.stop();
  });

  it('does nothing while paused and continues afterwards', async () => {
    const world = newWorld(1);
    const manager = world.begin();
    await create(world, { spec: { paused: true } });
    await manager.settle();
    expect([jobOf(world)?.status?.phase, injected(world)]).toEqual(['Paused', []]);
    await world.api.patch(ephemeralJobs, key, { spec: { paused: false } }, { type: 'merge' });
    await manager.settle();
    expect(injected(world)).toHaveLength(1);
    await manager.stop();
  });

  it('takes Pods that are created later, in place of a deleted one', async () => {
    const world = newWorld(1);
    const manager = world.begin();
    await create(world, { spec: { replicas: 1 } });
    await manager.settle();
    report(world, 'running');
    await manager.settle();
    world.api.seed(pods, asNew(aTarget('web-new')));
    await world.api.delete(pods, { namespace: 'default', name: 'web-0' }, { gracePeriodSeconds: 0 });
    await manager.settle();
    expect(names(injected(world))).toEqual(['web-new']);
    await manager.stop();
  });

  it('a second job with the same container name finds no Pod, one with another name does', async () => {
    const world = newWorld(1);
    const manager = world.begin();
    await create(world);
    await manager.settle();
    await create(world, { name: 'same' });
    await create(world, {
      name: 'other',
      containers: [{ name: 'trace', image: 'a', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }],
    });
    await manager.settle();
    expect(jobOf(world, 'same')?.status).toMatchObject({ phase: 'Waiting', match: 0 });
    expect(
      injected(world)[0]
        ?.spec.ephemeralContainers?.map(({ name }) => name)
        .toSorted(),
    ).toEqual(['debug', 'trace']);
    await manager.stop();
  });

  it('reports a Pod that cannot have the containers, and retries', async () => {
    const world = newWorld(1);
    let refusals = 1;
    const manager = world.begin({
      before: ({ subresource }) => {
        if (subresource === 'ephemeralcontainers' && refusals-- > 0) throw new ApiError('violates PodSecurity', { kind: 'Forbidden' });
      },
    });
    await create(world);
    await world.clock.step(1000);
    expect(manager.events).toEqual([{ about: 'job', type: 'Warning', reason: 'CreateFailed', message: 'violates PodSecurity' }]);
    expect(injected(world)).toHaveLength(1);
    await manager.stop();
  });

  it.each<{ name: string; error: ApiError }>([
    { name: 'a policy', error: new ApiError('violates PodSecurity', { kind: 'Forbidden' }) },
    { name: 'an error of a webhook', error: new ApiError('internal error', { kind: 'ServerError', status: 500 }) },
  ])('continues with the other Pods, one at a time, when $name refuses the first', async ({ error }) => {
    const world = newWorld(3);
    const manager = world.begin({
      before: ({ subresource, key: pod }) => {
        if (subresource === 'ephemeralcontainers' && pod.name === 'web-0') throw error;
      },
    });
    await create(world);
    for (let round = 0; round < 4; round += 1) {
      await world.clock.step(2000);
      report(world, 'succeeded');
    }
    expect(names(injected(world))).toEqual(['web-1', 'web-2']);
    expect(manager.events[0]).toMatchObject({ reason: 'CreateFailed', message: error.message });
    await manager.stop();
  });

  it('continues with the other Pods when a node is lost', async () => {
    const world = newWorld(0);
    for (const node of ['dead', 'well']) {
      world.api.seed(nodes, aNode(node, 'True'));
      world.api.seed(pods, asNew(aTarget(`on-${node}`, 'absent', undefined, { node, createdAt: at(node === 'dead' ? -9 : -8) })));
    }
    const manager = world.begin();
    await create(world);
    await manager.settle();
    expect(names(injected(world))).toEqual(['on-dead']);
    world.api.seed(nodes, aNode('dead', 'Unknown'));
    await manager.settle();
    expect(names(injected(world))).toEqual(['on-dead', 'on-well']);
    await manager.stop();
  });

  it('continues with the other Pods when one is refused', async () => {
    const world = newWorld(4);
    const manager = world.begin({
      before: ({ subresource, key: pod }) => {
        if (subresource === 'ephemeralcontainers' && pod.name === 'web-0')
          throw new ApiError('spec.ephemeralContainers[0].name: Duplicate value', { kind: 'Invalid', causes: [] });
      },
    });
    await create(world, { spec: { parallelism: 4 } });
    await manager.settle();
    expect(names(injected(world))).toEqual(['web-1', 'web-2', 'web-3']);
    expect(manager.events[0]).toMatchObject({ reason: 'CreateFailed', message: 'spec.ephemeralContainers[0].name: Duplicate value' });
    await manager.stop();
  });

  it.each<{ name: string; kind: string; subresource: string; tries: number }>([
    { name: 'a Pod', kind: 'Pod', subresource: 'ephemeralcontainers', tries: 7 },
    { name: 'its own status', kind: 'EphemeralJob', subresource: 'status', tries: 7 },
    { name: 'its own finalizer', kind: 'EphemeralJob', subresource: '', tries: 7 },
  ])('tries $name again only after growing waits, whatever causes passes', async ({ kind, subresource, tries }) => {
    const world = newWorld(2);
    let count = 0;
    const manager = world.begin({
      before: ({ verb, type, key: { name }, subresource: part }) => {
        if (!isWrite({ verb }) || type?.kind !== kind || part !== subresource || (kind === 'Pod' && name !== 'web-0')) return;
        count += 1;
        throw new ApiError('not allowed', { kind: 'Forbidden' });
      },
    });
    await create(world, { spec: { parallelism: 2 } });
    for (let second = 0; second < 62; second += 1) {
      world.api.seed(pods, asNew(aTarget(`new-${second}`, 'absent', undefined, { phase: 'Succeeded' })));
      await world.clock.step(1000);
    }
    expect(count).toBeLessThanOrEqual(tries);
    expect(count).toBeGreaterThan(tries - 2);
    if (kind === 'Pod') expect(manager.events.length).toBe(count);
    await manager.stop();
  });

  it('tries a refused Pod at once when its specification changes', async () => {
    const world = newWorld(1);
    let isRefusing = true;
    const manager = world.begin({
      before: ({ subresource }) => {
        if (isRefusing && subresource === 'ephemeralcontainers') throw new ApiError('not allowed', { kind: 'Forbidden' });
      },
    });
    await create(world);
    await world.clock.step(40_000);
    isRefusing = false;
    await world.api.patch(ephemeralJobs, key, { spec: { parallelism: 3 } }, { type: 'merge' });
    await manager.settle();
    expect(injected(world)).toHaveLength(1);
    await manager.stop();
  });

  it.each(deathTimes)('ends the same whichever write the process dies at (%s)', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const world = newWorld(2);
      const through = async (manager: ControllerProcess): Promise<void> => {
        for (let round = 0; round < 4 && !manager.dead; round++) {
          await manager.settle();
          report(world, 'succeeded');
        }
        await manager.settle();
      };
      await create(world);
      const first = world.begin({ death });
      await through(first);
      await first.stop();
      const second = world.begin();
      await through(second);
      expect(jobOf(world)?.status).toMatchObject({ phase: 'Succeeded', succeeded: 2 });
      expect(injected(world).map(({ spec }) => spec.ephemeralContainers?.length)).toEqual([1, 1]);
      await second.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBeGreaterThanOrEqual(4);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });
});
