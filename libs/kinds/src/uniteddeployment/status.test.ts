import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentLabels as labels, type UnitedDeployment, type UnitedDeploymentStatus } from '@kruise/api';
import { formatTime, instant, seconds, type Pod } from '@kruise/objects';
import type { ChildKind } from './snapshot/child-kinds.ts';
import { modeOf } from './snapshot/modes.ts';
import type { Child, Snapshot } from './snapshot/snapshot.ts';
import {
  computeStatus,
  heldStatus,
  isStatusChanged,
  pacedStatus,
  withFailures,
  withoutUpdateRevision,
  withSuccess,
  type SubsetResult,
} from './status.ts';
import { adaptive, aSnapshot, aUnited, kindOf, named, type UnitedShape } from './testing.ts';

const now = instant(1_700_000_000_000);
const [before, at] = [formatTime(instant(now - seconds(60))), formatTime(now)];
type Conditions = UnitedDeploymentStatus['conditions'];

const aPod = (revision: string, state: 'ready' | 'unready' | 'failed' | 'going'): Pod => ({
  metadata: { name: 'p', labels: { [labels.revision]: revision }, ...(state === 'going' ? { deletionTimestamp: before } : {}) },
  spec: { containers: [] },
  status: {
    phase: state === 'failed' ? 'Failed' : 'Running',
    conditions: [{ type: 'Ready', status: state === 'unready' ? 'False' : 'True' }],
  },
});

interface ChildShape {
  readonly subset: string;
  readonly replicas?: number;
  readonly ready?: number;
  readonly partition?: number;
  readonly pods?: readonly Pod[];
}

const aChild = ({ subset, replicas = 0, ready = replicas, partition = 0, pods = [] }: ChildShape): Child => ({
  subset,
  object: {
    metadata: { name: `web-${subset}` },
    spec: { replicas, updateStrategy: { rollingUpdate: { partition } } },
    status: { replicas, readyReplicas: ready },
  },
  pods,
});

const seenOf = (shape: UnitedShape, children: readonly ChildShape[] = []): Snapshot => {
  const seen = aSnapshot(shape, { children: children.map(aChild) });
  return { ...seen, united: { ...seen.united, metadata: { ...seen.united.metadata, generation: 7 } } };
};

const result = (replicas: number, over: Partial<SubsetResult> = {}): SubsetResult => ({ replicas, partition: 0, reserved: 0, ...over });
const compute = (
  seen: Snapshot,
  results: Readonly<Record<string, SubsetResult>> = {},
  [current, updated]: readonly [string, string] = ['r1', 'r1'],
): UnitedDeploymentStatus =>
  computeStatus(seen, { mode: modeOf(seen.united), current, updated, results: new Map(Object.entries(results)) }, now);

const heldBy = (over: object): UnitedDeploymentStatus => ({ currentRevision: 'r1', replicas: 0, updatedReplicas: 0, ...over });

describe('counters', () => {
  it('are sums over the children, without reserved Pods; what is 0 is omitted but for the two that are required', () => {
    const children = [
      { subset: 'a', replicas: 3, ready: 2, pods: [aPod('r1', 'ready'), aPod('r1', 'unready'), aPod('r0', 'ready')] },
      { subset: 'b', replicas: 2, ready: 1, pods: [aPod('r1', 'failed'), aPod('r1', 'going'), aPod('r1', 'ready')] },
      // One that is going counts as long as it is there.
      { subset: 'z', replicas: 1 },
    ];
    expect(compute(seenOf({}, children), { a: result(3, { reserved: 1 }), b: result(2, { reserved: 1 }) })).toMatchObject({
      observedGeneration: 7,
      replicas: 4,
      readyReplicas: 4,
      updatedReplicas: 3,
      updatedReadyReplicas: 2,
      reservedPods: 2,
      labelSelector: 'app=web',
    });
    expect(compute(seenOf({ subsets: [] }))).toEqual({
      observedGeneration: 7,
      replicas: 0,
      updatedReplicas: 0,
      currentRevision: 'r1',
      updatedRevision: 'r1',
      labelSelector: 'app=web',
      subsetStatuses: [],
      conditions: [expect.objectContaining({ type: 'UnitedDeploymentUpdated', status: 'True' })],
    });
  });

  it('the selector for autoscalers leaves reserved Pods out in mode Reservation alone', () => {
    const of = (over: object): string | undefined => compute(seenOf({ schedule: adaptive(over) })).labelSelector;
    expect(of({})).toBe('app=web');
    expect(of({ reserveUnschedulablePods: true })).toBe(`app=web,${labels.reservedPod}=false`);
  });
});

