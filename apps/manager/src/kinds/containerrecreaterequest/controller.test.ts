/** The controller on an API server in memory, also killed at each of its writes. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { apiFailures, deathsAtEveryStep, deathTimes, isWrite, type Death } from '@kruise/kube/testing';
import { nodes, podCondition, pods } from '@kruise/objects';
import { asNew, type ControllerProcess } from '../../module/controller-process.testing.ts';
import { key, RequestCluster, web } from './cluster.testing.ts';
import { aWeb, finalizer, later } from '@kruise/kinds/containerrecreaterequest/testing';

let world: RequestCluster;
afterEach(() => world.stop());

const held = ['False', '[{"userAgent":"ContainerRecreateRequest","key":"default/crr"}]'];

describe('a request', () => {
  it('that no agent answers ends after 60 s', async () => {
    world = new RequestCluster();
    world.add();
    await world.run();
    await world.clock.step(58_000);
    expect(world.request?.status).toBeUndefined();
    await world.clock.step(3000);
    expect(world.request?.status).toMatchObject({ phase: 'Completed', message: 'daemon has not responded for a long time' });
    expect(world.request?.metadata.labels).not.toHaveProperty(['crr.apps.kruise.io/active']);
  });

  it('ends at its deadline and leaves the states of its containers alone', async () => {
    world = new RequestCluster();
    const containerRecreateStates = [{ name: 'main', phase: 'Pending' as const }];
    world.add({ phase: 'Recreating', status: { containerRecreateStates }, spec: { activeDeadlineSeconds: 5 } });
    await world.run();
    await world.clock.step(6000);
    expect(world.request?.status).toEqual({
      phase: 'Completed',
      completionTime: '2026-01-01T00:00:05Z',
      message: 'recreating has exceeded the activeDeadlineSeconds',
      containerRecreateStates,
    });
  });

  it('gets the new container as soon as the kubelet runs it, and is deleted when its time is over', async () => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', spec: { ttlSecondsAfterFinished: 3 } });
    const manager = await world.run();
    world.changePod(({ status }) => ({
      ...world.pod,
      status: { ...status, ...aWeb({ containerID: 'containerd://new', startedAt: later(1) }).status },
    }));
    await manager.settle();
    expect(world.request?.status?.containerStatusSnapshot).toEqual([
      { name: 'main', ready: true, restartCount: 0, containerID: 'containerd://new' },
    ]);
    world.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:01Z' });
    await manager.settle();
    expect(world.request?.metadata.labels).not.toHaveProperty(['crr.apps.kruise.io/active']);
    await world.clock.step(5000);
    expect(world.request).toBeUndefined();
  });

  it.each<{ name: string; happens: () => void; message: string }>([
    { name: 'its Pod', happens: () => void world.api.delete(pods, web, { gracePeriodSeconds: 0 }), message: 'pod has gone' },
    {
      name: 'the beginning of the end of its Pod',
      happens: () => {
        world.changePod((pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: ['keeps/it'] } }));
        void world.api.delete(pods, web);
      },
      message: 'pod has gone',
    },
    { name: 'its node', happens: () => void world.api.delete(nodes, { namespace: '', name: 'node1' }), message: 'node has gone' },
  ])('ends with $name', async ({ happens, message }) => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating' });
    const manager = await world.run();
    expect(world.request?.status?.phase).toBe('Recreating');
    happens();
    await manager.settle();
    expect(world.request?.status).toMatchObject({ phase: 'Completed', message });
  });

  it('does not end because the cache is behind', async () => {
    world = new RequestCluster();
    let isCutOff = false;
    const manager = await world.run({
      before: ({ type, verb }) => {
        if (isCutOff && type?.kind === 'Pod' && verb !== 'get') throw apiFailures.gone();
      },
    });
    isCutOff = true;
    world.api.endWatches();
    await world.clock.step(5000);
    await world.api.delete(pods, web, { gracePeriodSeconds: 0 });
    world.api.seed(pods, asNew(aWeb()));
    world.add({ phase: 'Pending' });
    await manager.settle();
    expect(world.request?.status).toEqual({ phase: 'Pending' });
    await world.api.delete(pods, web, { gracePeriodSeconds: 0 });
    world.agent({ message: '' });
    await manager.settle();
    expect(world.request?.status).toMatchObject({ phase: 'Completed', message: 'pod has gone' });
  });

  it('of a name that was used before is left alone by what was decided for the other', async () => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', strategy: { unreadyGracePeriodSeconds: 1 } });
    let isDown = true;
    await world.run({
      before: (call) => {
        if (isDown && isWrite(call)) throw apiFailures.gone();
      },
    });
    world.api.holdWatches();
    await world.api.delete(containerRecreateRequests, key);
    world.add({ phase: 'Recreating' });
    isDown = false;
    await world.clock.step(2000);
    expect(world.request?.metadata.finalizers).toBeUndefined();
    expect(world.request?.status).toEqual({ phase: 'Recreating' });
    expect(world.gate).toEqual(['True', undefined]);
    world.api.releaseWatches();
  });
});

describe('the Pod out of service', () => {
  const strategy = { unreadyGracePeriodSeconds: 1 };

  it('is held before, and back afterwards', async () => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', strategy });
    const manager = await world.run();
    expect(world.gate).toEqual(held);
    expect(podCondition(world.pod, 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    expect(world.request?.metadata.finalizers).toEqual([finalizer]);
    const [condition] = world.request?.status?.conditions ?? [];
    expect(condition).toEqual({
      type: 'PreRecreateGrace',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'PreRecreateGrace',
      message: 'Pod has been forced to not-ready for unreadyGracePeriodSeconds drain',
    });
    const { writes } = world;
    await world.clock.step(10_000);
    expect([world.writes, world.request?.status?.conditions]).toEqual([writes, [condition]]);
    world.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:11Z' });
    await manager.settle();
    expect(world.gate).toEqual(['True', '[]']);
    expect(world.request?.metadata.finalizers ?? []).toEqual([]);
  });

  it('comes back when the request is deleted', async () => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', strategy });
    const manager = await world.run();
    expect(world.gate).toEqual(held);
    await world.api.delete(containerRecreateRequests, key);
    await manager.settle();
    expect([world.request, world.gate]).toEqual([undefined, ['True', '[]']]);
  });

  it.each([
    { name: 'cannot be taken out of service', gate: ['True', undefined], completes: false },
    { name: 'cannot be put back into service', gate: held, completes: true },
  ])('$name while its status is refused: the request says so, and tries again within a minute', async ({ gate, completes }) => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', strategy });
    let isRefusing = !completes;
    const denied = new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' });
    const manager = await world.run({
      before: ({ verb, type, subresource }) => {
        if (isRefusing && type?.kind === 'Pod' && subresource === 'status' && isWrite({ verb })) throw denied;
      },
    });
    if (completes) {
      isRefusing = true;
      world.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:01Z' });
      await manager.settle();
    }
    expect(world.gate).toEqual(gate);
    expect(manager.events[0]).toEqual({
      about: 'crr',
      type: 'Warning',
      reason: 'FailedPodReadiness',
      message: `Pod web cannot be ${completes ? 'put back into' : 'taken out of'} service: ${denied.message}`,
    });
    await world.clock.step(1_800_000);
    isRefusing = false;
    await world.clock.step(60_000);
    expect(world.gate).toEqual(completes ? ['True', '[]'] : held);
  });

  it('is waited for until the deadline of the request only', async () => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', strategy, spec: { activeDeadlineSeconds: 90 } });
    await world.run({
      before: ({ verb, type, subresource }) => {
        if (type?.kind === 'Pod' && subresource === 'status' && isWrite({ verb })) throw new ApiError('no', { kind: 'Forbidden' });
      },
    });
    await world.clock.step(91_000);
    expect(world.request?.status).toMatchObject({ phase: 'Completed', message: 'recreating has exceeded the activeDeadlineSeconds' });
  });

  it('stays in service without the gate, and the grace is waited for all the same', async () => {
    world = new RequestCluster(aWeb({ gated: false }));
    world.add({ phase: 'Recreating', strategy });
    await world.run();
    expect(podCondition(world.pod, 'Ready')?.status).toBe('True');
    expect(world.request?.metadata.finalizers).toBeUndefined();
    expect(world.request?.status?.conditions).toMatchObject([{ type: 'PreRecreateGrace', status: 'True' }]);
  });

  it('has one time of grace, even when the cache does not know yet that it has begun', async () => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', strategy, finalizers: [finalizer] });
    const condition = { type: 'PreRecreateGrace', status: 'True', lastTransitionTime: '2025-12-31T23:59:59Z', reason: 'r', message: '' };
    await world.run({
      before: ({ type, subresource }) => {
        if (type?.kind !== 'Pod' || subresource !== 'status') return;
        world.api.holdWatches();
        world.agent({ conditions: [condition] });
      },
    });
    world.api.releaseWatches();
    await world.clock.step(1000);
    expect(world.gate).toEqual(held);
    expect(world.request?.status?.conditions).toEqual([condition]);
  });

  it('keeps the reasons of others', async () => {
    world = new RequestCluster();
    world.add({ phase: 'Recreating', strategy });
    const other = '{"userAgent":"Lifecycle","key":"preUpdateHook"}';
    const manager = await world.run({
      before: ({ subresource, type }) => {
        if (type?.kind !== 'Pod' || subresource !== 'status' || podCondition(world.pod, 'KruisePodReady')?.message !== undefined) return;
        world.changePod((pod) => ({
          ...pod,
          status: { ...pod.status, conditions: [{ type: 'KruisePodReady', status: 'False', message: `[${other}]` }] },
        }));
      },
    });
    await world.clock.step(1000);
    expect(world.gate).toEqual(['False', `[{"userAgent":"ContainerRecreateRequest","key":"default/crr"},${other}]`]);
    world.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:11Z' });
    await manager.settle();
    await world.clock.step(1000);
    expect(world.gate).toEqual(['False', `[${other}]`]);
  });
});

describe('a manager that is killed', () => {
  /** Runs a whole request, in which the test acts as the node agent; another manager continues after a death. */
  async function play(death?: Death): Promise<ControllerProcess> {
    world = new RequestCluster();
    world.add({ strategy: { unreadyGracePeriodSeconds: 1 }, spec: { ttlSecondsAfterFinished: 2 } });
    const first = await world.run({ death });
    let manager = first;
    const go = async (): Promise<void> => {
      await world.clock.step(1000);
      if (!manager.dead) return;
      await manager.stop();
      manager = await world.run();
    };
    await go();
    world.agent({ phase: 'Recreating' });
    await go();
    await go();
    expect(world.gate).toEqual(held);
    const since = world.request?.status?.conditions?.[0]?.lastTransitionTime;
    expect(since).toBeDefined();
    world.changePod((pod) => {
      const { containerStatuses } = aWeb({ containerID: 'containerd://new', startedAt: world.clock.now() }).status ?? {};
      return { ...pod, status: { ...pod.status, ...(containerStatuses === undefined ? {} : { containerStatuses }) } };
    });
    await go();
    await go();
    expect(world.request?.status).toMatchObject({
      conditions: [{ lastTransitionTime: since }],
      containerStatusSnapshot: [{ name: 'main', containerID: 'containerd://new' }],
    });
    world.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:07Z' });
    for (let step = 0; step < 8; step++) await go();
    expect([world.request, world.gate]).toEqual([undefined, ['True', '[]']]);
    await manager.stop();
    return first;
  }

  it.each(deathTimes)('at any write (%s) leaves no Pod held and no request behind', async (when) => {
    const { writes } = await play();
    expect(writes).toBeGreaterThan(6);
    expect(await deathsAtEveryStep(when, play)).toBe(writes);
  });
});
