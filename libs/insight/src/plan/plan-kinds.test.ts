import { describe, expect, it } from '@jest/globals';
import { annotations, defaultGates, type SidecarSet } from '@kruise/api';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';
import { completeSidecarSet } from '@kruise/kinds/sidecarset';
import { aSidecarSet, anInjectedPod } from '@kruise/kinds/sidecarset/testing';
import { asObject, factsOf, runningCloneSet, typed, withSpec } from './fixtures.testing.ts';
import { planChange } from './plan-change.ts';
import { planReads } from './plan-reads.ts';

describe('the plan of a UnitedDeployment', () => {
  const { selector, template } = aCloneSet().spec;
  const united = (replicas: number, subsets: readonly object[], image = 'app:1'): ReturnType<typeof asObject> =>
    typed('apps.kruise.io/v1beta1', 'UnitedDeployment', {
      metadata: { name: 'web', namespace: 'default', uid: 'united' },
      spec: {
        replicas,
        selector,
        template: {
          cloneSetTemplate: {
            metadata: { labels: { app: 'sample' } },
            spec: { template: { ...template, spec: { containers: [{ name: 'main', image }] } } },
          },
        },
        topology: { subsets },
      },
    });

  it('plans the Pods of every child', () => {
    const plan = planChange(undefined, united(6, [{ name: 'a', replicas: 2 }, { name: 'b' }]), factsOf());
    expect(plan).toMatchObject({
      summary: 'subset a is created with 2 Pods; subset b is created with 4 Pods',
      workloads: [
        { kind: 'CloneSet', operation: 'Create', counts: { created: 2 } },
        { kind: 'CloneSet', operation: 'Create', counts: { created: 4 } },
      ],
    });
  });

  it('says why no allocation is possible', () => {
    const plan = planChange(
      undefined,
      united(6, [
        { name: 'a', replicas: 2 },
        { name: 'b', replicas: 2 },
      ]),
      factsOf(),
    );
    expect(plan).toMatchObject({ summary: expect.stringMatching(/^no allocation is possible: /), workloads: [] });
  });
});