describe('revisions', () => {
  const of = (
    held: string | undefined,
    ready: number,
    { wanted = result(2), ...child }: Partial<ChildShape> & { readonly wanted?: SubsetResult } = {},
    kind: ChildKind['name'] = 'CloneSet',
  ) => {
    const pods = Array.from({ length: ready }, () => aPod('r2', 'ready'));
    const status = held === undefined ? undefined : heldBy({ currentRevision: held });
    const seen = { ...seenOf({ status }, [{ subset: 'a', replicas: 2, pods, ...child }]), kind: kindOf(kind) };
    const { currentRevision, updatedRevision, conditions } = compute(seen, { a: wanted }, ['r1', 'r2']);
    return [currentRevision, updatedRevision, conditions?.[0]?.status, conditions?.[0]?.reason];
  };
  const [updating, updated] = ['UnitedDeploymentRevisionUpdating', 'UnitedDeploymentRevisionUpdated'];

  it.each([
    { name: 'at first the current one is reported', given: of(undefined, 0), then: ['r1', 'r2', 'False', updating] },
    { name: 'while one Pod is not ready at it', given: of('r1', 1), then: ['r1', 'r2', 'False', updating] },
    { name: 'when all are', given: of('r1', 2), then: ['r2', 'r2', 'True', updated] },
    { name: 'when none is wanted', given: of('r1', 0, { replicas: 0, wanted: result(0) }), then: ['r2', 'r2', 'True', updated] },
    { name: 'not while those that are wanted are missing', given: of('r1', 0, { replicas: 0 }), then: ['r1', 'r2', 'False', updating] },
    {
      name: 'not while all are reserved and none runs in their place',
      given: of('r1', 0, { wanted: result(2, { reserved: 2 }) }),
      then: ['r1', 'r2', 'False', updating],
    },
    {
      name: 'when as many as the total run in the place of others',
      given: of('r1', 3, { replicas: 6, wanted: result(6, { reserved: 3 }) }),
      then: ['r2', 'r2', 'True', updated],
    },
    { name: 'not while a partition keeps Pods', given: of('r1', 2, { partition: 1 }), then: ['r1', 'r2', 'False', updating] },
    { name: 'a Deployment keeps none', given: of('r1', 2, { partition: 1 }, 'Deployment'), then: ['r2', 'r2', 'True', updated] },
    { name: 'once there it stays', given: of('r2', 0), then: ['r2', 'r2', 'True', updated] },
  ])('$name', ({ given, then }) => {
    expect(given).toEqual(then);
  });

  it('the time is when the rollout began or ended, whatever revision it is', () => {
    const condition = {
      type: 'UnitedDeploymentUpdated',
      status: 'True',
      reason: updated,
      message: 'updated to revision r0',
      lastTransitionTime: before,
    };
    const other = { type: 'SubsetUpdated', status: 'True', lastTransitionTime: before };
    const status = heldBy({ conditions: [condition, { type: 'SubsetFailure', status: 'True' }, other] });
    expect(compute(seenOf({ status })).conditions).toEqual([condition, other]);
    const next = compute(seenOf({ status }, [{ subset: 'a', replicas: 1 }]), {}, ['r1', 'r2']).conditions;
    const message = 'updating to revision r2';
    expect(next).toEqual([other, { type: 'UnitedDeploymentUpdated', status: 'False', reason: updating, message, lastTransitionTime: at }]);
  });
});

