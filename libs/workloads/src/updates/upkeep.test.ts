/** What Pods need before any other decision about them. @see spec/inplace-update.md 8 */
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { daemonSetRevisions } from '@kruise/pods';
import type { UpkeepAction } from '../pods/pod-action.ts';
import { planUpkeep } from './upkeep.ts';
import { aMember, aWorkload, next, old, type MemberShape } from '../workload.testing.ts';
import type { Workload } from '../workload.ts';

const reportOf = (action: UpkeepAction): string => {
  const name = action.pod.metadata.name;
  switch (action.kind) {
    case 'RefreshPod':
      return `${name}: ${action.step.kind}${action.alongside === undefined ? '' : ` with ${action.alongside.labels['lifecycle.apps.kruise.io/state']}`}`;
    case 'SetLifecycle':
      return `${name}: ${action.transition.to}`;
    case 'LabelPod':
      return `${name}: ${Object.entries(action.labels).join()}`;
  }
};

/** Returns the Pod without the label `pod-template-hash`. */
function unlabelled(pod: Pod): Pod {
  const { 'pod-template-hash': _hash, ...labels } = pod.metadata.labels ?? {};
  return { ...pod, metadata: { ...pod.metadata, labels } };
}
const shortOld = old.metadata.name.slice('web-'.length);
const hooked = { inPlaceUpdate: { labelsHandler: { held: 'yes' } } };
const notReady = { inPlaceUpdate: { ...hooked.inPlaceUpdate, markPodNotReady: true } };
const batch = { nextContainerImages: { main: 'app:2' } };

interface Row {
  readonly name: string;
  readonly pod: MemberShape;
  readonly workload?: Partial<Workload>;
  readonly then: readonly string[];
  /** Whether updates have to wait; false by default. */
  readonly holds?: boolean;
  readonly failure?: RegExp;
  readonly wait?: number;
}

const updating: MemberShape = { of: next, image: 'app:2', state: 'Updating', inPlaceReady: 'False' };
const refreshes: readonly Row[] = [
  { name: 'at rest', pod: {}, then: [] },
  { name: 'at rest without a lifecycle', pod: { state: '' }, then: [] },
  { name: 'that waits for its deletion', pod: { state: 'PreparingDelete' }, then: [] },
  { name: 'without a condition that it is in service', pod: { inPlaceReady: 'absent' }, then: ['a: SetReady'] },
  { name: 'whose update is complete', pod: { ...updating, update: {} }, then: ['a: SetReady with Normal'], holds: true },
  {
    name: 'whose update is complete, with a hook to restore',
    pod: { ...updating, update: {} },
    workload: { lifecycle: hooked },
    then: ['a: SetReady with Updated'],
    holds: true,
  },
  {
    name: 'with a container that still runs the old image',
    pod: { ...updating, update: { lastContainerStatuses: { gone: { imageID: 'a' } } } },
    then: [],
  },
  {
    name: 'in its grace period',
    pod: { ...updating, update: {}, grace: { graceSeconds: 30, containerImages: { main: 'app:2' } } },
    then: [],
    wait: 20_000,
  },
  {
    name: 'whose grace period is over',
    pod: { ...updating, state: 'Normal', update: {}, grace: { graceSeconds: 10, containerImages: { main: 'app:2' } } },
    then: ['a: ApplyGrace'],
  },
  {
    name: 'of another revision than its grace period is for',
    pod: { inPlaceReady: 'False', update: {}, grace: { graceSeconds: 30, containerImages: { main: 'app:2' } } },
    then: ['a: DropGrace'],
  },
  { name: 'with another batch to apply', pod: { ...updating, state: 'Normal', update: batch }, then: ['a: NextBatch'] },
  {
    name: 'whose state cannot be read',
    pod: { inPlaceReady: 'False', annotations: { 'apps.kruise.io/inplace-update-state': '{' } },
    then: [],
    holds: true,
    failure: /^Pod a: the state annotation cannot be read: /,
  },
];
const moves: readonly Row[] = [
  { name: 'on its node', pod: { state: 'PreparingNormal' }, then: ['a: Normal'], holds: true },
  { name: 'without a node', pod: { state: 'PreparingNormal', node: '' }, then: [] },
  {
    name: 'without a node, of a kind that waits for none',
    pod: { state: 'PreparingNormal', node: '' },
    workload: { waitsForNode: false },
    then: ['a: Normal'],
    holds: true,
  },
  {
    name: 'whose preNormal hook is open',
    pod: { state: 'PreparingNormal' },
    workload: { lifecycle: { preNormal: { labelsHandler: { warm: 'yes' } } } },
    then: [],
  },
  { name: 'that prepares for the revision which it is of', pod: { of: next, state: 'PreparingUpdate' }, then: ['a: Normal'], holds: true },
  { name: 'that prepares for another revision', pod: { state: 'PreparingUpdate' }, then: [] },
  { name: 'that is Updated without a hook', pod: { state: 'Updated' }, then: ['a: Normal'], holds: true },
];
/** The condition is written alone, with the step of the lifecycle, or after it. */
const newcomer: MemberShape = { state: 'PreparingNormal', inPlaceReady: 'absent' };
const together: readonly Row[] = [
  { name: 'on its node', pod: newcomer, then: ['a: SetReady with Normal'], holds: true },
  { name: 'without a node, because that makes it Normal', pod: { ...newcomer, node: '' }, then: [] },
  {
    name: 'without a node, of a kind that waits for none',
    pod: { ...newcomer, node: '' },
    workload: { waitsForNode: false },
    then: ['a: SetReady with Normal'],
    holds: true,
  },
  {
    name: 'without a node, with a preNormal hook',
    pod: { ...newcomer, node: '' },
    workload: { lifecycle: { preNormal: { labelsHandler: { warm: 'yes' } } } },
    then: ['a: SetReady'],
  },
  {
    name: 'on its node, with a preNormal hook',
    pod: newcomer,
    workload: { lifecycle: { preNormal: { labelsHandler: { warm: 'yes' } } } },
    then: ['a: SetReady'],
  },
  { name: 'without a node, in another state', pod: { ...newcomer, node: '', state: 'Normal' }, then: ['a: SetReady'] },
  { name: 'without a node, that was updated before', pod: { ...newcomer, node: '', update: {} }, then: ['a: SetReady'] },
];

