/** Which of the chosen Pods are updated now, and how. @see spec/inplace-update.md 4 */
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import type { UpdateAction, UpkeepAction } from '../pods/pod-action.ts';
import { planPodUpdates, withinBudget, withoutSuperseded, type PodUpdates, type UpdateTarget } from './pod-updates.ts';
import { aMember, aWorkload, next, old, revisionOf, type MemberShape } from '../workload.testing.ts';
import type { Workload } from '../workload.ts';

const namesOf = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.name).join('');
const ok: MemberShape = {};
const down: MemberShape = { ready: false };
const prepared: MemberShape = { state: 'PreparingUpdate' };
const updatedOk: MemberShape = { of: next };
const updatedDown: MemberShape = { of: next, ready: false };

interface Row {
  readonly name: string;
  /** Named a, b, c... in their order. */
  readonly pods: readonly MemberShape[];
  readonly limit: number;
  readonly taken: string;
  /** Whether the ranking is called; true by default. */
  readonly ranks?: boolean;
}

describe('within a budget', () => {
  it.each<Row>([
    { name: 'as many as may be unavailable', pods: [ok, ok, ok], limit: 2, taken: 'ab' },
    { name: 'all when the limit allows it', pods: [ok, ok, ok], limit: 3, taken: 'abc' },
    { name: 'none with a limit of 0', pods: [ok, down], limit: 0, taken: '', ranks: false },
    { name: 'one that its hook holds already, despite a limit of 0', pods: [prepared, prepared], limit: 0, taken: 'a' },
    { name: 'one that its hook holds, and no other, despite a limit of 0', pods: [prepared, ok], limit: 0, taken: 'a' },
    { name: 'an unavailable one costs nothing', pods: [down, ok], limit: 1, taken: 'a' },
    { name: 'unavailable ones up to the limit', pods: [down, down, down], limit: 2, taken: 'ab' },
    { name: 'unavailable and available ones share the limit', pods: [down, ok, ok], limit: 2, taken: 'ab' },
    { name: 'an unavailable one after an available one when the limit is used up', pods: [ok, down], limit: 1, taken: 'b' },
    { name: 'none when new ones use the limit up', pods: [updatedDown, ok], limit: 1, taken: '', ranks: false },
    { name: 'not even an unavailable one when new ones use the limit up', pods: [updatedDown, down], limit: 1, taken: '', ranks: false },
    { name: 'what new ones leave', pods: [updatedDown, down, down], limit: 2, taken: 'b' },
    { name: 'new ones that are available cost nothing', pods: [updatedOk, updatedOk, ok], limit: 1, taken: 'c' },
    {
      name: 'none when Pods that are no candidates use the limit up',
      pods: [{ ...down, name: 'x' }, ok],
      limit: 1,
      taken: '',
      ranks: false,
    },
    { name: 'one that its hook holds, although the limit is used up', pods: [{ ...down, name: 'x' }, prepared], limit: 1, taken: 'b' },
    { name: 'one that its hook holds within the limit', pods: [prepared, ok], limit: 2, taken: 'ab' },
    {
      name: 'none that its hook holds beside an unavailable new one with a limit of 0',
      pods: [updatedDown, prepared],
      limit: 0,
      taken: '',
      ranks: false,
    },
    { name: 'none without candidates', pods: [updatedOk], limit: 1, taken: '' },
  ])('$name', ({ pods: shapes, limit, taken, ranks = true }) => {
    const pods = shapes.map((shape, index) => aMember({ name: 'abcdef'.charAt(index), ...shape }));
    const candidates = pods.filter((_, index) => shapes[index]?.name !== 'x' && shapes[index]?.of !== next);
    let asked = 0;
    const rank = (those: readonly Pod[]): readonly Pod[] => (asked++, those);
    expect(
      namesOf(withinBudget({ isCandidate: (pod) => candidates.includes(pod), rank }, pods, { revision: next, limit }, aWorkload())),
    ).toBe(taken);
    expect(asked).toBe(ranks ? 1 : 0);
  });

  it('follows the ranking, which may omit some', () => {
    const pods = ['a', 'b', 'c'].map((name) => aMember({ name }));
    const rank = (those: readonly Pod[]): readonly Pod[] => those.slice(1).reverse();
    expect(namesOf(withinBudget({ isCandidate: () => true, rank }, pods, { revision: next, limit: 3 }, aWorkload()))).toBe('cb');
  });

  it('counts a Pod as unavailable until minReadySeconds are over', () => {
    const pods = [aMember({ name: 'a', of: next }), aMember({ name: 'b' })];
    const taken = [3599, 3600].map((minReadySeconds) =>
      namesOf(
        withinBudget(
          { isCandidate: (pod) => pod !== pods[0], rank: (those) => those },
          pods,
          { revision: next, limit: 1 },
          aWorkload({ minReadySeconds }),
        ),
      ),
    );
    expect(taken).toEqual(['b', '']);
  });
});

