/**
 * The test kills the controller at every single write, from creation to deletion of a DaemonSet, in each way to die, and starts another process:
 * the result must equal that of an undisturbed run.
 */
import { podCondition } from '@kruise/objects';
import { describeKills, type Scenario } from '../../../module/fixtures/kills.testing.ts';
import type { SetShape } from '@kruise/kinds/daemonset/testing';
import { DaemonSetCluster } from '../cluster.testing.ts';

/** What must come out the same; names, times and versions may differ. */
const endOf = (cluster: DaemonSetCluster): unknown => ({
  shown: cluster.shown,
  conditions: cluster.conditions,
  revisions: cluster.revisions,
  restarts: cluster.pods.map(({ status }) => status?.containerStatuses?.[0]?.restartCount),
  inService: cluster.pods.map((pod) => podCondition(pod, 'InPlaceUpdateReady')?.status),
  status: { ...cluster.set.status, conditions: undefined },
});

const updateAndBack = async (cluster: DaemonSetCluster): Promise<void> => {
  await cluster.settle();
  cluster.changeImage('app:2');
  await cluster.settle();
  cluster.changeImage('app:1');
  await cluster.settle();
};
const nodesChange = async (cluster: DaemonSetCluster): Promise<void> => {
  await cluster.settle();
  cluster.node('n4');
  cluster.node('n1', { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
  await cluster.settle();
  cluster.node('n1');
  await cluster.settle();
};

const lifeOf = (name: string, shape: SetShape, run: (cluster: DaemonSetCluster) => Promise<void>): Scenario<DaemonSetCluster> => ({
  name,
  run,
  begin: (nextDeath) => new DaemonSetCluster(shape, { nextDeath }),
});

describeKills({
  endOf,
  writes: 9,
  scenarios: [
    lifeOf('recreated', {}, updateAndBack),
    lifeOf('in place', { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 2 } }, updateAndBack),
    lifeOf('surging', { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } }, updateAndBack),
    lifeOf('of changing nodes', {}, nodesChange),
  ],
});