describe('subsets', () => {
  const names = (status: UnitedDeploymentStatus): readonly unknown[] => (status.subsetStatuses ?? []).map(({ name }) => name);

  it('keep their order, new ones come last, and those of nothing go', () => {
    const status = heldBy({
      subsetStatuses: [{ name: 'z', replicas: 3 }, { name: 'b' }, { name: 'gone' }, { name: 'b', replicas: 9 }, {}],
    });
    const seen = seenOf({ status, subsets: named('c', 'a', 'b') }, [{ subset: 'z', replicas: 1 }]);
    expect(names(compute(seen))).toEqual(['z', 'b', 'c', 'a']);
  });

  it('contain what was decided and what is ready, and omit what is 0', () => {
    const status = heldBy({ subsetStatuses: [{ name: 'a', replicas: 9, partition: 9, reservedPods: 9, readyReplicas: 9, own: 1 }] });
    const seen = seenOf({ status }, [{ subset: 'b', replicas: 2, ready: 1 }]);
    expect(compute(seen, { b: result(3, { partition: 1, reserved: 2 }) }).subsetStatuses).toEqual([
      { name: 'a', own: 1 },
      { name: 'b', replicas: 3, partition: 1, reservedPods: 2, readyReplicas: 1 },
    ]);
  });

  const reported = { type: 'Schedulable', status: 'False', reason: 'reschedule', message: 'before', lastTransitionTime: before } as const;
  it('lose their condition with the mode, and keep it while nothing is decided', () => {
    const status = heldBy({ subsetStatuses: [{ name: 'a', conditions: [reported] }] });
    expect(compute(seenOf({ status, subsets: named('a') })).subsetStatuses).toEqual([{ name: 'a' }]);
    expect(compute(seenOf({ status, subsets: named('a'), schedule: adaptive() })).subsetStatuses).toEqual([
      { name: 'a', conditions: [reported] },
    ]);
  });

  it.each([
    { name: 'with reserves a new one begins as short of nodes', held: [{ name: 'x' }], reserves: true, then: ['False created'] },
    { name: 'but not the first ones', held: [], reserves: true, then: ['True recover'] },
    { name: 'nor without reserves', held: [{ name: 'x' }], reserves: false, then: ['True recover'] },
    { name: 'nor one that is known', held: [{ name: 'a' }], reserves: true, then: ['True recover'] },
  ])('$name', ({ held, reserves, then }) => {
    const schedule = adaptive({ reserveUnschedulablePods: reserves });
    const seen = seenOf({ status: heldBy({ subsetStatuses: held }), subsets: named('a'), schedule });
    const condition = { type: 'Schedulable', status: 'True', reason: 'recover', message: 'm' } as const;
    const { subsetStatuses = [] } = compute(seen, { a: result(1, { condition }) });
    expect(subsetStatuses.flatMap(({ conditions = [] }) => conditions.map(({ status, reason = '' }) => `${status} ${reason}`))).toEqual(
      then,
    );
  });
});