describe.each([
  ['that may be in an update', refreshes],
  ['in its lifecycle', moves],
  ['that has no condition yet', together],
])('a Pod %s', (_name, rows) => {
  it.each(rows)('$name: $then', ({ pod, workload, then, holds = false, failure, wait }) => {
    const upkeep = planUpkeep([aMember({ name: 'a', ...pod })], aWorkload(workload));
    expect(upkeep.actions.map(reportOf)).toEqual(then);
    expect(upkeep.busy.size > 0).toBe(holds);
    expect(upkeep.failure ?? '').toMatch(failure ?? /^$/);
    expect(upkeep.requeueAfter).toBe(wait);
  });
});

describe('the label pod-template-hash', () => {
  const of = (pod: Pod, workload: Partial<Workload> = {}) => planUpkeep([pod], aWorkload(workload));
  it('is added to a Pod of an older manager, and updates wait for that', () => {
    const upkeep = of(unlabelled(aMember({ name: 'a' })));
    expect(upkeep.actions).toMatchObject([
      { kind: 'LabelPod', labels: { 'pod-template-hash': shortOld }, because: 'the Pod lacks the label' },
    ]);
    expect(upkeep.busy.size).toBe(1);
  });

  it.each<[string, Pod, Partial<Workload>]>([
    ['by a kind whose Pods do not carry it', unlabelled(aMember()), { adapter: daemonSetRevisions }],
    ['on a Pod that has another', aMember({ labels: { 'pod-template-hash': 'x' } }), {}],
    ['on a Pod of no revision', unlabelled(aMember({ labels: { 'controller-revision-hash': '' } })), {}],
    ['on a Pod without labels', { ...aMember(), metadata: { name: 'a' } }, {}],
  ])('is not added %s', (_name, pod, workload) => {
    expect(of(pod, workload)).toEqual({ actions: [], busy: new Set(), broken: new Set() });
  });

  it.each<[string, MemberShape, readonly string[]]>([
    ['a pass that moves it', { state: 'PreparingNormal' }, ['a: Normal', `a: pod-template-hash,${shortOld}`]],
    ['its condition', { inPlaceReady: 'absent' }, ['a: SetReady', `a: pod-template-hash,${shortOld}`]],
    ['both in one', { state: 'PreparingNormal', inPlaceReady: 'absent' }, ['a: SetReady with Normal', `a: pod-template-hash,${shortOld}`]],
    ['a batch', { ...updating, of: old, state: 'Normal', update: batch }, ['a: NextBatch', `a: pod-template-hash,${shortOld}`]],
  ])('is last with %s', (_name, shape, then) => {
    const upkeep = of(unlabelled(aMember({ name: 'a', ...shape })));
    expect(upkeep.actions.map(reportOf)).toEqual(then);
    expect(upkeep.busy.size).toBe(1);
  });
});

