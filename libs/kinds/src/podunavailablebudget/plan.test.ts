import { describe, expect, it } from '@jest/globals';
import type { PodUnavailableBudget, PodUnavailableBudgetSpec, PodUnavailableBudgetStatus } from '@kruise/api';
import { formatTime, milliseconds, type Pod } from '@kruise/objects';
import { aPod, epoch } from '@kruise/testing';
import { availability } from './available.ts';
import { desiredAvailable, totalOf } from './desired.ts';
import type { EntrySigns } from './kept.ts';
import { conclude, planAnnotations, planPass, planStatus, stagesOf, type Snapshot } from './plan.ts';
import { isSameStatus } from './status.ts';

const time = formatTime(epoch);
const budget = (spec: Partial<PodUnavailableBudgetSpec> = {}, status?: PodUnavailableBudgetStatus): PodUnavailableBudget => ({
  metadata: { name: 'b', namespace: 'default', uid: 'u', generation: 2 },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  ...(status === undefined ? {} : { status }),
});
const named = { 'pub.kruise.io/related-pub': 'b' };
const pods = (available: number, unavailable = 0): readonly Pod[] =>
  Array.from({ length: available + unavailable }, (_, i) => aPod({ name: `p${i}`, annotations: named, ready: i < available }));
const snapshot = (list: readonly Pod[], replicas: number | undefined = list.length, over: Partial<Snapshot> = {}): Snapshot => ({
  pods: new Map(list.map((pod) => [pod.metadata.name, pod])),
  workloads: [{ replicas, pods: list.length }],
  totalOverride: undefined,
  isWatched: true,
  isProtected: () => true,
  ...over,
});
const signs: Omit<EntrySigns, 'pods'> = {
  ageOf: () => milliseconds(1000),
  isBehind: () => false,
  live: new Map(),
  isAvailable: availability({ InPlaceWorkloadVerticalScaling: false }),
};
const planOf = (given: PodUnavailableBudget, seen: Snapshot) => planStatus(given, seen, signs, epoch);
const numbers = ({ totalReplicas, desiredAvailable: desired, currentAvailable, unavailableAllowed }: PodUnavailableBudgetStatus) => [
  totalReplicas,
  desired,
  currentAvailable,
  unavailableAllowed,
];

describe('how many must be available (5.3)', () => {
  it.each<{ spec: object; total: number; then: number | 'Failed' }>([
    { spec: { maxUnavailable: 1 }, total: 10, then: 9 },
    { spec: { maxUnavailable: '25%' }, total: 10, then: 7 },
    { spec: { maxUnavailable: '1%' }, total: 10, then: 9 },
    { spec: { maxUnavailable: '100%' }, total: 10, then: 0 },
    { spec: { maxUnavailable: 20 }, total: 10, then: 0 },
    { spec: { maxUnavailable: 0 }, total: 10, then: 10 },
    { spec: { minAvailable: 3 }, total: 10, then: 3 },
    { spec: { minAvailable: 30 }, total: 10, then: 30 },
    { spec: { minAvailable: '25%' }, total: 10, then: 3 },
    { spec: { minAvailable: '25%' }, total: 0, then: 0 },
    { spec: { maxUnavailable: null, minAvailable: 2 }, total: 10, then: 2 },
    { spec: { maxUnavailable: 'x' }, total: 10, then: 'Failed' },
    { spec: {}, total: 10, then: 'Failed' },
  ])('$spec of $total: $then', ({ spec, total, then }) => {
    const desired = desiredAvailable(budget(spec), total);
    expect(desired).toMatchObject(then === 'Failed' ? { kind: 'Failed' } : { kind: 'Desired', value: then });
  });

  it.each([
    { spec: { minAvailable: 'x' }, path: 'spec.minAvailable: ' },
    { spec: { maxUnavailable: 'x' }, path: 'spec.maxUnavailable: ' },
    { spec: { maxUnavailable: null, minAvailable: 'x' }, path: 'spec.minAvailable: ' },
  ])('what cannot be read is named: $spec', ({ spec, path }) => {
    expect(desiredAvailable(budget(spec as never), 10)).toEqual({ kind: 'Failed', why: expect.stringMatching(`^${path}`) });
  });
});

