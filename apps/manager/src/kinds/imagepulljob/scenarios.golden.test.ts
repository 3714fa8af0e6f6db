/** Golden scenarios of ImagePullJobs: the agents of the nodes begin a pull in one second and end it in the next. */
import { describe } from '@jest/globals';
import { secrets } from '@kruise/objects';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import { itMatchesGoldenScenarios, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { imagePullJobController } from './controller.ts';

/** As the API server stores a new job. */
const asCreated = { metadata: { finalizers: [] } };

const scenarios: readonly GoldenScenario<PullCluster>[] = [
  {
    name: 'one-node-at-a-time-with-a-pull-secret',
    then: async (cluster) => {
      cluster.timeline.note('a user pulls nginx:1 on two nodes');
      cluster.api.seed(secrets, { metadata: { name: 's', namespace: 'default' }, type: 'kubernetes.io/dockerconfigjson', data: {} });
      cluster.seedNodes(2);
      cluster.seedJob({ ...asCreated, spec: { pullSecrets: ['s'], parallelism: 1 } });
      await cluster.ticks(10);
    },
  },
  {
    name: 'a-pull-fails-and-the-job-is-deleted-after-its-end',
    then: async (cluster) => {
      cluster.timeline.note('a user pulls nginx:1 on two nodes, and n1 does not find it');
      cluster.agents = { fails: (_image, node) => node === 'n1' };
      cluster.seedNodes(2);
      cluster.seedJob({ ...asCreated, spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 } } });
      await cluster.ticks(15);
    },
  },
  {
    name: 'the-deadline-ends-pulls-that-hang',
    then: async (cluster) => {
      cluster.timeline.note('a user pulls nginx:1 on two nodes, and n0 never ends its pull');
      cluster.agents = { hangs: (_image, node) => node === 'n0' };
      cluster.seedNodes(2);
      const completionPolicy = { type: 'Always', activeDeadlineSeconds: 5 } as const;
      cluster.seedJob({ ...asCreated, spec: { pullPolicy: { timeoutSeconds: 3 }, completionPolicy } });
      await cluster.ticks(10);
    },
  },
];

describe('jobs', () => {
  itMatchesGoldenScenarios(import.meta.url, () => new PullCluster([imagePullJobController]), scenarios);
});
