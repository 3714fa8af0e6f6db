/**
 * The test kills the controller at every single write, from creation to deletion of a StatefulSet, and starts another process:
 * the result must equal that of an undisturbed run. KRUISE_CRASH_PODS (2) makes the run longer and uses every way to die.
 */
import { deathTimes, type Death } from '@kruise/kube/testing';
import { podCondition, storageClasses } from '@kruise/objects';
import type { ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import { describeKills } from '../../../module/fixtures/kills.testing.ts';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';
import { StatefulSetCluster } from '../cluster.testing.ts';

const replicas = Number(process.env['KRUISE_CRASH_PODS'] ?? 2);
/** Without parallel writes, a lost write leaves the state of its predecessor, so the way that loses parallel writes finds the most. */
const ways: readonly Death['when'][] = process.env['KRUISE_CRASH_PODS'] === undefined ? ['alone'] : deathTimes;

/** What must come out the same; times and versions may differ. */
const endOf = (cluster: StatefulSetCluster): unknown => ({
  shown: cluster.shown,
  conditions: cluster.conditions,
  revisions: cluster.revisions,
  claims: cluster.claims.map(({ metadata }) => [
    metadata.name,
    (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`),
  ]),
  restarts: cluster.pods.map(({ status }) => status?.containerStatuses?.[0]?.restartCount),
  inService: cluster.pods.map((pod) => podCondition(pod, 'InPlaceUpdateReady')?.status),
  status: { ...cluster.set.status, conditions: undefined },
});

const retention = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' } } as const;

const hold = 'example.com/hold';
const hook = { labelsHandler: { [hold]: 'yes' } };
const { template } = aStatefulSet().spec;
const held = {
  lifecycle: { preDelete: hook, inPlaceUpdate: hook },
  template: { ...template, metadata: { labels: { ...template.metadata?.labels, [hold]: 'yes' } } },
};

/** A client releases every Pod that waits for a hook, and holds updated Pods again. */
function answerHooks(cluster: StatefulSetCluster): void {
  for (const { metadata } of cluster.pods) {
    const state = metadata.labels?.['lifecycle.apps.kruise.io/state'] ?? '';
    const isHeld = metadata.labels?.[hold] !== undefined;
    if (isHeld ? state.startsWith('Preparing') : state === 'Updated')
      cluster.changePod(metadata.name, (pod) => {
        const { [hold]: _held, ...others } = pod.metadata.labels ?? {};
        return { ...pod, metadata: { ...pod.metadata, labels: isHeld ? others : { ...others, [hold]: 'yes' } } };
      });
  }
}

interface Scenario {
  readonly name: string;
  readonly shape: SetShape;
  readonly gates?: ClusterOptions['gates'];
  /** Everything that users do, each to its end. */
  readonly run: (cluster: StatefulSetCluster) => Promise<void>;
}

const createUpdateScale = async (cluster: StatefulSetCluster): Promise<void> => {
  await cluster.settle();
  cluster.changeImage('app:2');
  await cluster.settle();
  cluster.change({ replicas: 1 });
  await cluster.settle();
};

const scenarios: readonly Scenario[] = [
  { name: 'one by one, in place', shape: { replicas, claims: [aClaimTemplate('data')], spec: retention }, run: createUpdateScale },
  {
    name: 'all at once, recreated',
    shape: { replicas, parallel: true, claims: [aClaimTemplate('data')], spec: retention, rollingUpdate: { podUpdatePolicy: 'ReCreate' } },
    run: createUpdateScale,
  },
  {
    name: 'with hooks, one of which is not needed any more',
    shape: { replicas, parallel: true, spec: held },
    run: async (cluster) => {
      cluster.onTick = () => answerHooks(cluster);
      await cluster.settle();
      cluster.onTick = undefined;
      cluster.change({ replicas: 1 });
      await cluster.settle();
      cluster.change({ replicas });
      await cluster.settle();
      cluster.onTick = () => answerHooks(cluster);
      cluster.changeImage('app:2');
      await cluster.settle();
      cluster.change({ replicas: 1 });
      await cluster.settle();
    },
  },
  {
    name: 'with claims that grow',
    shape: { replicas, claims: [aClaimTemplate('data')], spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } } },
    gates: { StatefulSetAutoResizePVCGate: true },
    run: async (cluster) => {
      cluster.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: true });
      await cluster.settle();
      cluster.change({ volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
      cluster.changeImage('app:2');
      await cluster.settle();
    },
  },
];

describeKills({
  endOf,
  writes: 15,
  ways,
  scenarios: scenarios.map(({ name, shape, gates = {}, run }) => ({
    name,
    run,
    begin: (nextDeath) => new StatefulSetCluster(shape, { gates, nextDeath }),
  })),
});