it('the total is that of all workloads, and one with unknown replicas counts its Pods (5.2, ours)', () => {
  expect(
    totalOf([
      { replicas: 3, pods: 5 },
      { replicas: undefined, pods: 4 },
      { replicas: 0, pods: 1 },
    ]),
  ).toBe(7);
  expect(totalOf([])).toBe(0);
});

describe('the numbers of a budget (5)', () => {
  it.each<{
    name: string;
    spec: Partial<PodUnavailableBudgetSpec>;
    seen: Snapshot;
    status?: Partial<PodUnavailableBudgetStatus>;
    then: readonly number[];
  }>([
    { name: 'are 0 without Pods and workloads', spec: { maxUnavailable: 1 }, seen: snapshot([], 0), then: [0, 0, 0, 0] },
    { name: 'are those of scenario 2', spec: { maxUnavailable: '25%' }, seen: snapshot(pods(10)), then: [10, 7, 10, 3] },
    { name: 'count what is available only', spec: { maxUnavailable: 3 }, seen: snapshot(pods(8, 2)), then: [10, 7, 8, 1] },
    { name: 'never allow less than nothing', spec: { maxUnavailable: 1 }, seen: snapshot(pods(5, 5)), then: [10, 9, 5, 0] },
    {
      name: 'allow the surplus of a workload that was scaled down',
      spec: { maxUnavailable: '10%' },
      seen: snapshot(pods(100), 50),
      then: [50, 45, 100, 55],
    },
    {
      name: 'count from the total that is given',
      spec: { maxUnavailable: '50%' },
      seen: snapshot(pods(4), 4, { totalOverride: 10 }),
      then: [10, 5, 4, 0],
    },
    {
      name: 'leave out Pods whose deletion was admitted',
      spec: { maxUnavailable: 2 },
      seen: snapshot(pods(4)),
      status: { disruptedPods: { p0: time } },
      then: [4, 2, 3, 1],
    },
    {
      name: 'leave out Pods whose update was admitted',
      spec: { maxUnavailable: 2 },
      seen: snapshot(pods(4)),
      status: { unavailablePods: { p0: time, p1: time } },
      then: [4, 2, 2, 0],
    },
    {
      name: 'ignore records of deleted Pods',
      spec: { maxUnavailable: 2 },
      seen: snapshot(pods(4)),
      status: { disruptedPods: { x: time } },
      then: [4, 2, 4, 2],
    },
  ])('$name', ({ spec, seen, status, then }) => {
    const held =
      status === undefined ? undefined : { currentAvailable: 0, desiredAvailable: 0, totalReplicas: 0, unavailableAllowed: 0, ...status };
    expect(numbers(planOf(budget(spec, held), seen).status)).toEqual(then);
  });

  it('are written with the generation and the kept records, and a plan of its own result is the same again', () => {
    const seen = snapshot(pods(3));
    const first = planOf(
      budget(
        { maxUnavailable: 1 },
        { currentAvailable: 0, desiredAvailable: 0, totalReplicas: 0, unavailableAllowed: 0, unavailablePods: { p0: time, x: time } },
      ),
      seen,
    );
    expect(first).toEqual({
      status: {
        observedGeneration: 2,
        totalReplicas: 3,
        desiredAvailable: 2,
        currentAvailable: 2,
        unavailableAllowed: 0,
        unavailablePods: { p0: time },
      },
      events: [],
      requeueAfter: 9000,
    });
    expect(isSameStatus(first.status, planOf(budget({ maxUnavailable: 1 }, first.status), seen).status)).toBe(true);
  });
});

