/**
 * Golden scenarios of rollouts: the controller runs on an in-memory API server with kubelets that work in steps, and the test compares its plans,
 * writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * UPDATE_GOLDEN=1 npm run jest -- statefulset/rollout.golden, then review the diff.
 */
import { labels } from '@kruise/api';
import { storageClasses, type Pod } from '@kruise/objects';
import type { ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { aClaimTemplate, type SetShape } from '@kruise/kinds/statefulset/testing';
import { describeRollouts, type RolloutScenario } from '../../module/fixtures/rollout-scenarios.testing.ts';
import { deletePod, StatefulSetCluster } from './cluster.testing.ts';

type Scenario = RolloutScenario<StatefulSetCluster, SetShape, ClusterOptions>;

const rollingUpdate = (over: NonNullable<SetShape['rollingUpdate']>): Pick<SetShape, 'rollingUpdate'> => ({ rollingUpdate: over });

/** Changes members of the rolling update and leaves the others as they are. */
function roll(cluster: StatefulSetCluster, over: NonNullable<SetShape['rollingUpdate']>): void {
  const { updateStrategy } = cluster.set.spec;
  cluster.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, ...over } } });
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
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2 and keeps two Pods back');
      roll(cluster, { partition: 2 });
      cluster.changeImage('app:2');
      await cluster.settle();
      cluster.timeline.note('the user lets the rest go');
      roll(cluster, { partition: 0 });
      await cluster.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2', 'web-2 app:2'],
  },
  {
    name: 'parallel-recreated-two-at-a-time',
    shape: { replicas: 4, parallel: true, ...rollingUpdate({ podUpdatePolicy: 'ReCreate', maxUnavailable: 2 }) },
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2');
      cluster.changeImage('app:2');
      await cluster.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2', 'web-2 app:2', 'web-3 app:2'],
  },
  {
    name: 'broken-image-and-rollback',
    shape: { replicas: 3 },
    options: { brokenImages: new Set(['app:broken']) },
    then: async (cluster) => {
      cluster.timeline.note('the user sets an image that never becomes ready');
      cluster.changeImage('app:broken');
      await cluster.settle(40, 20);
      cluster.timeline.note('the user rolls back: the ordered walk ends at the Pod that is not ready, as users rely on');
      cluster.changeImage('app:1');
      await cluster.settle();
      cluster.timeline.note('somebody deletes it');
      await deletePod(cluster, 'web-2');
      await cluster.settle();
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
    then: async (cluster) => {
      cluster.timeline.note('a user labels web-0, which must be updated first, and sets app:2');
      cluster.changePod('web-0', (pod) => withLabel(pod, 'first', 'yes'));
      await cluster.manager.settle();
      cluster.changeImage('app:2');
      await cluster.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2', 'web-2 app:2'],
  },
  {
    name: 'paused-and-resumed',
    shape: { replicas: 2 },
    then: async (cluster) => {
      cluster.timeline.note('the user pauses and sets app:2');
      roll(cluster, { paused: true });
      cluster.changeImage('app:2');
      await cluster.settle();
      cluster.timeline.note('the user resumes');
      roll(cluster, { paused: false });
      await cluster.settle();
    },
    end: ['web-0 app:2', 'web-1 app:2'],
  },
  {
    name: 'on-delete',
    shape: { replicas: 2, type: 'OnDelete' },
    then: async (cluster) => {
      cluster.timeline.note('the user sets app:2: nothing moves');
      cluster.changeImage('app:2');
      await cluster.settle();
      cluster.timeline.note('somebody deletes web-0');
      await deletePod(cluster, 'web-0');
      await cluster.settle();
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
    then: async (cluster) => {
      cluster.changePod('web-1', (pod) => withLabel(pod, hook, 'true'));
      await cluster.settle();
      cluster.timeline.note('the user scales in: the hook holds web-1');
      cluster.change({ replicas: 1 });
      await cluster.settle();
      cluster.timeline.note('the hook lets go');
      cluster.changePod('web-1', (pod) => withLabel(pod, hook, undefined));
      await cluster.settle();
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
    then: async (cluster) => {
      cluster.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: true });
      cluster.bindsClaims = false;
      cluster.timeline.note('the user asks for 2Gi; the storage takes its time');
      cluster.change({ volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
      await cluster.settle();
      cluster.timeline.note('the storage gives what is asked for');
      cluster.bindsClaims = true;
      await cluster.settle();
    },
    end: ['web-0 app:1', 'web-1 app:1'],
  },
  {
    name: 'a-claim-template-is-added',
    shape: { replicas: 2 },
    options: { gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true } },
    then: async (cluster) => {
      cluster.timeline.note('the user adds a claim template: no Pod mounts its claim');
      cluster.change({ volumeClaimTemplates: [aClaimTemplate('data')] });
      await cluster.settle();
    },
    end: ['web-0 app:1', 'web-1 app:1'],
  },
  {
    name: 'an-ordinal-is-reserved-and-freed',
    shape: { replicas: 2, parallel: true },
    then: async (cluster) => {
      cluster.timeline.note('the user reserves ordinal 0');
      cluster.change({ reserveOrdinals: [0] });
      await cluster.settle();
      cluster.timeline.note('the user frees it');
      cluster.change({ reserveOrdinals: [] });
      await cluster.settle();
    },
    end: ['web-0 app:1', 'web-1 app:1'],
  },
  {
    name: 'a-pod-loses-its-labels',
    shape: { replicas: 1 },
    then: async (cluster) => {
      cluster.timeline.note('somebody takes the label away by which the Pod is known as its ordinal');
      cluster.changePod('web-0', (pod) => withLabel(pod, labels.statefulSetPodName, undefined));
      await cluster.settle();
      cluster.timeline.note('somebody takes the label away that the StatefulSet selects by, and gives it back');
      cluster.changePod('web-0', (pod) => withLabel(pod, 'app', undefined));
      await cluster.manager.settle();
      await cluster.clock.step(2000);
      cluster.changePod('web-0', (pod) => withLabel(pod, 'app', 'web'));
      await cluster.settle();
    },
    end: ['web-0 app:1'],
  },
];

describeRollouts(import.meta.url, {
  kind: 'StatefulSet',
  create: (shape: SetShape, options?: ClusterOptions) => new StatefulSetCluster(shape, options),
  settle: (cluster) => cluster.settle(),
  scenarios,
});