describe('the plan of a SidecarSet', () => {
  const before = completeSidecarSet(aSidecarSet() as never) as unknown as SidecarSet;
  const imaged = (image: string, more: object = {}): object => ({
    containers: before.spec.containers?.map((container) => ({ ...container, image, ...more })),
  });
  const pods = ['p1', 'p2', 'p3'].map((name) => typed('v1', 'Pod', anInjectedPod(before, { name })));
  const set = asObject(before);

  it('updates images in place, as many Pods at a time as may be unavailable', () => {
    const plan = planChange(set, withSpec(set, imaged('side:2')), factsOf(...pods));
    expect(plan).toMatchObject({
      summary: '3 Pods updated in place',
      workloads: [{ endedBy: { kind: 'Done' }, images: [{ image: 'side:2', nodes: 1 }] }],
    });
    expect(plan.workloads[0]?.batches.map(({ inPlace, endedBy }) => [inPlace.length, endedBy.kind])).toEqual([
      [1, 'MaxUnavailable'],
      [1, 'MaxUnavailable'],
      [1, 'Done'],
    ]);
  });

  it('changes no Pod in which more than images would have to change', () => {
    const plan = planChange(set, withSpec(set, imaged('side:2', { workingDir: '/srv' })), factsOf(...pods));
    expect(plan).toMatchObject({ summary: '3 Pods untouched', workloads: [{ endedBy: { kind: 'Blocked' } }] });
  });

  it('that selects namespaces reads them', () => {
    const selecting = { namespaceSelector: { matchLabels: { team: 'a' } } };
    const readsOf = (spec: object): readonly string[] => planReads(withSpec(set, spec), []).map(({ kind }) => kind);
    expect([readsOf({}), readsOf(selecting)]).toEqual([
      ['Pod', 'ControllerRevision', 'PodUnavailableBudget'],
      ['Pod', 'ControllerRevision', 'Namespace', 'PodUnavailableBudget'],
    ]);
    const namespace = typed('v1', 'Namespace', { metadata: { name: 'default', labels: { team: 'a' } } });
    const chosen = withSpec(set, selecting);
    const plan = planChange(chosen, withSpec(chosen, imaged('side:2')), factsOf(...pods, namespace));
    expect(plan.summary).toBe('3 Pods updated in place');
  });

  describe('with PodUnavailableBudgets', () => {
    const budgetOf = (name: string, namespace: string, spec: object): ReturnType<typeof typed> =>
      typed('policy.kruise.io/v1beta1', 'PodUnavailableBudget', { metadata: { name, namespace, uid: `uid-${name}` }, spec });
    const selector = { matchLabels: { app: 'demo' } };
    const inNamespace = (namespace: string, ...names: readonly string[]): readonly ReturnType<typeof typed>[] =>
      names.map((name) => typed('v1', 'Pod', anInjectedPod(before, { name, namespace })));
    const withBudgets = (
      objects: readonly ReturnType<typeof typed>[],
      isOn = true,
      maxUnavailable: string | number = '100%',
      partition = 0,
    ) => {
      const gates = { ...defaultGates, PodUnavailableBudgetUpdateGate: isOn };
      const after = withSpec(set, { ...imaged('side:2'), updateStrategy: { ...before.spec.updateStrategy, maxUnavailable, partition } });
      const plan = planChange(set, after, { ...factsOf(...objects), gates });
      return {
        summary: plan.summary,
        batches: plan.workloads[0]?.batches.map(
          ({ inPlace, endedBy }) => `${inPlace.join(' ')}: ${endedBy.kind} ${'limit' in endedBy ? endedBy.limit : ''}`,
        ),
        endedBy: plan.workloads[0]?.endedBy,
      };
    };
    const closed = budgetOf('closed', 'a', { selector, maxUnavailable: 0 });
    const single = budgetOf('single', 'a', { selector, maxUnavailable: 1 });

    it('changes no Pod that a budget keeps, if budgets limit updates', () => {
      const objects = [...inNamespace('a', 'p1', 'p2'), closed];
      expect(withBudgets(objects)).toEqual({
        summary: '2 Pods untouched',
        batches: [],
        endedBy: { kind: 'Budget', limit: 'a/closed' },
      });
      expect(withBudgets(objects, false)).toMatchObject({ summary: '2 Pods updated in place', endedBy: { kind: 'Done' } });
    });

    it('updates as many Pods at a time as a budget allows', () => {
      expect(withBudgets([...inNamespace('a', 'p1', 'p2', 'p3'), single]).batches).toEqual([
        'a/p1: Budget a/single',
        'a/p3: Budget a/single',
        'a/p2: Done ',
      ]);
    });

    it('lets the partition keep the Pod that a budget has refused last', () => {
      const objects = [...inNamespace('a', 'p1', 'p2', 'p3', 'p4'), single];
      expect(withBudgets(objects, true, 2, 1)).toMatchObject({
        batches: ['a/p1: Budget a/single', 'a/p3: Budget a/single', 'a/p2: Partition partition 1'],
        endedBy: { kind: 'Partition' },
      });
    });

    it('updates Pods of other namespaces in place of those that a budget keeps', () => {
      const objects = [...inNamespace('a', 'p1', 'p2'), ...inNamespace('b', 'p3', 'p4'), closed];
      expect(withBudgets(objects, true, 1)).toMatchObject({
        batches: ['b/p3: Budget a/closed', 'b/p4: Budget a/closed'],
        endedBy: { kind: 'Budget', limit: 'a/closed' },
      });
    });

    it('updates a Pod that is not available, which uses nothing up', () => {
      const down = typed('v1', 'Pod', anInjectedPod(before, { name: 'p2', namespace: 'a', ready: false }));
      expect(withBudgets([...inNamespace('a', 'p1'), down, closed])).toMatchObject({
        batches: ['a/p2: Budget a/closed'],
        endedBy: { kind: 'Budget', limit: 'a/closed' },
      });
    });

    it('counts Pods without sidecars that use up the same allowance', () => {
      const other = typed('v1', 'Pod', {
        metadata: { name: 'other', namespace: 'a', uid: 'uid-other', labels: { app: 'demo' } },
        spec: { containers: [{ name: 'main', image: 'app:1' }] },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
      });
      expect(withBudgets([...inNamespace('a', 'p1'), other, single])).toMatchObject({
        batches: [],
        endedBy: { kind: 'Budget', limit: 'a/single' },
      });
    });

    it('applies a budget that names the workload of the Pods', () => {
      const [pod] = inNamespace('a', 'p1');
      const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'uid-db', controller: true };
      const owned = { ...pod!, metadata: { ...pod!.metadata, ownerReferences: [owner] } };
      const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
      const endOf = (name: string): unknown =>
        withBudgets([owned, budgetOf('named', 'a', { targetRef: { ...targetRef, name }, maxUnavailable: 0 })]).endedBy;
      expect([endOf('db'), endOf('other')]).toEqual([{ kind: 'Budget', limit: 'a/named' }, { kind: 'Done' }]);
    });

    it('predicts 1,000 Pods that a budget keeps one after the other', () => {
      const names = Array.from({ length: 1000 }, (_, i) => `p-${i}`);
      expect(withBudgets([...inNamespace('a', ...names), closed], true, 1)).toMatchObject({
        batches: [],
        endedBy: { kind: 'Budget', limit: 'a/closed' },
      });
    });

    it('reads the budgets, and the Pods of those that are for Pods with sidecars', () => {
      const foreign = budgetOf('foreign', 'a', { selector: { matchLabels: { app: 'other' } }, maxUnavailable: 0 });
      const distant = budgetOf('distant', 'b', { selector, maxUnavailable: 0 });
      const reads = planReads(set, [...inNamespace('a', 'p1'), closed, foreign, distant]);
      expect(reads.filter(({ kind, namespace }) => kind === 'PodUnavailableBudget' || namespace !== undefined)).toEqual([
        { group: 'policy.kruise.io', kind: 'PodUnavailableBudget' },
        { group: '', kind: 'Pod', namespace: 'a', labelSelector: 'app=demo' },
      ]);
    });
  });

  it('of one that is created changes no Pod', () => {
    expect(planChange(undefined, set, factsOf(...pods))).toMatchObject({
      workloads: [],
      summary: expect.stringContaining('are not changed'),
    });
  });
});