describe('what came of a pass', () => {
  const typesOf = ({ conditions = [] }: UnitedDeploymentStatus): readonly string[] =>
    conditions.map(({ type, status }) => `${type} ${status}`);
  const subsetStatuses = [{ name: 'a' }];
  const provisioned = (status: 'True' | 'False') => ({ conditions: [{ type: 'SubsetProvisioned', status }] });

  it.each<{ name: string; held: object; given: Parameters<typeof withSuccess>[1]; then: readonly string[] }>([
    {
      name: 'a child was made',
      held: {},
      given: { provisioned: 'Now', updated: true },
      then: ['SubsetProvisioned True', 'SubsetUpdated True'],
    },
    {
      name: 'nothing had to be created, and nothing exists',
      held: {},
      given: { provisioned: 'Before', updated: true },
      then: ['SubsetUpdated True'],
    },
    {
      name: 'nothing had to be created, which is not reported yet',
      held: { subsetStatuses },
      given: { provisioned: 'Before', updated: true },
      then: ['SubsetProvisioned True', 'SubsetUpdated True'],
    },
    {
      name: 'what could not be made is there',
      held: { subsetStatuses, ...provisioned('False') },
      given: { provisioned: 'Before', updated: true },
      then: ['SubsetProvisioned True', 'SubsetUpdated True'],
    },
    {
      name: 'something cannot be made',
      held: { subsetStatuses, ...provisioned('False') },
      given: { provisioned: false, updated: true },
      then: ['SubsetProvisioned False', 'SubsetUpdated True'],
    },
    {
      name: 'something cannot be made, for the first time',
      held: { subsetStatuses },
      given: { provisioned: false, updated: false },
      then: [],
    },
    {
      name: 'something cannot be updated',
      held: { subsetStatuses, ...provisioned('True') },
      given: { provisioned: 'Before', updated: false },
      then: ['SubsetProvisioned True'],
    },
  ])('$name', ({ held, given, then }) => {
    const status = withSuccess(heldBy(held), given, now);
    expect(typesOf(status)).toEqual(then);
    expect('conditions' in status).toBe(then.length > 0);
  });

  it('failures are reported each in its condition; another message of the same is not written', () => {
    const first = withFailures(heldBy({}), { scale: { message: 'no' }, update: { message: 'never' } }, now);
    expect(first.conditions).toEqual([
      { type: 'SubsetProvisioned', status: 'False', reason: 'Error', message: 'no', lastTransitionTime: at },
      { type: 'SubsetUpdated', status: 'False', reason: 'Error', message: 'never', lastTransitionTime: at },
    ]);
    expect(withFailures(first, { update: { message: 'other words' } }, now).conditions).toEqual(first.conditions);
    expect(withFailures(first, {}, now)).toEqual(first);
  });

  it('that could not write the revision reports the numbers, and neither revision nor generation', () => {
    const conditions: Conditions = [{ type: 'SubsetUpdated', status: 'True' }];
    const counted = heldBy({
      replicas: 4,
      updatedRevision: 'r2',
      currentRevision: 'r2',
      observedGeneration: 7,
      conditions,
      subsetStatuses,
    });
    const of = (status: UnitedDeployment['status']): UnitedDeploymentStatus =>
      withoutUpdateRevision(aUnited(status === undefined ? {} : { status }), counted);
    expect(of(undefined)).toEqual({ replicas: 4, updatedReplicas: 0, currentRevision: '', subsetStatuses });
    const held = { updatedRevision: 'r1', observedGeneration: 6, conditions: [{ type: 'SubsetUpdated', status: 'False' }] };
    expect(of(heldBy(held))).toEqual({ replicas: 4, updatedReplicas: 0, currentRevision: 'r1', subsetStatuses, ...held });
  });
});

describe('a write', () => {
  it('is due for a status that says something else, and for none', () => {
    const of = (status?: UnitedDeploymentStatus): UnitedDeployment => aUnited(status === undefined ? {} : { status });
    expect(isStatusChanged(of(), heldBy({}))).toBe(true);
    expect(isStatusChanged(of(heldBy({})), heldBy({ readyReplicas: 0, labelSelector: '' }))).toBe(false);
    expect(isStatusChanged(of(heldBy({ readyReplicas: 0 })), heldBy({}))).toBe(false);
    expect(isStatusChanged(of(heldBy({})), heldBy({ updatedReplicas: 1 }))).toBe(true);
    expect(heldStatus(of())).toEqual({ currentRevision: '', replicas: 0, updatedReplicas: 0 });
  });

  it('of nothing but counters of Pods may wait', () => {
    const counters = { replicas: 3, readyReplicas: 2, updatedReplicas: 1, updatedReadyReplicas: 1 };
    const status = heldBy({
      ...counters,
      observedGeneration: 1,
      subsetStatuses: [{ name: 'a', replicas: 3, readyReplicas: 2, partition: 1 }],
    });
    expect(pacedStatus.withoutNumbers(status)).toEqual({
      currentRevision: 'r1',
      observedGeneration: 1,
      subsetStatuses: [{ name: 'a', replicas: 3, partition: 1 }],
    });
    expect(pacedStatus.withoutNumbers(heldBy({}))).toEqual({ currentRevision: 'r1', subsetStatuses: [] });
  });
});
