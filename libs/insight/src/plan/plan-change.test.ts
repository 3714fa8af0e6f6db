import { describe, expect, it } from '@jest/globals';
import type { Gates } from '@kruise/api';
import { aDaemonSet, aNode } from '@kruise/kinds/daemonset/testing';
import { aClaimTemplate, aStatefulSet } from '@kruise/kinds/statefulset/testing';
import type { CloneSetShape } from '@kruise/kinds/cloneset/testing';
import type { Pod } from '@kruise/objects';
import type { Batch, ChangePlan, WorkloadPlan } from './change-plan.ts';
import { asObject, factsOf, runningCloneSet, settled, templateOf, typed, withSpec, type RunningSet } from './fixtures.testing.ts';
import { planChange } from './plan-change.ts';

type Rolling = NonNullable<CloneSetShape['rollingUpdate']>;

const rolling = (rollingUpdate: Rolling): object => ({
  updateStrategy: {
    type: 'RollingUpdate',
    rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', partition: 0, maxUnavailable: 2, maxSurge: 0, ...rollingUpdate },
  },
});

const workloadOf = ({ workloads: [workload] }: ChangePlan): WorkloadPlan => {
  if (workload === undefined) throw new Error('the plan has no workload');
  return workload;
};

const planOf = ({ set, facts }: RunningSet, spec: object): WorkloadPlan => workloadOf(planChange(set, withSpec(set, spec), facts));

/** A batch in words. */
function said({ inPlace, recreated, deleted, created, endedBy }: Batch): string {
  const limit = 'limit' in endedBy ? ` ${endedBy.limit}` : '';
  const parts = [
    inPlace.length > 0 ? `in place ${inPlace.join(' ')}` : '',
    recreated.length > 0 ? `recreated ${recreated.join(' ')}` : '',
    deleted.length > 0 ? `deleted ${deleted.join(' ')}` : '',
    created > 0 ? `created ${created}` : '',
  ].filter((part) => part !== '');
  return `${parts.join(', ')}: ${endedBy.kind}${limit}`.replaceAll('sample-', '');
}

const batchesOf = (plan: WorkloadPlan): readonly string[] => plan.batches.map(said);

