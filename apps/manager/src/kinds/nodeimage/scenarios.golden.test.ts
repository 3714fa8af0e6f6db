/** Golden scenarios of NodeImages, which follow the nodes and the jobs of their tasks. */
import { describe } from '@jest/globals';
import { imagePullJobs, nodeImages } from '@kruise/api';
import { nodes } from '@kruise/objects';
import { aNode, aTag } from '@kruise/kinds/images/builders.testing';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import { itMatchesGoldenScenarios, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { nodeImageController } from './controller.ts';

const n0 = { namespace: '', name: 'n0' };

const scenarios: readonly GoldenScenario<PullCluster>[] = [
  {
    name: 'a-node-joins-is-labelled-and-leaves',
    then: async (cluster) => {
      cluster.timeline.note('n0 joins, and is ready');
      cluster.api.seed(nodes, aNode('n0', { labels: { zone: 'a' } }));
      await cluster.ticks(35);
      cluster.timeline.note('an administrator changes a label');
      await cluster.api.patch(nodes, n0, { metadata: { labels: { zone: 'b' } } }, { type: 'merge' });
      await cluster.ticks(2);
      cluster.timeline.note('n0 leaves');
      await cluster.api.delete(nodes, n0);
      await cluster.ticks(2);
    },
  },
  {
    name: 'a-task-is-deleted-with-its-job',
    then: async (cluster) => {
      cluster.timeline.note('n0 pulls an image for a job');
      cluster.api.seed(nodes, aNode('n0', { labels: { name: 'n0' } }));
      cluster.seedNodes(1);
      const { metadata } = cluster.seedJob({ metadata: { finalizers: [] } });
      const { name, namespace = '', uid = '' } = metadata;
      const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'ImagePullJob', namespace, name, uid };
      const held = cluster.nodeImage('n0');
      if (held !== undefined)
        cluster.api.seed(nodeImages, { ...held, spec: { images: { nginx: { tags: [aTag({ ownerReferences: [owner] })] } } } });
      await cluster.ticks(3);
      cluster.timeline.note('a user deletes the job');
      await cluster.api.delete(imagePullJobs, { namespace, name });
      await cluster.ticks(3);
    },
  },
];

describe('nodes', () => {
  itMatchesGoldenScenarios(import.meta.url, () => new PullCluster([nodeImageController]), scenarios);
});