it('says in a sentence what the change of another kind means', () => {
  const marker = typed('apps.kruise.io/v1alpha1', 'PodProbeMarker', {
    metadata: { name: 'm', namespace: 'default', uid: 'm' },
    spec: { probes: [] },
  });
  expect(planChange(marker, withSpec(marker, { probes: [{ name: 'a' }] }), factsOf())).toMatchObject({
    summary: expect.stringContaining('no Pod is restarted'),
    workloads: [],
  });
  expect(planChange(marker, marker, factsOf())).toMatchObject({ summary: '', operation: 'None' });
});

describe('the plan of a workload that names ConfigMaps', () => {
  const { template } = aCloneSet().spec;
  const hashed = { ...template, metadata: { ...template.metadata, annotations: { [annotations.configHash]: 'h1' } } };

  it('keeps the hash that the Pods have', () => {
    const { set, facts } = runningCloneSet({ spec: { template: hashed } });
    const named = asObject({
      ...set,
      metadata: { ...set.metadata, annotations: { [annotations.configRollout]: 'configmap/app' } },
      spec: { ...(set['spec'] as object), template },
    } as typeof set);
    const scaled = planChange(named, withSpec(named, { replicas: 6 }), facts);
    expect(scaled.workloads[0]?.counts).toMatchObject({ created: 1, inPlace: 0, recreated: 0, outdated: 0 });
    const containers = [{ name: 'main', image: 'app:2' }];
    const updated = planChange(named, withSpec(named, { template: { ...template, spec: { containers } } }), facts);
    expect(updated.workloads[0]?.counts).toMatchObject({ created: 0, inPlace: 5, recreated: 0, outdated: 0 });
  });
});
