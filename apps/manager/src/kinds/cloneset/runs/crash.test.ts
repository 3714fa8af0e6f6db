/**
 * The test kills the controller at every single write of a rollout, in each way to die, and starts another process. The result must equal
 * that of an undisturbed run: nothing is doubled, lost or restarted twice, and at no moment is a Pod in a state that an ordered sequence of
 * writes excludes. KRUISE_CRASH_PODS (3) makes the run longer. In a normal run the ways to die share the writes.
 */
import { describe, expect, it } from '@jest/globals';
import { annotations, labels } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { controllerRevisions, podCondition, pods, type Pod } from '@kruise/objects';
import { stepsOf } from '@kruise/testing';
import type { ControllerProcess } from '../../../module/controller-process.testing.ts';
import { CloneSetCluster } from '../cluster.testing.ts';
import type { CloneSetShape } from '@kruise/kinds/cloneset/testing';

const key = { namespace: 'default', name: 'sample' };
const replicas = Number(process.env['KRUISE_CRASH_PODS'] ?? 3);
const each = <T>(value: T): readonly T[] => Array.from({ length: replicas }, () => value);
const maxUnavailable = Math.ceil(replicas / 4);

/** A CloneSet with its Pods, kubelets and hooks, and one manager at a time. */
class CrashCluster extends CloneSetCluster {
  readonly #surge: number;

  /** @param nextDeath where the process of that number, from 0, dies */
  constructor(shape: CloneSetShape, nextDeath: (index: number) => Death | undefined) {
    const rollingUpdate = { maxUnavailable, ...shape.rollingUpdate };
    super({ replicas, ...shape, rollingUpdate }, { nextDeath });
    this.#surge = Number(rollingUpdate.maxSurge ?? 0);
  }

  get revisions(): readonly string[] {
    return this.api.peekAll(controllerRevisions, key.namespace).map(({ metadata }) => metadata.name);
  }

  /** Those behind the hooks let go of Pods that wait, and take hold of updated ones again. */
  runHooks(): void {
    for (const pod of this.pods) {
      const { hold: _hold, ...others } = pod.metadata.labels ?? {};
      const state = others[labels.lifecycleState];
      if (state === 'PreparingUpdate' || state === 'PreparingDelete')
        this.api.seed(pods, { ...pod, metadata: { ...pod.metadata, labels: others } });
      if (state === 'Updated') this.api.seed(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...others, hold: 'yes' } } });
    }
  }

  isSettled(image: string): boolean {
    const { pods, cloneSet } = this;
    const isDone = (pod: Pod): boolean =>
      pod.spec.containers[0]?.image === image &&
      pod.metadata.labels?.[labels.lifecycleState] === 'Normal' &&
      podCondition(pod, 'Ready')?.status === 'True';
    return (
      pods.length === replicas &&
      pods.every(isDone) &&
      cloneSet.status?.updatedAvailableReplicas === replicas &&
      cloneSet.status.currentRevision === cloneSet.status.updateRevision
    );
  }

  /** What must hold at any moment, and so at that of a death. */
  expectSound(): void {
    const { pods, revisions } = this;
    const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(staying.length).toBeLessThanOrEqual(replicas + this.#surge);
    for (const pod of pods) {
      const { metadata, spec, status } = pod;
      expect(revisions).toContain(metadata.labels?.[labels.controllerRevisionHash]);
      const [running] = status?.containerStatuses ?? [];
      if (running === undefined || running.image === spec.containers[0]?.image) continue;
      // The kubelet is about to restart it.
      expect(podCondition(pod, 'InPlaceUpdateReady')?.status).toBe('False');
      expect(metadata.annotations?.[annotations.inPlaceUpdateState]).toBeDefined();
    }
  }

  /** Manager, kubelets and hooks take turns until the rollout to `image` is over; a process that died is followed by another. */
  async drive(image: string): Promise<void> {
    for (let round = 0; round < 80 * replicas && !this.isSettled(image); round++) {
      await this.manager.settle();
      this.expectSound();
      if (this.manager.dead) {
        await this.manager.stop();
        this.begin();
      }
      await this.runKubelets();
      this.runHooks();
    }
    expect(this.isSettled(image)).toBe(true);
  }
}

/** Creates and updates until nothing changes. @returns the fixture, and how many of the first Pods still exist */
async function rollOut(
  shape: CloneSetShape,
  nextDeath: (index: number) => Death | undefined,
): Promise<{ readonly cluster: CrashCluster; readonly kept: number }> {
  const cluster = new CrashCluster(shape, nextDeath);
  await cluster.drive('app:1');
  const born = new Set(cluster.pods.map(({ metadata }) => metadata.uid));
  cluster.changeImage('app:2');
  await cluster.drive('app:2');
  await cluster.manager.stop();
  return { cluster, kept: cluster.pods.filter(({ metadata }) => born.has(metadata.uid)).length };
}

/** What must come out the same; names, times and versions may differ. */
function endOf({ cloneSet, pods, revisions }: CrashCluster): unknown {
  const { conditions = [], ...status } = cloneSet.status ?? {};
  return {
    status: { ...status, conditions: conditions.map((condition) => `${condition.type}=${condition.status}`) },
    revisions,
    pods: pods.map((pod) => ({
      image: pod.spec.containers[0]?.image,
      revision: pod.metadata.labels?.[labels.controllerRevisionHash],
      inService: podCondition(pod, 'InPlaceUpdateReady')?.status,
      restarts: pod.status?.containerStatuses?.[0]?.restartCount,
    })),
  };
}

