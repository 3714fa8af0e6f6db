/** The controller on an API server in memory, also killed at each of its writes. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { apiFailures, deathsAtEveryStep, deathTimes, isWrite, type Death } from '@kruise/kube/testing';
import { nodes, podCondition, pods } from '@kruise/objects';
import { asNew, type ControllerProcess } from '../../module/controller-process.testing.ts';
import { key, RequestCluster, web } from './cluster.testing.ts';
import { aWeb, finalizer, later } from '@kruise/kinds/containerrecreaterequest/testing';

let cluster: RequestCluster;
afterEach(() => cluster.stop());

const held = ['False', '[{"userAgent":"ContainerRecreateRequest","key":"default/crr"}]'];

describe('a request', () => {
  it('that no agent answers ends after 60 s', async () => {
    cluster = new RequestCluster();
    cluster.add();
    await cluster.run();
    await cluster.clock.step(58_000);
    expect(cluster.request?.status).toBeUndefined();
    await cluster.clock.step(3000);
    expect(cluster.request?.status).toMatchObject({ phase: 'Completed', message: 'daemon has not responded for a long time' });
    expect(cluster.request?.metadata.labels).not.toHaveProperty(['crr.apps.kruise.io/active']);
  });

  it('ends at its deadline and leaves the states of its containers alone', async () => {
    cluster = new RequestCluster();
    const containerRecreateStates = [{ name: 'main', phase: 'Pending' as const }];
    cluster.add({ phase: 'Recreating', status: { containerRecreateStates }, spec: { activeDeadlineSeconds: 5 } });
    await cluster.run();
    await cluster.clock.step(6000);
    expect(cluster.request?.status).toEqual({
      phase: 'Completed',
      completionTime: '2026-01-01T00:00:05Z',
      message: 'recreating has exceeded the activeDeadlineSeconds',
      containerRecreateStates,
    });
  });

  it('gets the new container as soon as the kubelet runs it, and is deleted when its time is over', async () => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', spec: { ttlSecondsAfterFinished: 3 } });
    const manager = await cluster.run();
    cluster.changePod(({ status }) => ({
      ...cluster.pod,
      status: { ...status, ...aWeb({ containerID: 'containerd://new', startedAt: later(1) }).status },
    }));
    await manager.settle();
    expect(cluster.request?.status?.containerStatusSnapshot).toEqual([
      { name: 'main', ready: true, restartCount: 0, containerID: 'containerd://new' },
    ]);
    cluster.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:01Z' });
    await manager.settle();
    expect(cluster.request?.metadata.labels).not.toHaveProperty(['crr.apps.kruise.io/active']);
    await cluster.clock.step(5000);
    expect(cluster.request).toBeUndefined();
  });

  it.each<{ name: string; happens: () => void; message: string }>([
    { name: 'its Pod', happens: () => void cluster.api.delete(pods, web, { gracePeriodSeconds: 0 }), message: 'pod has gone' },
    {
      name: 'the beginning of the end of its Pod',
      happens: () => {
        cluster.changePod((pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: ['keeps/it'] } }));
        void cluster.api.delete(pods, web);
      },
      message: 'pod has gone',
    },
    { name: 'its node', happens: () => void cluster.api.delete(nodes, { namespace: '', name: 'node1' }), message: 'node has gone' },
  ])('ends with $name', async ({ happens, message }) => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating' });
    const manager = await cluster.run();
    expect(cluster.request?.status?.phase).toBe('Recreating');
    happens();
    await manager.settle();
    expect(cluster.request?.status).toMatchObject({ phase: 'Completed', message });
  });

  it('does not end because the cache is behind', async () => {
    cluster = new RequestCluster();
    let isCutOff = false;
    const manager = await cluster.run({
      before: ({ type, verb }) => {
        if (isCutOff && type?.kind === 'Pod' && verb !== 'get') throw apiFailures.gone();
      },
    });
    isCutOff = true;
    cluster.api.endWatches();
    await cluster.clock.step(5000);
    await cluster.api.delete(pods, web, { gracePeriodSeconds: 0 });
    cluster.api.seed(pods, asNew(aWeb()));
    cluster.add({ phase: 'Pending' });
    await manager.settle();
    expect(cluster.request?.status).toEqual({ phase: 'Pending' });
    await cluster.api.delete(pods, web, { gracePeriodSeconds: 0 });
    cluster.agent({ message: '' });
    await manager.settle();
    expect(cluster.request?.status).toMatchObject({ phase: 'Completed', message: 'pod has gone' });
  });

  it('of a name that was used before is left alone by what was decided for the other', async () => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', strategy: { unreadyGracePeriodSeconds: 1 } });
    let isDown = true;
    await cluster.run({
      before: (call) => {
        if (isDown && isWrite(call)) throw apiFailures.gone();
      },
    });
    cluster.api.holdWatches();
    await cluster.api.delete(containerRecreateRequests, key);
    cluster.add({ phase: 'Recreating' });
    isDown = false;
    await cluster.clock.step(2000);
    expect(cluster.request?.metadata.finalizers).toBeUndefined();
    expect(cluster.request?.status).toEqual({ phase: 'Recreating' });
    expect(cluster.gate).toEqual(['True', undefined]);
    cluster.api.releaseWatches();
  });
});

describe('the Pod out of service', () => {
  const strategy = { unreadyGracePeriodSeconds: 1 };

  it('is held before, and back afterwards', async () => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', strategy });
    const manager = await cluster.run();
    expect(cluster.gate).toEqual(held);
    expect(podCondition(cluster.pod, 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    expect(cluster.request?.metadata.finalizers).toEqual([finalizer]);
    const [condition] = cluster.request?.status?.conditions ?? [];
    expect(condition).toEqual({
      type: 'PreRecreateGrace',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'PreRecreateGrace',
      message: 'Pod has been forced to not-ready for unreadyGracePeriodSeconds drain',
    });
    const { writes } = cluster;
    await cluster.clock.step(10_000);
    expect([cluster.writes, cluster.request?.status?.conditions]).toEqual([writes, [condition]]);
    cluster.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:11Z' });
    await manager.settle();
    expect(cluster.gate).toEqual(['True', '[]']);
    expect(cluster.request?.metadata.finalizers ?? []).toEqual([]);
  });

  it('comes back when the request is deleted', async () => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', strategy });
    const manager = await cluster.run();
    expect(cluster.gate).toEqual(held);
    await cluster.api.delete(containerRecreateRequests, key);
    await manager.settle();
    expect([cluster.request, cluster.gate]).toEqual([undefined, ['True', '[]']]);
  });

  it.each([
    { name: 'cannot be taken out of service', gate: ['True', undefined], completes: false },
    { name: 'cannot be put back into service', gate: held, completes: true },
  ])('$name while its status is refused: the request says so, and tries again within a minute', async ({ gate, completes }) => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', strategy });
    let isRefusing = !completes;
    const denied = new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' });
    const manager = await cluster.run({
      before: ({ verb, type, subresource }) => {
        if (isRefusing && type?.kind === 'Pod' && subresource === 'status' && isWrite({ verb })) throw denied;
      },
    });
    if (completes) {
      isRefusing = true;
      cluster.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:01Z' });
      await manager.settle();
    }
    expect(cluster.gate).toEqual(gate);
    expect(manager.events[0]).toEqual({
      about: 'crr',
      type: 'Warning',
      reason: 'FailedPodReadiness',
      message: `Pod web cannot be ${completes ? 'put back into' : 'taken out of'} service: ${denied.message}`,
    });
    await cluster.clock.step(1_800_000);
    isRefusing = false;
    await cluster.clock.step(60_000);
    expect(cluster.gate).toEqual(completes ? ['True', '[]'] : held);
  });

  it('is waited for until the deadline of the request only', async () => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', strategy, spec: { activeDeadlineSeconds: 90 } });
    await cluster.run({
      before: ({ verb, type, subresource }) => {
        if (type?.kind === 'Pod' && subresource === 'status' && isWrite({ verb })) throw new ApiError('no', { kind: 'Forbidden' });
      },
    });
    await cluster.clock.step(91_000);
    expect(cluster.request?.status).toMatchObject({ phase: 'Completed', message: 'recreating has exceeded the activeDeadlineSeconds' });
  });

  it('stays in service without the gate, and the grace is waited for all the same', async () => {
    cluster = new RequestCluster(aWeb({ gated: false }));
    cluster.add({ phase: 'Recreating', strategy });
    await cluster.run();
    expect(podCondition(cluster.pod, 'Ready')?.status).toBe('True');
    expect(cluster.request?.metadata.finalizers).toBeUndefined();
    expect(cluster.request?.status?.conditions).toMatchObject([{ type: 'PreRecreateGrace', status: 'True' }]);
  });

  it('has one time of grace, even when the cache does not know yet that it has begun', async () => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', strategy, finalizers: [finalizer] });
    const condition = { type: 'PreRecreateGrace', status: 'True', lastTransitionTime: '2025-12-31T23:59:59Z', reason: 'r', message: '' };
    await cluster.run({
      before: ({ type, subresource }) => {
        if (type?.kind !== 'Pod' || subresource !== 'status') return;
        cluster.api.holdWatches();
        cluster.agent({ conditions: [condition] });
      },
    });
    cluster.api.releaseWatches();
    await cluster.clock.step(1000);
    expect(cluster.gate).toEqual(held);
    expect(cluster.request?.status?.conditions).toEqual([condition]);
  });

  it('keeps the reasons of others', async () => {
    cluster = new RequestCluster();
    cluster.add({ phase: 'Recreating', strategy });
    const other = '{"userAgent":"Lifecycle","key":"preUpdateHook"}';
    const manager = await cluster.run({
      before: ({ subresource, type }) => {
        if (type?.kind !== 'Pod' || subresource !== 'status' || podCondition(cluster.pod, 'KruisePodReady')?.message !== undefined) return;
        cluster.changePod((pod) => ({
          ...pod,
          status: { ...pod.status, conditions: [{ type: 'KruisePodReady', status: 'False', message: `[${other}]` }] },
        }));
      },
    });
    await cluster.clock.step(1000);
    expect(cluster.gate).toEqual(['False', `[{"userAgent":"ContainerRecreateRequest","key":"default/crr"},${other}]`]);
    cluster.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:11Z' });
    await manager.settle();
    await cluster.clock.step(1000);
    expect(cluster.gate).toEqual(['False', `[${other}]`]);
  });
});

describe('a manager that is killed', () => {
  /** Runs a whole request, in which the test acts as the node agent; another manager continues after a death. */
  async function play(death?: Death): Promise<ControllerProcess> {
    cluster = new RequestCluster();
    cluster.add({ strategy: { unreadyGracePeriodSeconds: 1 }, spec: { ttlSecondsAfterFinished: 2 } });
    const first = await cluster.run({ death });
    let manager = first;
    const go = async (): Promise<void> => {
      await cluster.clock.step(1000);
      if (!manager.dead) return;
      await manager.stop();
      manager = await cluster.run();
    };
    await go();
    cluster.agent({ phase: 'Recreating' });
    await go();
    await go();
    expect(cluster.gate).toEqual(held);
    const since = cluster.request?.status?.conditions?.[0]?.lastTransitionTime;
    expect(since).toBeDefined();
    cluster.changePod((pod) => {
      const { containerStatuses } = aWeb({ containerID: 'containerd://new', startedAt: cluster.clock.now() }).status ?? {};
      return { ...pod, status: { ...pod.status, ...(containerStatuses === undefined ? {} : { containerStatuses }) } };
    });
    await go();
    await go();
    expect(cluster.request?.status).toMatchObject({
      conditions: [{ lastTransitionTime: since }],
      containerStatusSnapshot: [{ name: 'main', containerID: 'containerd://new' }],
    });
    cluster.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:07Z' });
    for (let step = 0; step < 8; step++) await go();
    expect([cluster.request, cluster.gate]).toEqual([undefined, ['True', '[]']]);
    await manager.stop();
    return first;
  }

  it.each(deathTimes)('at any write (%s) leaves no Pod held and no request behind', async (when) => {
    const { writes } = await play();
    expect(writes).toBeGreaterThan(6);
    expect(await deathsAtEveryStep(when, play)).toBe(writes);
  });
});