describe('the plan of a CloneSet', () => {
  it.each<{ name: string; spec: object; batches: readonly string[]; endedBy?: object; change?: (pod: Pod, index: number) => Pod }>([
    {
      name: 'updates images in place, as many Pods at a time as may be unavailable',
      spec: { ...templateOf('app:2'), ...rolling({}) },
      batches: ['in place p0 p1: MaxUnavailable maxUnavailable 2', 'in place p2 p3: MaxUnavailable maxUnavailable 2', 'in place p4: Done'],
    },
    {
      name: 'ends at the partition',
      spec: { ...templateOf('app:2'), ...rolling({ partition: 3 }) },
      batches: ['in place p0 p1: Partition partition 3'],
    },
    {
      name: 'recreates Pods for a field that is not updated in place, and a replacement belongs to the batch of the deletion',
      spec: { ...templateOf('app:1', { workingDir: '/srv' }), ...rolling({ maxUnavailable: 3 }) },
      batches: ['recreated p0 p1 p2: MaxUnavailable maxUnavailable 3', 'recreated p3 p4: Done'],
    },
    {
      name: 'creates surge Pods first',
      spec: { ...templateOf('app:2'), ...rolling({ podUpdatePolicy: 'ReCreate', maxUnavailable: 0, maxSurge: 3 }) },
      batches: ['created 3: MaxSurge maxSurge 3', 'recreated p0 p1 p2, created 2: MaxSurge maxSurge 3', 'recreated p3 p4: Done'],
    },
    {
      name: 'creates new Pods before it replaces others',
      spec: { replicas: 6, ...templateOf('app:1', { workingDir: '/srv' }), ...rolling({ maxUnavailable: 3 }) },
      batches: ['recreated p0 p1, created 1: MaxUnavailable maxUnavailable 3', 'recreated p2 p3 p4: Done'],
    },
    { name: 'scales in', spec: { replicas: 3, ...rolling({}) }, batches: ['deleted p0 p1: Done'] },
    { name: 'scales out', spec: { replicas: 8, ...rolling({}) }, batches: ['created 3: Done'] },
    {
      name: 'does nothing while the update is paused',
      spec: { ...templateOf('app:2'), ...rolling({ paused: true }) },
      batches: [],
      endedBy: { kind: 'Paused' },
    },
    {
      name: 'does nothing to Pods with OnDelete',
      spec: { ...templateOf('app:2'), updateStrategy: { type: 'OnDelete' } },
      batches: [],
      endedBy: { kind: 'OnDelete' },
    },
    {
      name: 'stops at Pods that are unavailable for another reason',
      spec: { ...templateOf('app:1', { workingDir: '/srv' }), ...rolling({ podUpdatePolicy: 'InPlaceOnly' }) },
      batches: [],
      endedBy: { kind: 'Blocked', limit: expect.stringContaining('cannot be updated in place: spec.containers[0].workingDir differs') },
    },
  ])('$name', ({ spec, batches, endedBy }) => {
    const plan = planOf(runningCloneSet(), spec);
    expect(batchesOf(plan)).toEqual(batches);
    if (endedBy !== undefined) expect(plan.endedBy).toEqual(endedBy);
  });

  it('counts Pods, and names the field that forces recreation', () => {
    const running = runningCloneSet();
    const spec = { ...templateOf('app:2', { workingDir: '/srv' }), ...rolling({ partition: 2 }) };
    const plan = planChange(running.set, withSpec(running.set, spec), running.facts);
    expect(plan).toMatchObject({
      operation: 'Update',
      summary: '3 Pods recreated, 2 untouched',
      fields: [
        { path: 'spec.template.spec.containers[0].image', before: 'app:1', after: 'app:2' },
        { path: 'spec.template.spec.containers[0].workingDir', before: undefined, after: '/srv' },
        { path: 'spec.updateStrategy.rollingUpdate.partition', before: 0, after: 2 },
        { path: 'spec.updateStrategy.rollingUpdate.maxUnavailable', before: '20%', after: 2 },
      ],
    });
    expect(workloadOf(plan)).toMatchObject({
      counts: { inPlace: 0, recreated: 3, created: 0, deleted: 0, untouched: 2, outdated: 2 },
      wantsInPlace: true,
      recreations: [{ fields: [{ path: 'spec.template.spec.containers[0].workingDir', before: undefined, after: '/srv' }] }],
      images: [{ image: 'app:2', nodes: 3, isExact: false }],
    });
  });

  it('names no reason for recreation where the policy requires it', () => {
    const plan = planOf(runningCloneSet(), { ...templateOf('app:2'), ...rolling({ podUpdatePolicy: 'ReCreate' }) });
    expect(plan).toMatchObject({ counts: { recreated: 5 }, wantsInPlace: false, recreations: [] });
  });

  it('pulls an image once for each node', () => {
    const at = (pod: Pod, index: number): Pod => ({ ...pod, spec: { ...pod.spec, nodeName: `n${index % 2}` } });
    const plan = planOf(runningCloneSet({}, at), { ...templateOf('app:2'), ...rolling({}) });
    expect(plan.images).toEqual([{ image: 'app:2', nodes: 2, isExact: true }]);
  });

  describe('with a PodUnavailableBudget', () => {
    const inPlace = { ...templateOf('app:2'), ...rolling({}) };
    const recreated = { ...templateOf('app:2'), ...rolling({ podUpdatePolicy: 'ReCreate' }) };
    const oneByOne = (doing: string): readonly string[] => [
      ...['p0', 'p1', 'p2', 'p3'].map((pod) => `${doing} ${pod}: Budget careful`),
      `${doing} p4: Done`,
    ];
    const updates: Partial<Gates> = { PodUnavailableBudgetUpdateGate: true };
    const neither: Partial<Gates> = { PodUnavailableBudgetDeleteGate: false };
    const unlimited = (doing: string): readonly string[] => [
      `${doing} p0 p1: MaxUnavailable maxUnavailable 2`,
      `${doing} p2 p3: MaxUnavailable maxUnavailable 2`,
      `${doing} p4: Done`,
    ];

    it.each<{ name: string; gates: Partial<Gates>; protect?: readonly string[]; spec: object; batches: readonly string[] }>([
      { name: 'limits updates in place with the gate for updates', gates: updates, spec: inPlace, batches: oneByOne('in place') },
      { name: 'does not limit updates in place by default', gates: {}, spec: inPlace, batches: unlimited('in place') },
      { name: 'limits recreation by default, as it deletes Pods', gates: {}, spec: recreated, batches: oneByOne('recreated') },
      { name: 'limits recreation once with both gates', gates: updates, spec: recreated, batches: oneByOne('recreated') },
      {
        name: 'limits recreation with both gates when it protects deletions alone',
        gates: updates,
        protect: ['DELETE'],
        spec: recreated,
        batches: oneByOne('recreated'),
      },
      {
        name: 'limits recreation with the gate for updates alone',
        gates: { ...updates, ...neither },
        spec: recreated,
        batches: oneByOne('recreated'),
      },
      { name: 'limits nothing without both gates', gates: neither, spec: recreated, batches: unlimited('recreated') },
    ])('$name', ({ gates, protect, spec, batches }) => {
      const running = runningCloneSet();
      const budget = typed('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
        metadata: { name: 'careful', namespace: 'default', uid: 'pub' },
        spec: {
          selector: { matchLabels: { app: 'sample' } },
          maxUnavailable: 1,
          ...(protect === undefined ? {} : { protectOperations: protect }),
        },
        status: { totalReplicas: 5, currentAvailable: 5, desiredAvailable: 4, unavailableAllowed: 1 },
      });
      const facts = factsOf(...running.facts.objects, budget);
      const plan = planOf({ ...running, facts: { ...facts, gates: { ...facts.gates, ...gates } } }, spec);
      expect(batchesOf(plan)).toEqual(batches);
    });
  });

  describe('with a PodUnavailableBudget that allows no Pod to be unavailable', () => {
    const strict = (totalReplicas: number): ReturnType<typeof typed> =>
      typed('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
        metadata: { name: 'strict', namespace: 'default', uid: 'pub' },
        spec: { selector: { matchLabels: { app: 'sample' } }, maxUnavailable: 0 },
        status: { totalReplicas, currentAvailable: totalReplicas, desiredAvailable: totalReplicas, unavailableAllowed: 0 },
      });
    const surging = { ...templateOf('app:2'), ...rolling({ podUpdatePolicy: 'ReCreate', maxUnavailable: 1, maxSurge: 1 }) };

    it('replaces every Pod after a surge', () => {
      const running = runningCloneSet();
      const plan = planOf({ ...running, facts: factsOf(...running.facts.objects, strict(5)) }, surging);
      expect(plan).toMatchObject({ counts: { recreated: 5, created: 0, untouched: 0 }, endedBy: { kind: 'Done' } });
    });

    it('deletes the Pods of nodes that a DaemonSet no longer chooses, and keeps the others', () => {
      const disk = { metadata: { labels: { disk: 'ssd' } } };
      const [first, ...rest] = ['n1', 'n2', 'n3'].map((name) => asObject(aNode(name)));
      const chosen = { ...first!, metadata: { ...first!.metadata, labels: { ...first!.metadata.labels, ...disk.metadata.labels } } };
      const running = settled(aDaemonSet(), chosen, ...rest);
      const budget = strict(3);
      const ofAgents = { ...budget, spec: { selector: { matchLabels: { app: 'agent' } }, maxUnavailable: 0 } };
      const plan = planOf(
        { ...running, facts: factsOf(...running.facts.objects, ofAgents) },
        {
          template: {
            metadata: { labels: { app: 'agent' } },
            spec: { containers: [{ name: 'main', image: 'app:2' }], nodeSelector: { disk: 'ssd' } },
          },
        },
      );
      expect(plan).toMatchObject({ counts: { deleted: 2, recreated: 0, untouched: 1 }, endedBy: { kind: 'Budget' } });
    });
  });

  it('does not expect a Pod to become ready that it does not act on', () => {
    const broken = (pod: Pod, index: number): Pod =>
      index > 2
        ? pod
        : { ...pod, status: { ...pod.status!, conditions: pod.status!.conditions!.map((one) => ({ ...one, status: 'False' as const })) } };
    const plan = planOf(runningCloneSet({}, broken), { replicas: 6, ...rolling({}) });
    expect(plan).toMatchObject({ counts: { created: 1, untouched: 5 } });
  });

  it('assumes that hooks let Pods go, and says that a PodDisruptionBudget limits evictions only', () => {
    const running = runningCloneSet();
    const disruption = typed('policy/v1', 'PodDisruptionBudget', {
      metadata: { name: 'drain', namespace: 'default', uid: 'pdb' },
      spec: { selector: { matchLabels: { app: 'sample' } }, minAvailable: 5 },
    });
    const lifecycle = { inPlaceUpdate: { labelsHandler: { hold: 'yes' }, markPodNotReady: true } };
    const template = templateOf('app:2', {}, { app: 'sample', hold: 'yes' });
    const facts = factsOf(...running.facts.objects, disruption);
    const plan = planOf({ ...running, facts }, { ...template, lifecycle, ...rolling({}) });
    expect(plan).toMatchObject({ counts: { inPlace: 5 }, endedBy: { kind: 'Done' } });
    expect(plan.assumptions).toEqual([
      'the program behind the hook lifecycle.inPlaceUpdate releases every Pod',
      'PodDisruptionBudget drain limits only evictions, not this rollout',
    ]);
  });

  it('waits for minReadySeconds and grace periods', () => {
    const spec = { ...templateOf('app:2'), minReadySeconds: 600, ...rolling({ inPlaceUpdateStrategy: { gracePeriodSeconds: 30 } }) };
    expect(planOf(runningCloneSet(), spec)).toMatchObject({ counts: { inPlace: 5 }, endedBy: { kind: 'Done' } });
  });

  it('of one that does not exist creates all Pods', () => {
    const { set } = runningCloneSet();
    expect(planChange(undefined, set, factsOf())).toMatchObject({ operation: 'Create', summary: '5 Pods created' });
  });

  it('that does not change has no fields', () => {
    const { set, facts } = runningCloneSet();
    expect(planChange(set, set, facts)).toMatchObject({ operation: 'None', fields: [], summary: '5 Pods untouched' });
  });
});

