/**
 * Golden scenarios of rollouts: the controller runs on an in-memory API server with kubelets that work in steps, and the test compares its plans,
 * writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * UPDATE_GOLDEN=1 npm run jest -- daemonset/rollout.golden, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import type { Pod, PodTemplateSpec } from '@kruise/objects';
import type { SetShape } from '@kruise/kinds/daemonset/testing';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { DaemonSetCluster, type NodesOptions } from './cluster.testing.ts';

interface Scenario extends GoldenScenario<DaemonSetCluster> {
  readonly shape: SetShape;
  readonly options?: NodesOptions;
  /** How the Pods are in the end. */
  readonly end: readonly string[];
}

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
    name: 'made-anew-one-by-one-and-back',
    shape: {},
    then: async (world) => {
      world.timeline.note('the user sets app:2');
      world.changeImage('app:2');
      await world.settle(200, 8);
      world.timeline.note('the user goes back');
      world.changeImage('app:1');
      await world.settle(200, 8);
    },
    end: ['n1 app:1', 'n2 app:1', 'n3 app:1'],
  },
  {
    name: 'in-place-with-partition',
    shape: { rollingUpdate: { ...inPlace, maxUnavailable: 2, partition: 2 } },
    then: async (world) => {
      world.timeline.note('the user sets app:2, and two nodes keep app:1');
      world.changeImage('app:2');
      await world.settle(200, 8);
      world.timeline.note('somebody deletes an old Pod: it comes back with the new template and takes the place of an update');
      await world.deletePod('n1');
      await world.settle(200, 8);
      world.timeline.note('the user lets the rest go');
      world.roll({ partition: 0 });
      await world.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2'],
  },
  {
    name: 'surge-with-min-ready-seconds',
    shape: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 }, spec: { minReadySeconds: 5 } },
    then: async (world) => {
      world.timeline.note('the user sets app:2');
      world.changeImage('app:2');
      await world.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2'],
  },
  {
    name: 'chosen-nodes-only',
    shape: { rollingUpdate: { ...inPlace, selector: { matchLabels: { tier: 'canary' } } } },
    then: async (world) => {
      world.node('n2', { labels: { tier: 'canary' } });
      world.timeline.note('the user sets app:2: n2 alone is a canary');
      world.changeImage('app:2');
      await world.settle(200, 8);
      world.timeline.note('n1 becomes a canary as well');
      world.node('n1', { labels: { tier: 'canary' } });
      await world.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:1'],
  },
  {
    name: 'broken-image-and-rollback',
    shape: { rollingUpdate: inPlace },
    options: { brokenImages: new Set(['app:broken']) },
    then: async (world) => {
      world.timeline.note('the user sets an image that never becomes ready: one node gets it, and no other');
      world.changeImage('app:broken');
      await world.settle(150, 70);
      world.timeline.note('the user goes back: what is not available is replaced at once');
      world.changeImage('app:1');
      await world.settle(200, 8);
    },
    end: ['n1 app:1', 'n2 app:1', 'n3 app:1'],
  },
  {
    name: 'deletions-wait-for-their-hook',
    shape: { spec: { template: template({ [hook]: 'yes' }), lifecycle: { preDelete: { labelsHandler: { [hook]: 'yes' } } } } },
    then: async (world) => {
      world.timeline.note('the user sets app:2');
      world.changeImage('app:2');
      await world.settle(200, 8);
      for (const node of ['n3', 'n2', 'n1']) {
        world.timeline.note(`the hook lets go of the Pod on ${node}`);
        world.setPod(world.podOn(node), (pod) => withLabel(pod, undefined));
        await world.settle(200, 8);
      }
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2'],
  },
  {
    name: 'nodes-come-go-and-change',
    shape: { spec: { template: template({}, { nodeSelector: { color: 'blue' } }) } },
    options: { nodes: [] },
    then: async (world) => {
      world.node('n1', { labels: { color: 'blue' } });
      world.node('n2', { labels: { color: 'green' } });
      world.timeline.note('n1 is blue, n2 is green');
      await world.settle(200, 8);
      world.timeline.note('n2 becomes blue');
      world.node('n2', { labels: { color: 'blue' } });
      await world.settle(200, 8);
      world.timeline.note('n1 becomes green');
      world.node('n1', { labels: { color: 'green' } });
      await world.settle(200, 8);
      world.timeline.note('n2 gets a taint that only Pods which are there live with');
      world.node('n2', { labels: { color: 'blue' }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } });
      await world.settle(200, 8);
      world.timeline.note('and one that no Pod tolerates');
      world.node('n2', { labels: { color: 'blue' }, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
      await world.settle(200, 8);
    },
    end: [],
  },
  {
    name: 'a-kubelet-refuses-again-and-again',
    shape: {},
    then: async (world) => {
      world.timeline.note('the kubelet of n2 refuses every Pod');
      world.refusing.add('n2');
      await world.deletePod('n2');
      await world.ticks(16);
      world.timeline.note('it takes them again');
      world.refusing.clear();
      await world.settle(60, 20);
    },
    end: ['n1 app:1', 'n2 app:1', 'n3 app:1'],
  },
  {
    name: 'partitioned-creation',
    shape: { rollingUpdate: { partition: 3 }, spec: { scaleStrategy: { partitionedScaling: true } } },
    then: async (world) => {
      world.timeline.note('the partition is as large as the cluster; the user lowers it by one');
      world.roll({ partition: 2 });
      await world.settle(200, 8);
      world.timeline.note('the user lowers it to a third');
      world.roll({ partition: '34%' });
      await world.settle(200, 8);
    },
    end: ['n1 app:1', 'n2 app:1'],
  },
  {
    name: 'on-delete-and-paused',
    shape: { type: 'OnDelete' },
    then: async (world) => {
      world.timeline.note('the user sets app:2, and nothing happens');
      world.changeImage('app:2');
      await world.settle(200, 8);
      world.timeline.note('somebody deletes a Pod');
      await world.deletePod('n2');
      await world.settle(200, 8);
      world.timeline.note('the user has the others updated, but paused');
      world.change({
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'Standard', maxUnavailable: 1, paused: true } },
      });
      await world.settle(200, 8);
      world.timeline.note('a node joins, and gets the new template; then the user goes on');
      world.node('n4');
      await world.settle(200, 8);
      world.roll({ paused: false });
      await world.settle(200, 8);
    },
    end: ['n1 app:2', 'n2 app:2', 'n3 app:2', 'n4 app:2'],
  },
];

const states = new RunStates('DaemonSet');

describe('rollouts', () => {
  it.each(scenarios)('$name', async ({ name, shape, options, then, end }) => {
    await using world = new DaemonSetCluster(shape, options);
    states.watch(name, world.api);
    await world.settle(200, 8);
    await then(world);
    const { text } = world.timeline;
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    expect(world.shown).toEqual(end);
    expect(await world.quietHour()).toEqual([]);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
