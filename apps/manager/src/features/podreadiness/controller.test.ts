import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { podCondition, pods, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { asNew } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { podReadinessController } from './controller.ts';

const key = { namespace: 'default', name: 'web' };

/** @param conditions those of the Pod, which has the gate */
function aGatedPod(conditions: NonNullable<Pod['status']>['conditions']): Pod {
  const { spec, status, ...pod } = aPod({ name: 'web' });
  return asNew({
    ...pod,
    spec: { ...spec, readinessGates: [{ conditionType: 'KruisePodReady' }] },
    status: { ...status, conditions: conditions ?? [] },
  });
}

const preUpdateHook = '[{"userAgent":"Lifecycle","key":"preUpdateHook"}]';

describe('a Pod whose status is refused', () => {
  it.each([
    { name: 'lacks the condition', conditions: [] },
    { name: 'has the key of a hook that it is not in', conditions: [{ type: 'KruisePodReady', status: 'False', message: preUpdateHook }] },
  ])('and that $name says why it is not ready, and is written within a minute after the refusals', async ({ conditions }) => {
    const cluster = new InMemoryCluster(podReadinessController);
    const { api, clock } = cluster;
    const denied = new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' });
    let isRefusing = true;
    const manager = cluster.begin({
      before: ({ verb }) => {
        if (isRefusing && verb === 'patch') throw denied;
      },
    });
    api.seed(pods, aGatedPod(conditions));
    await manager.settle();
    expect(manager.events[0]).toEqual({
      about: 'web',
      type: 'Warning',
      reason: 'FailedPodReadiness',
      message: `the Pod is not ready as its condition KruisePodReady cannot be written: ${denied.message}`,
    });
    await clock.step(1_800_000);
    isRefusing = false;
    await clock.step(60_000);
    expect(podCondition(api.peek(pods, key) as Pod, 'KruisePodReady')?.status).toBe('True');
    await manager.stop();
  });

  it('by a conflict says nothing', async () => {
    const cluster = new InMemoryCluster(podReadinessController);
    const { api, clock } = cluster;
    let conflicts = 2;
    const manager = cluster.begin({
      before: ({ verb }) => {
        if (verb === 'patch' && conflicts-- > 0) throw new ApiError('changed meanwhile', { kind: 'Conflict' });
      },
    });
    api.seed(pods, aGatedPod([]));
    await clock.step(1000);
    expect(podCondition(api.peek(pods, key) as Pod, 'KruisePodReady')?.status).toBe('True');
    expect(manager.events).toEqual([]);
    await manager.stop();
  });
});
