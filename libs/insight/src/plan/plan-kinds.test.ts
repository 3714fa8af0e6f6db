import { describe, expect, it } from '@jest/globals';
import { annotations, type SidecarSet } from '@kruise/api';
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
      ['Pod', 'ControllerRevision'],
      ['Pod', 'ControllerRevision', 'Namespace'],
    ]);
    const namespace = typed('v1', 'Namespace', { metadata: { name: 'default', labels: { team: 'a' } } });
    const chosen = withSpec(set, selecting);
    const plan = planChange(chosen, withSpec(chosen, imaged('side:2')), factsOf(...pods, namespace));
    expect(plan.summary).toBe('3 Pods updated in place');
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
