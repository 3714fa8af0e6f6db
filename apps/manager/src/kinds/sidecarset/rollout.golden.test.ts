/**
 * Golden scenarios of rollouts: the controller runs on an in-memory API server with kubelets that work in steps, and the test compares its plans,
 * writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * UPDATE_GOLDEN=1 npm run jest -- sidecarset/rollout.golden, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import type { SidecarSet } from '@kruise/api';
import { quietHour } from '@kruise/kube/testing';
import { pods } from '@kruise/objects';
import { asNew } from '../../module/controller-process.testing.ts';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet } from '@kruise/kinds/sidecarset/testing';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { SidecarSetCluster } from './cluster.testing.ts';

interface Scenario extends GoldenScenario<SidecarSetCluster> {
  readonly set: SidecarSet;
  readonly members: number;
}

const cold = (image: string) => ({ containers: [aSidecar('side', image)] });
const hot = (image: string) => ({ containers: [aHotSidecar('mesh', image)] });
const strategy = (over: SidecarSet['spec']['updateStrategy']): Partial<SidecarSet['spec']> => ({
  updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0, ...over },
});

const scenarios: readonly Scenario[] = [
  {
    name: 'in-place-with-partition-and-max-unavailable',
    set: aSidecarSet({ ...cold('side:1'), strategy: { maxUnavailable: 2 } }),
    members: 5,
    then: async (cluster) => {
      cluster.timeline.note('the user sets side:2; two Pods are kept back, two may be unavailable');
      cluster.change({ ...cold('side:2'), ...strategy({ maxUnavailable: 2, partition: 2 }) });
      await cluster.run(12);
      cluster.timeline.note('the user lets the rest go');
      cluster.change(strategy({ maxUnavailable: 2, partition: 0 }));
      await cluster.run(8);
    },
  },
  {
    name: 'hot-upgrade',
    set: aSidecarSet(hot('mesh:1')),
    members: 2,
    then: async (cluster) => {
      cluster.timeline.note('the user sets mesh:2');
      cluster.change(hot('mesh:2'));
      await cluster.run(12);
      cluster.timeline.note('the user sets mesh:3: the twins take turns once more');
      cluster.change(hot('mesh:3'));
      await cluster.run(12);
    },
  },
  {
    name: 'hot-upgrade-that-fails-and-is-rolled-back',
    set: aSidecarSet(hot('mesh:1')),
    members: 2,
    then: async (cluster) => {
      cluster.kubelet.broken = new Set(['mesh:broken']);
      cluster.timeline.note('the user sets an image that cannot be pulled');
      cluster.change(hot('mesh:broken'));
      await cluster.run(8);
      cluster.timeline.note('the user rolls back');
      cluster.change(hot('mesh:1'));
      await cluster.run(12);
    },
  },
  {
    name: 'paused-then-resumed',
    set: aSidecarSet(cold('side:1')),
    members: 3,
    then: async (cluster) => {
      cluster.timeline.note('the user sets side:2');
      cluster.change(cold('side:2'));
      await cluster.run(2);
      cluster.timeline.note('the user pauses');
      cluster.change(strategy({ paused: true }));
      await cluster.run(8);
      cluster.timeline.note('the user resumes');
      cluster.change(strategy({ paused: false }));
      await cluster.run(10);
    },
  },
  {
    name: 'injected-with-an-older-version',
    set: aSidecarSet(cold('side:1')),
    members: 1,
    then: async (cluster) => {
      const older = { set: cluster.sidecarSet, revision: cluster.sidecarSet.status?.latestRevision ?? '' };
      cluster.timeline.note('the user sets side:2');
      cluster.change(cold('side:2'));
      await cluster.run(8);
      cluster.timeline.note('a Pod comes that was injected with side:1');
      const createdAt = cluster.clock.now();
      await cluster.run(1);
      cluster.api.seed(pods, asNew(anInjectedPod(older.set, { name: 'pod-2', createdAt, revision: older.revision })));
      await cluster.run(8);
    },
  },
  {
    name: 'more-than-images-changed',
    set: aSidecarSet(cold('side:1')),
    members: 2,
    then: async (cluster) => {
      cluster.timeline.note('the user adds an environment variable, which no running Pod can be given');
      cluster.change({ containers: [aSidecar('side', 'side:1', { env: [{ name: 'MODE', value: 'fast' }] })] });
      await cluster.run(6);
      cluster.timeline.note('the user takes it away and sets side:2');
      cluster.change(cold('side:2'));
      await cluster.run(10);
    },
  },
];

const states = new RunStates('SidecarSet');

describe('rollouts', () => {
  it.each(scenarios)('$name', async ({ name, set, members, then }) => {
    const cluster = new SidecarSetCluster(set, members);
    states.watch(name, cluster.api);
    await cluster.run(2);
    await then(cluster);
    const { text } = cluster.timeline;
    const counted = cluster.sidecarSet.status;
    expect(await quietHour({ ...cluster, turn: () => cluster.run(1) })).toEqual([]);
    await cluster.manager.stop();
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    expect(counted).toMatchObject({ updatedReadyPods: counted?.matchedPods, observedGeneration: cluster.sidecarSet.metadata.generation });
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
