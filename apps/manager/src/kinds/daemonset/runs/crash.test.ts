/**
 * The test kills the controller at every single write, from creation to deletion of a DaemonSet, in each way to die, and starts another process:
 * the result must equal that of an undisturbed run.
 */
import { podCondition } from '@kruise/objects';
import { describeKills, type Scenario } from '../../../module/fixtures/kills.testing.ts';
import type { SetShape } from '@kruise/kinds/daemonset/testing';
import { DaemonSetCluster } from '../cluster.testing.ts';

/** What must come out the same; names, times and versions may differ. */
const endOf = (world: DaemonSetCluster): unknown => ({
  shown: world.shown,
  conditions: world.conditions,
  revisions: world.revisions,
  restarts: world.pods.map(({ status }) => status?.containerStatuses?.[0]?.restartCount),
  inService: world.pods.map((pod) => podCondition(pod, 'InPlaceUpdateReady')?.status),
  status: { ...world.set.status, conditions: undefined },
});

const updateAndBack = async (world: DaemonSetCluster): Promise<void> => {
  await world.settle();
  world.changeImage('app:2');
  await world.settle();
  world.changeImage('app:1');
  await world.settle();
};
const nodesChange = async (world: DaemonSetCluster): Promise<void> => {
  await world.settle();
  world.node('n4');
  world.node('n1', { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
  await world.settle();
  world.node('n1');
  await world.settle();
};

const lifeOf = (name: string, shape: SetShape, run: (world: DaemonSetCluster) => Promise<void>): Scenario<DaemonSetCluster> => ({
  name,
  run,
  begin: (nextDeath) => new DaemonSetCluster(shape, { nextDeath }),
});

describeKills({
  endOf,
  writes: 9,
  scenarios: [
    lifeOf('made anew', {}, updateAndBack),
    lifeOf('in place', { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 2 } }, updateAndBack),
    lifeOf('surging', { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } }, updateAndBack),
    lifeOf('of changing nodes', {}, nodesChange),
  ],
});
