/**
 * Golden scenarios of rollouts: the controller runs on an in-memory API server with kubelets that work in steps, and the test compares its plans,
 * writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * UPDATE_GOLDEN=1 npm run jest -- daemonset/rollout.golden, then review the diff.
 */
import type { Pod, PodTemplateSpec } from '@kruise/objects';
import type { SetShape } from '@kruise/kinds/daemonset/testing';
import { describeRollouts, type RolloutScenario } from '../../module/fixtures/rollout-scenarios.testing.ts';
import { DaemonSetCluster, type NodesOptions } from './cluster.testing.ts';

type Scenario = RolloutScenario<DaemonSetCluster, SetShape, NodesOptions>;

const hook = 'example.com/hold';
const withLabel = (pod: Pod, value: string | undefined): Pod => {
  const { [hook]: _gone, ...rest } = pod.metadata.labels ?? {};
  return { ...pod, metadata: { ...pod.metadata, labels: value === undefined ? rest : { ...rest, [hook]: value } } };
};
const template = (labels: Readonly<Record<string, string>>, spec: object = {}): PodTemplateSpec => ({
  metadata: { labels: { app: 'agent', ...labels } },
  spec: { containers: [{ name: 'main', image: 'app:1' }], ...spec },
});
const inPlace = { rollingUpdateType: 'InPlaceIfPossible' } as const;

const scenarios: readonly Scenario[] = [
  {
    name: 'recreated-one-by-one-and-back',
    shape: {},
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2');
      cluster.changeImage('app:2');
      await cluster.settle(200, 8);
      cluster.timeline.note('the user goes back');
      cluster.changeImage('app:1');
      await cluster.settle(200, 8);
    },
    end: ['n1 app:1', 'n2 app:1', 'n3 app:1'],
  },
  {
    name: 'in-place-with-partition',
    shape: { rollingUpdate: { ...inPlace, maxUnavailable: 2, partition: 2 } },
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2, and two nodes keep app:1');
      cluster.changeImage('app:2');
      await cluster.settle(200, 8);
      cluster.timeline.note('somebody deletes an old Pod: it comes back with the new template and takes the place of an update');
      await cluster.deletePod('n1');
      await cluster.settle(200, 8);
      cluster.timeline.note('the user lets the rest go');
      cluster.roll({ partition: 0 });
      await cluster.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2'],
  },
  {
    name: 'surge-with-min-ready-seconds',
    shape: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 }, spec: { minReadySeconds: 5 } },
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2');
      cluster.changeImage('app:2');
      await cluster.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2'],
  },
  {
    name: 'chosen-nodes-only',
    shape: { rollingUpdate: { ...inPlace, selector: { matchLabels: { tier: 'canary' } } } },
    then: async (cluster) => {
      cluster.node('n2', { labels: { tier: 'canary' } });
      cluster.timeline.note('the user sets app:2: n2 alone is a canary');
      cluster.changeImage('app:2');
      await cluster.settle(200, 8);
      cluster.timeline.note('n1 becomes a canary as well');
      cluster.node('n1', { labels: { tier: 'canary' } });
      await cluster.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:1'],
  },
  {
    name: 'broken-image-and-rollback',
    shape: { rollingUpdate: inPlace },
    options: { brokenImages: new Set(['app:broken']) },
    then: async (cluster) => {
      cluster.timeline.note('the user sets an image that never becomes ready: one node gets it, and no other');
      cluster.changeImage('app:broken');
      await cluster.settle(150, 70);
      cluster.timeline.note('the user goes back: what is not available is replaced at once');
      cluster.changeImage('app:1');
      await cluster.settle(200, 8);
    },
    end: ['n1 app:1', 'n2 app:1', 'n3 app:1'],
  },
  {
    name: 'deletions-wait-for-their-hook',
    shape: { spec: { template: template({ [hook]: 'yes' }), lifecycle: { preDelete: { labelsHandler: { [hook]: 'yes' } } } } },
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2');
      cluster.changeImage('app:2');
      await cluster.settle(200, 8);
      for (const node of ['n3', 'n2', 'n1']) {
        cluster.timeline.note(`the hook lets go of the Pod on ${node}`);
        cluster.setPod(cluster.podOn(node), (pod) => withLabel(pod, undefined));
        await cluster.settle(200, 8);
      }
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2'],
  },
  {
    name: 'nodes-come-go-and-change',
    shape: { spec: { template: template({}, { nodeSelector: { color: 'blue' } }) } },
    options: { nodes: [] },
    then: async (cluster) => {
      cluster.node('n1', { labels: { color: 'blue' } });
      cluster.node('n2', { labels: { color: 'green' } });
      cluster.timeline.note('n1 is blue, n2 is green');
      await cluster.settle(200, 8);
      cluster.timeline.note('n2 becomes blue');
      cluster.node('n2', { labels: { color: 'blue' } });
      await cluster.settle(200, 8);
      cluster.timeline.note('n1 becomes green');
      cluster.node('n1', { labels: { color: 'green' } });
      await cluster.settle(200, 8);
      cluster.timeline.note('n2 gets a taint that only Pods which are there live with');
      cluster.node('n2', { labels: { color: 'blue' }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } });
      await cluster.settle(200, 8);
      cluster.timeline.note('and one that no Pod tolerates');
      cluster.node('n2', { labels: { color: 'blue' }, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
      await cluster.settle(200, 8);
    },
    end: [],
  },
  {
    name: 'a-kubelet-refuses-again-and-again',
    shape: {},
    then: async (cluster) => {
      cluster.timeline.note('the kubelet of n2 refuses every Pod');
      cluster.refusing.add('n2');
      await cluster.deletePod('n2');
      await cluster.ticks(16);
      cluster.timeline.note('it takes them again');
      cluster.refusing.clear();
      await cluster.settle(60, 20);
    },
    end: ['n1 app:1', 'n2 app:1', 'n3 app:1'],
  },
  {
    name: 'partitioned-creation',
    shape: { rollingUpdate: { partition: 3 }, spec: { scaleStrategy: { partitionedScaling: true } } },
    then: async (cluster) => {
      cluster.timeline.note('the partition is as large as the cluster; the user lowers it by one');
      cluster.roll({ partition: 2 });
      await cluster.settle(200, 8);
      cluster.timeline.note('the user lowers it to a third');
      cluster.roll({ partition: '34%' });
      await cluster.settle(200, 8);
    },
    end: ['n1 app:1', 'n2 app:1'],
  },
  {
    name: 'on-delete-and-paused',
    shape: { type: 'OnDelete' },
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2, and nothing happens');
      cluster.changeImage('app:2');
      await cluster.settle(200, 8);
      cluster.timeline.note('somebody deletes a Pod');
      await cluster.deletePod('n2');
      await cluster.settle(200, 8);
      cluster.timeline.note('the user has the others updated, but paused');
      cluster.change({
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'Standard', maxUnavailable: 1, paused: true } },
      });
      await cluster.settle(200, 8);
      cluster.timeline.note('a node joins, and gets the new template; then the user goes on');
      cluster.node('n4');
      await cluster.settle(200, 8);
      cluster.roll({ paused: false });
      await cluster.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2', 'n4 app:2'],
  },
];

describeRollouts(import.meta.url, {
  kind: 'DaemonSet',
  create: (shape: SetShape, options?: NodesOptions) => new DaemonSetCluster(shape, options),
  settle: (cluster) => cluster.settle(200, 8),
  scenarios,
});