describe('events', () => {
  it('no Pods, once (9.1)', () => {
    const first = planOf(budget({ maxUnavailable: 1 }), snapshot([], 0));
    expect(first.events).toEqual([{ kind: 'NoPods' }]);
    expect(planOf(budget({ maxUnavailable: 1 }, first.status), snapshot([], 0)).events).toEqual([]);
  });

  it('a deletion that was admitted and did not come', () => {
    const [pod] = pods(1);
    const held = { currentAvailable: 0, desiredAvailable: 0, totalReplicas: 0, unavailableAllowed: 0, disruptedPods: { p0: time } };
    const late = { ...signs, ageOf: () => milliseconds(20_000), live: new Map([['p0', pod!]]) };
    const plan = planStatus(budget({ maxUnavailable: 1 }, held), snapshot([pod!]), late, epoch);
    expect(plan.events).toEqual([{ kind: 'NotDeleted', pod }]);
    expect(plan.status).toMatchObject({ currentAvailable: 1, unavailableAllowed: 1 });
  });

  it('numbers that cannot be computed: they stay, and the condition says why', () => {
    const held = { observedGeneration: 1, currentAvailable: 3, desiredAvailable: 2, totalReplicas: 3, unavailableAllowed: 1 };
    const plan = planOf(budget({ maxUnavailable: 'x' }, held), snapshot(pods(5)));
    expect(plan.events).toMatchObject([{ kind: 'CalculationFailed' }]);
    expect(plan.status).toEqual({
      ...held,
      observedGeneration: 2,
      conditions: [
        {
          type: 'Blocked',
          status: 'True',
          reason: 'InvalidSpec',
          message: 'spec.maxUnavailable: must be an integer or a whole percentage (e.g. 1 or "20%")',
          observedGeneration: 2,
          lastTransitionTime: time,
        },
      ],
    });
    expect(planOf(budget({ maxUnavailable: 'x' }, plan.status), snapshot(pods(5))).events).toEqual([]);
  });

  it('a workload that cannot be found leaves the numbers, too', () => {
    const cause = { reason: 'WorkloadUnknown', message: 'kind X is not served' } as const;
    const plan = planOf(budget({ maxUnavailable: 1 }), snapshot([], 0, { cause }));
    expect(plan).toMatchObject({
      events: [{ kind: 'CalculationFailed', why: cause.message }],
      status: { totalReplicas: 0, conditions: [{ reason: 'WorkloadUnknown' }] },
    });
  });
});

describe('a budget that lets no Pod go says so (issue: its condition)', () => {
  const conditionsOf = (spec: Partial<PodUnavailableBudgetSpec>, seen: Snapshot): readonly (string | undefined)[] =>
    (planOf(budget(spec), seen).status.conditions ?? []).flatMap(({ type, status, reason, message }) => [type, status, reason, message]);
  const cannot = (more: number): string =>
    `: nodes cannot be drained and Pods cannot be updated unless more than ${more} Pods are available`;
  it.each<{ spec: Partial<PodUnavailableBudgetSpec>; replicas: number; then: string }>([
    { spec: { maxUnavailable: 0 }, replicas: 3, then: `all of 3 Pods must be available${cannot(3)}` },
    { spec: { maxUnavailable: '0%' }, replicas: 3, then: `all of 3 Pods must be available${cannot(3)}` },
    { spec: { minAvailable: 3 }, replicas: 3, then: `all of 3 Pods must be available${cannot(3)}` },
    { spec: { minAvailable: '100%' }, replicas: 3, then: `all of 3 Pods must be available${cannot(3)}` },
    { spec: { minAvailable: 4 }, replicas: 3, then: `4 Pods must be available, but the workloads have only 3${cannot(4)}` },
  ])('$spec of $replicas: $then', ({ spec, replicas, then }) => {
    expect(conditionsOf(spec, snapshot(pods(replicas)))).toEqual(['Blocked', 'True', 'NeverAllows', then]);
  });

  it.each<{ spec: Partial<PodUnavailableBudgetSpec>; replicas: number }>([
    { spec: { maxUnavailable: '1%' }, replicas: 3 },
    { spec: { minAvailable: 2 }, replicas: 3 },
    { spec: { minAvailable: 4 }, replicas: 0 },
  ])('$spec of $replicas may be met', ({ spec, replicas }) => {
    expect(conditionsOf(spec, snapshot(pods(replicas)))).toEqual([]);
  });

  it('and no longer, when it does', () => {
    const stuck = planOf(budget({ minAvailable: 3 }), snapshot(pods(3))).status;
    expect(planOf(budget({ minAvailable: 3 }, stuck), snapshot(pods(4))).status.conditions).toBeUndefined();
    const again = planStatus(
      budget({ minAvailable: 3 }, stuck),
      snapshot(pods(3)),
      signs,
      milliseconds(epoch + 60_000) as unknown as typeof epoch,
    );
    expect(again.status.conditions).toEqual(stuck.conditions);
  });
});

