/** Golden scenarios of ImageListPullJobs; the test does what the controller of ImagePullJobs does. */
import { describe } from '@jest/globals';
import { imageListPullJobs, imagePullJobs } from '@kruise/api';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import { itMatchesGoldenScenarios, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { imageListPullJobController } from './controller.ts';

const key = { namespace: 'default', name: 'all' };

function seedList(cluster: PullCluster, completionPolicy: object = { type: 'Always' }): void {
  cluster.timeline.note('a user pulls nginx and redis');
  cluster.api.seed(imageListPullJobs, { metadata: { ...key }, spec: { images: ['nginx', 'redis'], completionPolicy } });
}

/** Every child ends: those of `failing` with one failed node. */
function finish(cluster: PullCluster, failing: readonly string[] = []): void {
  cluster.timeline.note('the jobs end');
  for (const child of cluster.api.peekAll(imagePullJobs, key.namespace)) {
    const failed = failing.includes(child.spec.image) ? 1 : 0;
    const times = { startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:00:05Z' };
    cluster.api.seed(imagePullJobs, { ...child, status: { ...times, desired: 2, succeeded: 2 - failed, failed, active: 0 } });
  }
}

const scenarios: readonly GoldenScenario<PullCluster>[] = [
  {
    name: 'one-job-for-each-image-and-deleted-after-its-end',
    then: async (cluster) => {
      seedList(cluster, { type: 'Always', ttlSecondsAfterFinished: 5 });
      await cluster.ticks(2);
      finish(cluster);
      await cluster.ticks(10);
    },
  },
  {
    name: 'an-image-is-replaced-and-another-fails',
    then: async (cluster) => {
      seedList(cluster);
      await cluster.ticks(2);
      cluster.timeline.note('the user replaces nginx by busybox');
      await cluster.api.patch(imageListPullJobs, key, { spec: { images: ['redis', 'busybox'] } }, { type: 'merge' });
      await cluster.ticks(2);
      finish(cluster, ['redis']);
      await cluster.ticks(2);
    },
  },
];

describe('lists', () => {
  itMatchesGoldenScenarios(import.meta.url, () => new PullCluster([imageListPullJobController]), scenarios);
});
