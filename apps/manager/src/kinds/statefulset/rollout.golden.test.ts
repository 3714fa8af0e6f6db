/**
 * Golden scenarios of rollouts: the controller runs on an in-memory API server with kubelets that work in steps, and the test compares its plans,
 * writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * UPDATE_GOLDEN=1 npm run jest -- statefulset/rollout.golden, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { storageClasses, type Pod } from '@kruise/objects';
import type { ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { aClaimTemplate, type SetShape } from '@kruise/kinds/statefulset/testing';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { deletePod, StatefulSetCluster } from './cluster.testing.ts';

interface Scenario extends GoldenScenario<StatefulSetCluster> {
  readonly shape: SetShape;
  readonly options?: ClusterOptions;
  /** How the Pods are in the end. */
  readonly end: readonly string[];
}

const rollingUpdate = (over: NonNullable<SetShape['rollingUpdate']>): Pick<SetShape, 'rollingUpdate'> => ({ rollingUpdate: over });

/** Changes members of the rolling update and leaves the others as they are. */
function roll(world: StatefulSetCluster, over: NonNullable<SetShape['rollingUpdate']>): void {
  const { updateStrategy } = world.set.spec;
  world.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, ...over } } });
}

const withLabel = (pod: Pod, name: string, value: string | undefined): Pod => {
  const { [name]: _gone, ...rest } = pod.metadata.labels ?? {};
  return { ...pod, metadata: { ...pod.metadata, labels: value === undefined ? rest : { ...rest, [name]: value } } };
};

const hook = 'example.com/hold';

