/** Golden scenarios of ContainerRecreateRequests; the tests do what the kubelet and the node agent do. */
import { describe } from '@jest/globals';
import { nodes } from '@kruise/objects';
import { aWeb, later } from '@kruise/kinds/containerrecreaterequest/testing';
import { itMatchesGoldenScenarios, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { RequestCluster } from './cluster.testing.ts';

/** The kubelet runs a new container instead of the one that the agent stopped. */
function restart(cluster: RequestCluster, seconds: number): void {
  const { containerStatuses } = aWeb({ containerID: 'containerd://new', startedAt: later(seconds) }).status ?? {};
  cluster.changePod((pod) => ({ ...pod, status: { ...pod.status, ...(containerStatuses === undefined ? {} : { containerStatuses }) } }));
}

const scenarios: readonly GoldenScenario<RequestCluster>[] = [
  {
    name: 'containers-are-recreated-out-of-service',
    then: async (cluster) => {
      cluster.timeline.note('a user requests it, and the Pod must be out of service meanwhile');
      cluster.add({ spec: { strategy: { unreadyGracePeriodSeconds: 2 }, ttlSecondsAfterFinished: 5 } });
      await cluster.ticks(2);
      cluster.timeline.note('the node agent stops the container, and the kubelet starts another');
      cluster.agent({ phase: 'Recreating' });
      await cluster.ticks(1);
      restart(cluster, 3);
      await cluster.ticks(1);
      cluster.timeline.note('the node agent has finished');
      cluster.agent({ phase: 'Completed', completionTime: '2026-01-01T00:00:05Z' });
      await cluster.ticks(8);
    },
  },
  {
    name: 'no-agent-answers',
    then: async (cluster) => {
      cluster.timeline.note('a user requests it');
      cluster.add();
      await cluster.ticks(62);
    },
  },
  {
    name: 'the-node-is-deleted',
    then: async (cluster) => {
      cluster.timeline.note('a user requests it');
      cluster.add({ phase: 'Recreating' });
      await cluster.ticks(2);
      cluster.timeline.note('the node is deleted');
      await cluster.api.delete(nodes, { namespace: '', name: 'node1' });
      await cluster.ticks(2);
    },
  },
];

describe('requests', () => {
  itMatchesGoldenScenarios(import.meta.url, () => new RequestCluster(), scenarios);
});