const hook = { labelsHandler: { hold: 'yes' }, markPodNotReady: true };
const hooked = {
  metadata: { labels: { app: 'sample', hold: 'yes' } },
  spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [{ conditionType: 'KruisePodReady' }] },
};
interface Rollout {
  readonly update: string;
  readonly shape: CloneSetShape;
  readonly how: 'InPlace' | 'Recreated';
  /** Without parallel writes, a lost write leaves the state of its predecessor, so the way that loses parallel writes finds the most. */
  readonly ways?: readonly Death['when'][];
}

const rollouts: readonly Rollout[] = [
  { update: 'an update in place', shape: {}, how: 'InPlace', ways: deathTimes },
  {
    update: 'an update in place with hooks',
    shape: { spec: { template: hooked, lifecycle: { inPlaceUpdate: hook, preDelete: hook } } },
    how: 'InPlace',
  },
  { update: 'a recreation', shape: { rollingUpdate: { podUpdatePolicy: 'ReCreate' } }, how: 'Recreated' },
  {
    update: 'a recreation with surge',
    shape: { rollingUpdate: { podUpdatePolicy: 'ReCreate', maxSurge: 1, maxUnavailable: 0 } },
    how: 'Recreated',
  },
  {
    update: 'a recreation with hooks',
    shape: { rollingUpdate: { podUpdatePolicy: 'ReCreate' }, spec: { template: hooked, lifecycle: { preDelete: hook } } },
    how: 'Recreated',
  },
];

describe('a manager that is killed', () => {
  const report = (update: string, deaths: number): void => {
    if (replicas > 3) process.stderr.write(`${update}, ${replicas} Pods: ${deaths} deaths\n`);
  };

  it.each(
    rollouts.flatMap(({ ways, ...one }) =>
      (ways ?? (['alone'] as const)).map((when) => ({ ...one, when, ways: ways ?? (['after', 'alone'] as const) })),
    ),
  )(
    'at any write of $update ($when) leaves nothing doubled, lost or restarted twice',
    async ({ update, shape, how, when, ways }) => {
      const undisturbed = await rollOut(shape, () => undefined);
      const { writes } = undisturbed.cluster.manager;
      expect(undisturbed.cluster.managers).toHaveLength(1);
      expect(writes).toBeGreaterThan(5 * replicas);
      const dies = async (death: Death): Promise<ControllerProcess> => {
        const { cluster, kept } = await rollOut(shape, (index) => (index === 0 ? death : undefined));
        expect(kept).toBe(how === 'InPlace' ? replicas : 0);
        expect({ death, end: endOf(cluster) }).toEqual({ death, end: endOf(undisturbed.cluster) });
        return cluster.managers[0] as ControllerProcess;
      };
      const died = await deathsAtEveryStep(when, dies, stepsOf(when, ways));
      expect(died).toBe(writes);
      report(`${update}, ${when}`, died);
    },
    replicas * 60_000,
  );

  it.each(rollouts)(
    'at the first write of every process during $update makes progress nevertheless, one write at a time',
    async ({ update, shape, how }) => {
      const { cluster, kept } = await rollOut(shape, () => ({ at: 1, when: 'after' }));
      const restarts = cluster.pods.map(({ status }) => status?.containerStatuses?.[0]?.restartCount);
      expect([kept, restarts]).toEqual(how === 'InPlace' ? [replicas, each(1)] : [0, each(0)]);
      // The last one may find nothing to write.
      expect(cluster.managers.filter(({ dead }) => !dead).length).toBeLessThanOrEqual(1);
      expect(cluster.managers.length).toBeGreaterThan(5 * replicas);
      // At most nine writes for each Pod (with hooks and recreation), and what is written of the CloneSet itself.
      expect(cluster.managers.length).toBeLessThan(replicas * 15 + 30);
      report(`${update}, every process`, cluster.managers.filter(({ dead }) => dead).length);
    },
    replicas * 60_000,
  );

  it('when it has taken a Pod out of service for an update that is then withdrawn leaves a Pod that is back in service for good', async () => {
    let isFragile = false;
    const cluster = new CrashCluster({}, () => (isFragile ? { at: 1, when: 'after' } : undefined));
    await cluster.drive('app:1');
    await cluster.manager.stop();
    isFragile = true;
    cluster.begin();
    cluster.changeImage('app:2');
    const isOut = (pod: Pod): boolean => podCondition(pod, 'InPlaceUpdateReady')?.status === 'False';
    for (let index = 0; index < 10 && !cluster.pods.some(isOut); index++) {
      await cluster.manager.settle();
      await cluster.manager.stop();
      cluster.begin();
    }
    expect(cluster.pods.filter(isOut)).toHaveLength(1);
    await cluster.manager.stop();
    isFragile = false;
    cluster.changeImage('app:1');
    cluster.begin();
    await cluster.drive('app:1');
    await cluster.manager.settle();
    const { writes } = cluster.manager;
    for (let round = 0; round < 5; round++) {
      await cluster.clock.step(1000);
      await cluster.manager.settle();
    }
    const opened = { type: 'InPlaceUpdateReady', status: 'True', lastTransitionTime: expect.any(String) };
    expect(cluster.pods.map((pod) => podCondition(pod, 'InPlaceUpdateReady'))).toEqual(each(opened));
    expect(cluster.manager.writes).toBe(writes);
    await cluster.manager.stop();
  });
});