describe('looking again (8)', () => {
  const cause = { reason: 'WorkloadUnknown', message: 'kind X is not served' } as const;
  it.each<{ name: string; seen: Snapshot; spec?: Partial<PodUnavailableBudgetSpec>; then: number | undefined }>([
    { name: 'a watched workload is not', seen: snapshot(pods(1), 3), then: undefined },
    { name: 'an unwatched one is, while Pods are missing', seen: snapshot(pods(1), 3, { isWatched: false }), then: 30_000 },
    {
      name: 'also while those that are there may go',
      seen: snapshot(pods(3), 3, { isWatched: false, totalOverride: 4 }),
      spec: { minAvailable: 1 },
      then: 30_000,
    },
    { name: 'and no longer, when all are there', seen: snapshot(pods(3), 3, { isWatched: false }), then: undefined },
    { name: 'but for as long as none may go', seen: snapshot(pods(2, 1), 3, { isWatched: false }), then: 30_000 },
    { name: 'one that cannot be read is, too', seen: snapshot([], 0, { isWatched: false, cause }), then: 30_000 },
    { name: 'unless its creation would cause an event', seen: snapshot([], 0, { cause }), then: undefined },
  ])('$name', ({ seen, spec = { maxUnavailable: 1 }, then }) => {
    expect(planOf(budget(spec), seen).requeueAfter).toBe(then);
  });
});

describe('Pods get the name of their budget (5.2, 6)', () => {
  it.each<{ name: string; annotations: Readonly<Record<string, string>>; isProtected: boolean; then: readonly string[] }>([
    { name: 'when they bear none', annotations: {}, isProtected: false, then: ['the Pod names no budget'] },
    {
      name: 'when the one that they name does not protect them',
      annotations: { 'kruise.io/related-pub': 'x' },
      isProtected: false,
      then: ['the Pod names budget x, which does not protect it'],
    },
    { name: 'when they have none, although one may select them', annotations: {}, isProtected: true, then: ['the Pod names no budget'] },
    { name: 'not when the one that they name does', annotations: { 'kruise.io/related-pub': 'x' }, isProtected: true, then: [] },
  ])('$name', ({ annotations, isProtected, then }) => {
    const seen = snapshot([aPod({ annotations })], 1, { isProtected: () => isProtected });
    expect(planAnnotations(seen).map(({ because }) => because)).toEqual(then);
  });
});

describe('a pass', () => {
  const seen = { ...snapshot(pods(2)), signs };

  it('annotates Pods at once, and one that refuses does not delay the others', () => {
    const unnamed = { ...snapshot([aPod({})]), signs };
    const actions = planAnnotations(unnamed);
    expect(actions).toHaveLength(1);
    expect(stagesOf(planPass(unnamed))).toEqual([{ name: 'annotate', actions, onFailure: 'Collect', pace: 'AtOnce' }]);
  });

  it('writes the status that differs from that of the newest copy, and no other', () => {
    const given = budget({ maxUnavailable: 1 });
    const { status } = planOf(given, seen);
    expect(conclude(given, seen, epoch)).toEqual({ status, notes: [] });
    expect(conclude({ ...given, status: { ...status, disruptedPods: {} } }, seen, epoch)).toEqual({ notes: [] });
  });

  it('reports events, and when the next pass is due, whether the status differs or not', () => {
    const cause = { reason: 'WorkloadUnknown', message: 'kind X is not served' } as const;
    const unknown = { ...snapshot([], 0, { isWatched: false, cause }), signs };
    const first = conclude(budget(), unknown, epoch);
    expect(first).toMatchObject({ notes: [{ kind: 'CalculationFailed', why: cause.message }], requeueAfter: 30_000 });
    expect(conclude(budget({}, first.status), unknown, epoch)).toEqual({ notes: [], requeueAfter: 30_000 });
  });
});
