/** What a workload of one kind becomes as the other kind, and what it loses. */
import { describe, expect, it } from '@jest/globals';
import { stringifyLossless } from '@kruise/objects';
import { typeOf } from '../testing.ts';
import type { Untyped } from '../objects/untyped.ts';
import { adoptableTypes } from './controllers.testing.ts';
import { directionFrom, type AdoptableKind } from './observed/directions.ts';
import { droppedFields } from './dropped-fields.ts';
import { heldTarget, holdSettings } from './held-target.ts';
import { referenceChanges } from './references.ts';
import { finalTarget } from './target-spec.ts';

const source = (spec: object, metadata: object = {}): Untyped => ({
  apiVersion: 'x/v1',
  kind: 'X',
  metadata: { name: 'web', namespace: 'n', uid: 'u', ...metadata },
  spec,
});

const become = (from: AdoptableKind, spec: object, type = adoptableTypes[directionFrom(from)!.to]): Untyped =>
  finalTarget({ direction: directionFrom(from)!, source: source(spec), targetName: 'web', targetType: type });

const base = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template: { spec: {} } };

describe('finalTarget', () => {
  it.each<{
    readonly name: string;
    readonly from: AdoptableKind;
    readonly spec: object;
    readonly then: object;
    readonly type?: ReturnType<typeof typeOf>;
  }>([
    {
      name: 'a Deployment that recreates may lose all Pods at a time',
      from: 'Deployment',
      spec: { strategy: { type: 'Recreate' } },
      then: { updateStrategy: { rollingUpdate: { maxUnavailable: '100%' } } },
    },
    {
      name: 'in v1alpha1 the settings of the update are beside its type',
      from: 'Deployment',
      spec: { strategy: { type: 'Recreate' } },
      type: typeOf('CloneSet', 'apps.kruise.io', 'v1alpha1'),
      then: { updateStrategy: { type: 'ReCreate', maxUnavailable: '100%' } },
    },
    {
      name: 'a CloneSet of v1alpha1 keeps its limits',
      from: 'CloneSet',
      spec: { ...base, updateStrategy: { paused: true, maxSurge: 2, maxUnavailable: '10%' }, minReadySeconds: 4 },
      then: {
        ...base,
        paused: true,
        minReadySeconds: 4,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: '10%' } },
      },
    },
    {
      name: 'minReadySeconds belongs to the update strategy of an Advanced StatefulSet',
      from: 'StatefulSet',
      spec: { ...base, serviceName: 's', minReadySeconds: 9, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
      then: { ...base, serviceName: 's', updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, minReadySeconds: 9 } } },
    },
    {
      name: 'and back; the status of claim templates stays behind',
      from: 'AdvancedStatefulSet',
      spec: {
        ...base,
        volumeClaimTemplates: [{ spec: {}, status: {} }],
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { minReadySeconds: 9 } },
      },
      then: {
        ...base,
        serviceName: '',
        minReadySeconds: 9,
        volumeClaimTemplates: [{ spec: {} }],
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} },
      },
    },
    {
      name: 'OnDelete stays OnDelete',
      from: 'AdvancedDaemonSet',
      spec: { selector: {}, template: {}, updateStrategy: { type: 'OnDelete' } },
      then: { selector: {}, template: {}, updateStrategy: { type: 'OnDelete' } },
    },
  ])('$name', ({ from, spec, then, type }) => {
    const { spec: made } = become(from, spec, type as never);
    if (from === 'Deployment') expect(made).toMatchObject(then);
    else expect(made).toEqual(then);
  });
});