describe('the upkeep of several Pods', () => {
  it('is ordered by kind: updates, lifecycles, labels; each in the order of the Pods', () => {
    const pods = [
      unlabelled(aMember({ name: 'a' })),
      aMember({ name: 'b', state: 'PreparingNormal' }),
      aMember({ name: 'c', inPlaceReady: 'absent' }),
      aMember({ name: 'd', state: 'Updated' }),
      aMember({ name: 'e', inPlaceReady: 'absent' }),
    ];
    const { actions } = planUpkeep(pods, aWorkload());
    expect(actions.map(reportOf)).toEqual(['c: SetReady', 'e: SetReady', 'b: Normal', 'd: Normal', `a: pod-template-hash,${shortOld}`]);
  });

  it('reports the first Pod that it cannot handle, and continues with the others', () => {
    const broken = { inPlaceReady: 'False' as const, annotations: { 'apps.kruise.io/inplace-update-state': '{' } };
    const pods = [aMember({ name: 'a', inPlaceReady: 'absent' }), aMember({ name: 'b', ...broken }), aMember({ name: 'c', ...broken })];
    const upkeep = planUpkeep(pods, aWorkload());
    expect(upkeep.failure).toMatch(/^Pod b: /);
    expect(upkeep.actions.map(reportOf)).toEqual(['a: SetReady']);
  });

  it('requeues for the first grace period that ends', () => {
    const waiting = (name: string, graceSeconds: number): Pod =>
      aMember({ ...updating, name, state: 'Normal', update: {}, grace: { graceSeconds, containerImages: { main: 'app:2' } } });
    const upkeep = planUpkeep([waiting('a', 30), waiting('b', 15), waiting('c', 60)], aWorkload());
    expect(upkeep).toEqual({ actions: [], requeueAfter: 5000, busy: new Set(), broken: new Set() });
  });
});

/** Returns the Pod still out of service for the hook of an update. */
function outOfService(pod: Pod): Pod {
  const message = JSON.stringify([{ userAgent: 'Lifecycle', key: 'preUpdateHook' }]);
  return {
    ...pod,
    spec: { ...pod.spec, readinessGates: [...(pod.spec.readinessGates ?? []), { conditionType: 'KruisePodReady' }] },
    status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), { type: 'KruisePodReady', status: 'False', message }] },
  };
}

describe('a key of a lifecycle hook in whose state the Pod is not', () => {
  it.each(['Normal', '', 'Updated', 'PreparingDelete'])('is removed from a Pod in state "%s", which delays no other', (state) => {
    const pod = outOfService(aMember({ name: 'a', state }));
    const upkeep = planUpkeep([pod], aWorkload({ lifecycle: hooked }));
    expect(upkeep.actions).toMatchObject([{ kind: 'SetLifecycle', pod, transition: { readiness: { kind: 'RemoveKey' } } }]);
    expect(upkeep.actions[0]).not.toHaveProperty('transition.patch');
    expect(upkeep.busy.size).toBe(0);
  });

  it.each<MemberShape>([{ state: 'PreparingUpdate' }, { ...updating, update: { lastContainerStatuses: { gone: { imageID: 'a' } } } }])(
    'stays in state $state',
    (shape) => {
      expect(planUpkeep([outOfService(aMember({ name: 'a', ...shape }))], aWorkload({ lifecycle: notReady })).actions).toEqual([]);
    },
  );
});