const scenarios: readonly Scenario[] = [
  {
    name: 'ordered-in-place-with-partition',
    shape: { replicas: 3 },
    then: async (world) => {
      world.timeline.note('the user sets app:2 and keeps two Pods back');
      roll(world, { partition: 2 });
      world.changeImage('app:2');
      await world.settle();
      world.timeline.note('the user lets the rest go');
      roll(world, { partition: 0 });
      await world.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2', 'web-2 app:2'],
  },
  {
    name: 'parallel-made-anew-two-at-a-time',
    shape: { replicas: 4, parallel: true, ...rollingUpdate({ podUpdatePolicy: 'ReCreate', maxUnavailable: 2 }) },
    then: async (world) => {
      world.timeline.note('the user sets app:2');
      world.changeImage('app:2');
      await world.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2', 'web-2 app:2', 'web-3 app:2'],
  },
  {
    name: 'broken-image-and-rollback',
    shape: { replicas: 3 },
    options: { brokenImages: new Set(['app:broken']) },
    then: async (world) => {
      world.timeline.note('the user sets an image that never becomes ready');
      world.changeImage('app:broken');
      await world.settle(40, 20);
      world.timeline.note('the user rolls back: the ordered walk ends at the Pod that is not ready, as users rely on');
      world.changeImage('app:1');
      await world.settle();
      world.timeline.note('somebody deletes it');
      await deletePod(world, 'web-2');
      await world.settle();
    },
    end: ['web-0 app:1', 'web-1 app:1', 'web-2 app:1'],
  },
  {
    name: 'unordered-by-weight',
    shape: {
      replicas: 3,
      parallel: true,
      ...rollingUpdate({
        unorderedUpdate: { priorityStrategy: { weightPriority: [{ weight: 50, matchSelector: { matchLabels: { first: 'yes' } } }] } },
      }),
    },
    then: async (world) => {
      world.timeline.note('a user labels web-0, which must be updated first, and sets app:2');
      world.changePod('web-0', (pod) => withLabel(pod, 'first', 'yes'));
      await world.manager.settle();
      world.changeImage('app:2');
      await world.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2', 'web-2 app:2'],
  },
  {
    name: 'paused-and-resumed',
    shape: { replicas: 2 },
    then: async (world) => {
      world.timeline.note('the user pauses and sets app:2');
      roll(world, { paused: true });
      world.changeImage('app:2');
      await world.settle();
      world.timeline.note('the user resumes');
      roll(world, { paused: false });
      await world.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2'],
  },
  {
    name: 'on-delete',
    shape: { replicas: 2, type: 'OnDelete' },
    then: async (world) => {
      world.timeline.note('the user sets app:2: nothing moves');
      world.changeImage('app:2');
      await world.settle();
      world.timeline.note('somebody deletes web-0');
      await deletePod(world, 'web-0');
      await world.settle();
    },
    end: ['web-0 app:2', 'web-1 app:1'],
  },
  {
    name: 'scale-in-waits-for-a-hook-and-takes-its-claim-along',
    shape: {
      replicas: 2,
      claims: [aClaimTemplate('data')],
      spec: {
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
        lifecycle: { preDelete: { labelsHandler: { [hook]: 'true' } } },
      },
    },
    then: async (world) => {
      world.changePod('web-1', (pod) => withLabel(pod, hook, 'true'));
      await world.settle();
      world.timeline.note('the user scales in: the hook holds web-1');
      world.change({ replicas: 1 });
      await world.settle();
      world.timeline.note('the hook lets go');
      world.changePod('web-1', (pod) => withLabel(pod, hook, undefined));
      await world.settle();
    },
    end: ['web-0 app:1'],
  },
  {
    name: 'claims-grow-with-their-template',
    shape: {
      replicas: 2,
      claims: [aClaimTemplate('data')],
      spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } },
    },
    options: { gates: { StatefulSetAutoResizePVCGate: true } },
    then: async (world) => {
      world.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: true });
      world.bindsClaims = false;
      world.timeline.note('the user asks for 2Gi; the storage takes its time');
      world.change({ volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
      await world.settle();
      world.timeline.note('the storage gives what is asked for');
      world.bindsClaims = true;
      await world.settle();
    },
    end: ['web-0 app:1', 'web-1 app:1'],
  },
  {
    name: 'a-claim-template-is-added',
    shape: { replicas: 2 },
    options: { gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true } },
    then: async (world) => {
      world.timeline.note('the user adds a claim template: no Pod mounts its claim');
      world.change({ volumeClaimTemplates: [aClaimTemplate('data')] });
      await world.settle();
    },
    end: ['web-0 app:1', 'web-1 app:1'],
  },
  {
    name: 'an-ordinal-is-reserved-and-freed',
    shape: { replicas: 2, parallel: true },
    then: async (world) => {
      world.timeline.note('the user reserves ordinal 0');
      world.change({ reserveOrdinals: [0] });
      await world.settle();
      world.timeline.note('the user frees it');
      world.change({ reserveOrdinals: [] });
      await world.settle();
    },
    end: ['web-0 app:1', 'web-1 app:1'],
  },
  {
    name: 'a-pod-loses-its-labels',
    shape: { replicas: 1 },
    then: async (world) => {
      world.timeline.note('somebody takes the label away by which the Pod is known as its ordinal');
      world.changePod('web-0', (pod) => withLabel(pod, labels.statefulSetPodName, undefined));
      await world.settle();
      world.timeline.note('somebody takes the label away that the StatefulSet selects by, and gives it back');
      world.changePod('web-0', (pod) => withLabel(pod, 'app', undefined));
      await world.manager.settle();
      await world.clock.step(2000);
      world.changePod('web-0', (pod) => withLabel(pod, 'app', 'web'));
      await world.settle();
    },
    end: ['web-0 app:1'],
  },
];

const states = new RunStates('StatefulSet');

describe('rollouts', () => {
  it.each(scenarios)('$name', async ({ name, shape, options, then, end }) => {
    await using world = new StatefulSetCluster(shape, options);
    states.watch(name, world.api);
    await world.settle();
    await then(world);
    const { text } = world.timeline;
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    expect(world.shown).toEqual(end);
    expect(await world.quietHour()).toEqual([]);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