describe('the hold of a target', () => {
  it.each<AdoptableKind>(['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'AdvancedDaemonSet', 'DaemonSet'])(
    'is marked, and its end gives a %s all of its settings back',
    (kind) => {
      const final = become(directionFrom(kind)!.to, { ...base, updateStrategy: { type: 'RollingUpdate' } });
      const held = heldTarget(final, kind, source({}));
      expect(held.metadata.annotations).toEqual({ 'kubectl-kruise/adopt': 'u' });
      const settings = Object.keys(holdSettings(final, kind, source({})));
      expect(settings).not.toHaveLength(0);
      expect(settings).not.toContain('template');
    },
  );
});

describe('droppedFields', () => {
  it.each<{ readonly from: AdoptableKind; readonly spec: object; readonly dropped: readonly string[] }>([
    { from: 'Deployment', spec: { strategy: { type: 'Recreate' } }, dropped: [] },
    {
      from: 'CloneSet',
      spec: {
        lifecycle: { preDelete: {} },
        scaleStrategy: { enablePVCReuse: false },
        updateStrategy: { type: 'InPlaceIfPossible', partition: 2 },
      },
      dropped: ['spec.lifecycle', 'spec.updateStrategy.type', 'spec.updateStrategy.partition'],
    },
    {
      from: 'CloneSet',
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', partition: 0, paused: true } } },
      dropped: ['spec.updateStrategy.rollingUpdate.podUpdatePolicy'],
    },
    {
      from: 'AdvancedStatefulSet',
      spec: { scaleStrategy: { maxUnavailable: 1 }, updateStrategy: { rollingUpdate: { maxUnavailable: 1, paused: false } } },
      dropped: ['spec.scaleStrategy'],
    },
    {
      from: 'AdvancedStatefulSet',
      spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } },
      dropped: ['spec.updateStrategy.rollingUpdate.maxUnavailable'],
    },
    { from: 'AdvancedDaemonSet', spec: { burstReplicas: 250 }, dropped: [] },
    { from: 'AdvancedDaemonSet', spec: { burstReplicas: '10%' }, dropped: ['spec.burstReplicas'] },
  ])('of a $from: $dropped', ({ from, spec, dropped }) => {
    expect(droppedFields(source(spec), from)).toEqual(dropped);
  });
});

describe('referenceChanges', () => {
  const named = { type: adoptableTypes.Deployment, name: 'web', namespace: 'n' };
  const target = { type: adoptableTypes.CloneSet, name: 'shop', namespace: 'n' };
  const changesOf = (kind: string, group: string, spec: object): readonly string[] =>
    referenceChanges(
      [{ type: { ...typeOf('Job', 'batch'), kind, group, plural: `${kind.toLowerCase()}s` }, object: source(spec) }],
      named,
      target,
    ).map(({ field, change }) => `${field} ${change}`);

  it.each<{
    readonly name: string;
    readonly kind: string;
    readonly group: string;
    readonly spec: object;
    readonly change: string | undefined;
  }>([
    {
      name: 'a scaler in any version of the group',
      kind: 'HorizontalPodAutoscaler',
      group: 'autoscaling',
      spec: { scaleTargetRef: { apiVersion: 'apps/v1beta2', kind: 'Deployment', name: 'web' } },
      change: `spec.scaleTargetRef kubectl patch horizontalpodautoscalers.autoscaling web -n n --type=merge -p '${stringifyLossless({ spec: { scaleTargetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'shop' } } })}'`,
    },
    {
      name: 'KEDA without a kind means a Deployment',
      kind: 'ScaledObject',
      group: 'keda.sh',
      spec: { scaleTargetRef: { name: 'web' } },
      change: expect.stringMatching(/^spec\.scaleTargetRef kubectl patch/) as unknown as string,
    },
    {
      name: 'a budget cannot be changed',
      kind: 'PodUnavailableBudget',
      group: 'policy.kruise.io',
      spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      change: 'spec.targetRef the reference is immutable: create the object again for CloneSet shop',
    },
    {
      name: 'another name',
      kind: 'X',
      group: 'x',
      spec: { scaleTargetRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'y' } },
      change: undefined,
    },
    {
      name: 'another group',
      kind: 'X',
      group: 'x',
      spec: { targetRef: { kind: 'Deployment', apiVersion: 'x/v1', name: 'web' } },
      change: undefined,
    },
    {
      name: 'another kind',
      kind: 'X',
      group: 'x',
      spec: { workloadRef: { kind: 'StatefulSet', apiVersion: 'apps/v1', name: 'web' } },
      change: undefined,
    },
  ])('$name', ({ kind, group, spec, change }) => {
    expect(changesOf(kind, group, spec)).toEqual(change === undefined ? [] : [change]);
  });
});