describe('the plan of a StatefulSet', () => {
  const template = templateOf('app:2', {}, { app: 'web' });
  const gated = {
    template: {
      ...(template as { template: object }).template,
      spec: { ...(template as { template: { spec: object } }).template.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
    },
  };

  it('updates one Pod after the other, from the highest ordinal down to the partition', () => {
    const running = settled(aStatefulSet({ rollingUpdate: { partition: 1 } }));
    expect(batchesOf(planOf(running, gated))).toEqual([
      'in place web-2: MaxUnavailable maxUnavailable 1',
      'in place web-1: Partition partition 1',
    ]);
  });

  it('creates Pods in order', () => {
    const running = settled(aStatefulSet({ replicas: 1 }));
    expect(batchesOf(planOf(running, { replicas: 3 }))).toEqual(['created 1: Ordered', 'created 1: Done']);
  });

  it('keeps claims of recreated Pods, and creates those of new ones', () => {
    const running = settled(
      aStatefulSet({ replicas: 2, claims: [aClaimTemplate('data')], rollingUpdate: { podUpdatePolicy: 'ReCreate' } }),
    );
    const plan = planOf(running, { ...gated, replicas: 3 });
    expect(plan).toMatchObject({ counts: { recreated: 2, created: 1 } });
    expect(plan.claims).toEqual([{ claim: 'data-web-2', change: 'Created', to: '1Gi' }]);
  });

  it.each<{ name: string; podUpdatePolicy: 'ReCreate' | 'InPlaceOnly' }>([
    { name: 'to delete them', podUpdatePolicy: 'ReCreate' },
    { name: 'to update them in place', podUpdatePolicy: 'InPlaceOnly' },
  ])('resizes the claims of all Pods in turn, even if a budget refuses $name', ({ podUpdatePolicy }) => {
    const budget = typed('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
      metadata: { name: 'closed', namespace: 'default', uid: 'closed' },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
    });
    const fast = typed('storage.k8s.io/v1', 'StorageClass', { metadata: { name: 'fast' }, allowVolumeExpansion: true });
    const { set, facts } = settled(
      aStatefulSet({
        claims: [aClaimTemplate('data')],
        parallel: true,
        rollingUpdate: { podUpdatePolicy },
        spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } },
      }),
      budget,
      fast,
    );
    const gates = { ...facts.gates, StatefulSetAutoResizePVCGate: true, PodUnavailableBudgetUpdateGate: true };
    const after = withSpec(set, { ...gated, volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
    const plan = workloadOf(planChange(set, after, { ...facts, gates }));
    expect(plan).toMatchObject({ counts: { recreated: 0, inPlace: 0 }, endedBy: { kind: 'Budget', limit: 'closed' } });
    expect(plan.claims.map(({ claim, to }) => `${claim} ${to}`)).toEqual(['data-web-2 2Gi', 'data-web-1 2Gi', 'data-web-0 2Gi']);
  });
});

describe('the plan of a DaemonSet', () => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => asObject(aNode(name)));
  const template = templateOf('app:2', {}, { app: 'agent' });

  it('replaces Pods node by node', () => {
    const plan = planOf(settled(aDaemonSet(), ...nodes), template);
    expect(plan.batches.map(({ recreated, endedBy }) => [recreated.length, endedBy.kind])).toEqual([
      [1, 'MaxUnavailable'],
      [1, 'MaxUnavailable'],
      [1, 'Done'],
    ]);
    expect(plan.images).toEqual([{ image: 'app:2', nodes: 3, isExact: true }]);
  });

  it('deletes Pods of nodes that are no longer chosen', () => {
    const plan = planOf(settled(aDaemonSet(), ...nodes), {
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'main', image: 'app:1' }], nodeSelector: { disk: 'ssd' } },
      },
    });
    expect(plan).toMatchObject({ counts: { deleted: 3, recreated: 0, created: 0 } });
  });
});