describe('becoming Normal', () => {
  const complete = aMember({ ...updating, name: 'a', update: {} });
  it('is written with the condition in one write, for the reason of the lifecycle', () => {
    const [action] = planUpkeep([complete], aWorkload()).actions;
    expect(action).toMatchObject({
      kind: 'RefreshPod',
      because: 'the Pod becomes Normal: the in-place update is complete',
      alongside: { labels: { 'lifecycle.apps.kruise.io/state': 'Normal' } },
    });
  });

  it('is written alone when the Pod is first returned to service', () => {
    const { actions } = planUpkeep([outOfService(complete)], aWorkload({ lifecycle: notReady }));
    expect(actions.map(reportOf)).toEqual(['a: SetReady', 'a: Updated']);
    expect(actions[1]).toMatchObject({ transition: { readiness: { kind: 'RemoveKey' } }, because: 'the in-place update is complete' });
    expect(actions[0]?.because).toBe('the in-place update is complete, or there was none');
  });

  it.each<[string, MemberShape, Partial<Workload>]>([
    ['on its node', newcomer, {}],
    ['without a node, of a kind that waits for none', { ...newcomer, node: '' }, { waitsForNode: false }],
  ])('follows the first condition of such a Pod %s', (_name, shape, workload) => {
    const { actions } = planUpkeep([outOfService(aMember({ name: 'a', ...shape }))], aWorkload(workload));
    expect(actions.map(reportOf)).toEqual(['a: SetReady', 'a: Normal']);
  });
});

describe('an idle Pod', () => {
  const preNormal = { preNormal: { labelsHandler: { warm: 'yes' } } };
  const shortNext = next.metadata.name.slice('web-'.length);
  const sized = (): Pod => {
    const update = { updateResources: true, containerBatchesRecord: [{ timestamp: '', containers: ['main'] }] };
    return aMember({ ...updating, name: 'a', update });
  };
  it.each<{ name: string; pod: () => Pod; before?: Partial<Workload>; after: Partial<Workload>; then: string }>([
    {
      name: 'a hook is removed',
      pod: () => aMember({ name: 'a', state: 'PreparingNormal' }),
      before: { lifecycle: preNormal },
      after: {},
      then: 'a: Normal',
    },
    {
      name: 'its own revision is the update revision again',
      pod: () => aMember({ name: 'a', state: 'PreparingUpdate' }),
      after: { updateRevision: old.metadata.name },
      then: 'a: Normal',
    },
    {
      name: 'vertical scaling is off',
      pod: sized,
      before: { resources: 'InSpec' },
      after: {},
      then: 'a: SetReady with Normal',
    },
    {
      name: 'it need not wait for its node',
      pod: () => aMember({ name: 'a', state: 'PreparingNormal', node: '' }),
      after: { waitsForNode: false },
      then: 'a: Normal',
    },
    {
      name: 'revisions are compared by their short hashes',
      pod: () => aMember({ name: 'a', state: 'PreparingUpdate', labels: { 'controller-revision-hash': shortNext } }),
      before: { adapter: daemonSetRevisions },
      after: {},
      then: 'a: Normal',
    },
  ])('is examined again once $name', ({ pod, before = {}, after, then }) => {
    const same = pod();
    expect(planUpkeep([same], aWorkload(before))).toEqual({ actions: [], busy: new Set(), broken: new Set() });
    expect(planUpkeep([same], aWorkload(after)).actions.map(reportOf)).toEqual([then]);
  });

  it('is not one that cannot be handled: that is reported in every pass', () => {
    const pod = aMember({ inPlaceReady: 'False', annotations: { 'apps.kruise.io/inplace-update-state': '{' } });
    const first = planUpkeep([pod], aWorkload());
    expect(first.failure).toBeDefined();
    expect(planUpkeep([pod], aWorkload())).toEqual(first);
  });
});

it('new resources are awaited only with vertical scaling', () => {
  const resources = { requests: { cpu: '2' } };
  const shape: MemberShape = {
    ...updating,
    name: 'a',
    update: { updateResources: true, containerBatchesRecord: [{ timestamp: '', containers: ['main'] }] },
  };
  const pod = aMember(shape);
  const sized: Pod = { ...pod, spec: { ...pod.spec, containers: [{ name: 'main', image: 'app:2', resources }] } };
  expect(planUpkeep([sized], aWorkload()).actions.map(reportOf)).toEqual(['a: SetReady with Normal']);
  expect(planUpkeep([sized], aWorkload({ resources: 'InSpec' }))).toEqual({ actions: [], busy: new Set(), broken: new Set() });
});