/** A substitute for the way in which a kind recreates a Pod. */
interface Recreation {
  readonly kind: 'Recreate';
  readonly pod: Pod;
  readonly because: string;
}

const updatesOf = (chosen: readonly Pod[], target: UpdateTarget, workload: Workload): PodUpdates<Recreation> =>
  planPodUpdates<Recreation>(chosen, target, workload, (pod, because) => [{ kind: 'Recreate', pod, because }]);

describe('the update of a chosen Pod', () => {
  const other = revisionOf(
    { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:2', command: ['x'] }] } },
    3,
  );
  const hook = { inPlaceUpdate: { labelsHandler: { held: 'yes' } } };
  const held: MemberShape = { labels: { held: 'yes' } };
  const reportOf = (action: UpdateAction | Recreation): string =>
    action.kind === 'SetLifecycle' ? `${action.kind} ${action.transition.to}: ${action.because}` : `${action.kind}: ${action.because}`;
  const recreated = (why: string): readonly string[] => [`Recreate: 1 of 3; not in place: ${why}`];
  const inPlace = ['UpdatePodInPlace: 1 of 3'];

  it.each<{
    name: string;
    pod?: MemberShape;
    workload?: Partial<Workload>;
    to?: typeof next;
    then: readonly string[];
    failure?: string;
  }>([
    { name: 'is in place for an image', then: inPlace },
    { name: 'is in place for an image with InPlaceOnly', workload: { podUpdatePolicy: 'InPlaceOnly' }, then: inPlace },
    {
      name: 'is never in place with ReCreate',
      workload: { podUpdatePolicy: 'ReCreate' },
      then: recreated('the update policy is ReCreate'),
    },
    { name: 'is left to the user that deletes it', workload: { isOnDelete: true }, then: recreated('the update policy is ReCreate') },
    { name: 'is by recreation for a command', to: other, then: recreated('spec.containers[0].command differs') },
    {
      name: 'fails with InPlaceOnly for a command',
      to: other,
      workload: { podUpdatePolicy: 'InPlaceOnly' },
      then: [],
      failure: 'Pod a cannot be updated in place: spec.containers[0].command differs',
    },
    {
      name: 'waits for its hook',
      pod: held,
      workload: { lifecycle: hook },
      then: ['SetLifecycle PreparingUpdate: the inPlaceUpdate hook holds the Pod'],
    },
    { name: 'continues to wait for its hook', pod: { ...held, state: 'PreparingUpdate' }, workload: { lifecycle: hook }, then: [] },
    { name: 'begins when the hook releases it', pod: { state: 'PreparingUpdate' }, workload: { lifecycle: hook }, then: inPlace },
    {
      name: 'fails in a state that allows no update',
      pod: { state: 'PreparingDelete' },
      then: [],
      failure: 'Pod a: not allowed to in-place update a Pod in state PreparingDelete',
    },
  ])('$name', ({ pod, workload, to = next, then, failure }) => {
    const revisions = [old, next, other];
    const plan = updatesOf(
      [aMember({ name: 'a', ...pod })],
      { revision: to, limit: 1, because: '1 of 3' },
      aWorkload({ revisions, ...workload }),
    );
    expect(plan.actions.map(reportOf)).toEqual(then);
    expect(plan.failure).toBe(failure);
  });

  it('returns what to do, and how long to wait before', () => {
    const plan = updatesOf([aMember()], { revision: next, limit: 1, because: '' }, aWorkload({ graceSeconds: 7 }));
    expect(plan.actions).toMatchObject([
      { kind: 'UpdatePodInPlace', spec: { revision: next.metadata.name, containerImages: { main: 'app:2' }, graceSeconds: 7 } },
    ]);
  });

  it('is decided by the revision of each Pod', () => {
    const pods = [aMember({ name: 'a', of: other }), aMember({ name: 'b' }), aMember({ name: 'c', of: other })];
    const plan = updatesOf(pods, { revision: next, limit: 3, because: '' }, aWorkload({ revisions: [old, next, other] }));
    expect(plan.actions.map(({ kind }) => kind)).toEqual(['Recreate', 'UpdatePodInPlace', 'Recreate']);
  });

  it('ignores other claim templates only with InPlaceOnly', () => {
    const claims = (hash: string) => ({ 'kruise.io/cloneset-volumeclaimtemplate-hash': hash });
    const template = (image: string) => ({ metadata: {}, spec: { containers: [{ name: 'main', image }] } });
    const [from, to] = [revisionOf(template('app:1'), 1, claims('1')), revisionOf(template('app:2'), 2, claims('2'))];
    const kindOf = (podUpdatePolicy: Workload['podUpdatePolicy']) =>
      updatesOf(
        [aMember({ of: from })],
        { revision: to, limit: 1, because: '' },
        aWorkload({
          podUpdatePolicy,
          revisions: [from, to],
          gates: { ...aWorkload().gates, RecreatePodWhenChangeVCTInCloneSetGate: true },
        }),
      ).actions.map(({ kind }) => kind);
    expect([kindOf('InPlaceIfPossible'), kindOf('InPlaceOnly')]).toEqual([['Recreate'], ['UpdatePodInPlace']]);
  });

  it('reports the first failure, and continues with the others', () => {
    const pods = [
      aMember({ name: 'a' }),
      aMember({ name: 'b', state: 'PreparingDelete' }),
      aMember({ name: 'c', state: 'PreparingDelete' }),
    ];
    const plan = updatesOf(pods, { revision: next, limit: 3, because: '' }, aWorkload());
    expect(plan.actions.map(({ pod }) => pod.metadata.name)).toEqual(['a']);
    expect(plan.failure).toMatch(/^Pod b: /);
  });
});

describe('upkeep beside updates that begin', () => {
  const [a, b] = [aMember({ name: 'a' }), aMember({ name: 'b' })];
  const because = '';
  const setReady = (pod: Pod): UpkeepAction => ({ kind: 'RefreshPod', pod, step: { kind: 'SetReady', pod }, because });
  const dropGrace = (pod: Pod): UpkeepAction => ({ kind: 'RefreshPod', pod, step: { kind: 'DropGrace', pod, because }, because });
  const label = (pod: Pod): UpkeepAction => ({ kind: 'LabelPod', pod, labels: {}, because });
  const begin = (pod: Pod): UpdateAction => ({ kind: 'UpdatePodInPlace', pod, spec: { revision: 'r' }, because });
  const recreate = (pod: Pod): Recreation => ({ kind: 'Recreate', pod, because });

  it.each<{
    name: string;
    upkeep: readonly UpkeepAction[];
    begun: readonly (UpdateAction | Recreation)[];
    left: readonly UpkeepAction[];
  }>([
    { name: 'stays when nothing begins', upkeep: [setReady(a)], begun: [], left: [setReady(a)] },
    {
      name: 'does not return a Pod to service that leaves it',
      upkeep: [setReady(a), setReady(b)],
      begun: [begin(a)],
      left: [setReady(b)],
    },
    { name: 'drops the grace period of the previous update', upkeep: [dropGrace(a)], begun: [begin(a)], left: [dropGrace(a)] },
    { name: 'is that of an update alone', upkeep: [label(a)], begun: [begin(a)], left: [label(a)] },
    { name: 'stays for a Pod that is recreated', upkeep: [setReady(a)], begun: [recreate(a)], left: [setReady(a)] },
  ])('$name', ({ upkeep, begun, left }) => {
    expect(withoutSuperseded(upkeep, begun)).toEqual(left);
  });
});
