/** @see spec/workloadspread.md 4.3, 4.5 */
import { describe, expect, it } from '@jest/globals';
import type { WorkloadSpread } from '@kruise/api';
import { Counting, type Answer, type Asked } from './counting.ts';
import { aSpread, aSubset, later, timeOf, type Subset, type SubsetStatus } from './testing.ts';

const version = 'versionIgnored';
const place = (id: string, of = version): Asked => ({ kind: 'Place', id, version: of });
const release = (pod: string, subset: string, of = version): Asked => ({ kind: 'Release', pod, subset, version: of });
const state = (name: string, replicas: number, missingReplicas: number, more: Partial<SubsetStatus> = {}): SubsetStatus => ({
  name,
  replicas,
  missingReplicas,
  ...more,
});
const spreadOf = (subsets: readonly Subset[], states?: readonly SubsetStatus[]): WorkloadSpread =>
  aSpread(subsets, {}, states === undefined ? undefined : { observedGeneration: 1, versionedSubsetStatuses: { [version]: [...states] } });
const reportOf = (answer: Answer): string => (answer.kind === 'Placed' ? answer.subset.name : answer.kind);
/** Each subset as `name replicas/missing`, with those that come and go. */
const shown = (counting: Counting, of = version): readonly string[] | undefined =>
  counting.status?.versionedSubsetStatuses?.[of]?.map(({ name, replicas, missingReplicas, creatingPods = {}, deletingPods = {} }) =>
    [
      `${name} ${replicas}/${missingReplicas}`,
      ...Object.keys(creatingPods).map((id) => `+${id}`),
      ...Object.keys(deletingPods).map((id) => `-${id}`),
    ].join(' '),
  );
const halves = [aSubset('a', '50%'), aSubset('b', '50%')];

describe('counting', () => {
  it('continues from one Pod to the next, with the time, and leaves all else in the status unchanged', () => {
    const counting = new Counting(
      spreadOf([aSubset('a', 1), aSubset('b', 1)], [state('a', 0, 1), state('b', 0, 1)]),
      later(5500),
      undefined,
    );
    expect(['x', 'y', 'z'].map((id) => reportOf(counting.count(place(id))))).toEqual(['a', 'b', 'NoRoom']);
    expect(shown(counting)).toEqual(['a 0/0 +x', 'b 0/0 +y']);
    expect(counting.status).toMatchObject({ observedGeneration: 1 });
    expect(counting.status?.versionedSubsetStatuses?.[version]?.[0]?.creatingPods).toEqual({ x: timeOf(5000) });
  });

  it.each<{ name: string; spread: WorkloadSpread; asked: Asked; then: string }>([
    { name: 'a Pod without a free place', spread: spreadOf([aSubset('a', 1)], [state('a', 1, 0)]), asked: place('x'), then: 'NoRoom' },
    { name: 'a Pod in a subset without a limit', spread: spreadOf([aSubset('a', 0), aSubset('b')]), asked: place('x'), then: 'b' },
    {
      name: 'a Pod that was counted before',
      spread: spreadOf([aSubset('a', 1)], [state('a', 0, 0, { creatingPods: { x: timeOf(0) } })]),
      asked: place('x'),
      then: 'a',
    },
    {
      name: 'one that is deleted from no subset',
      spread: spreadOf([aSubset('a', 1)], [state('a', 1, 0)]),
      asked: release('x', 'gone'),
      then: 'Nothing',
    },
    {
      name: 'one that is deleted from a subset without a limit',
      spread: spreadOf([aSubset('a')], [state('a', 1, -1)]),
      asked: release('x', 'a'),
      then: 'Nothing',
    },
  ])('changes nothing by $name', ({ spread, asked, then }) => {
    const counting = new Counting(spread, later(0), undefined);
    expect([reportOf(counting.count(asked)), counting.status]).toEqual([then, undefined]);
  });

  it('returns with a place the WorkloadSpread on which it was counted', () => {
    const spread = spreadOf([aSubset('a', 1)]);
    expect(new Counting(spread, later(0), undefined).count(place('x'))).toEqual({
      kind: 'Placed',
      spread,
      subset: aSubset('a', 1),
      id: 'x',
    });
  });

  it('a Pod that comes again is counted under its former id while that is being created, and under a fresh one otherwise', () => {
    const counting = new Counting(spreadOf([aSubset('a', 2), aSubset('b')]), later(0), undefined);
    const idOf = (id: string, again?: string): string | undefined => {
      const answer = counting.count({ kind: 'Place', id, again, version });
      return answer.kind === 'Placed' ? answer.id : undefined;
    };
    expect([idOf('x'), idOf('y', 'x'), idOf('z', 'copied'), idOf('u', 'copied'), idOf('w')]).toEqual(['x', 'x', 'z', 'copied', 'w']);
    expect(shown(counting)).toEqual(['a 0/0 +x +z', 'b 0/-1']);
  });

  it('keeps versions apart; one that is new begins with the limits', () => {
    const counting = new Counting(spreadOf([aSubset('a', 1), aSubset('b')], [state('a', 1, 0), state('b', 1, -1)]), later(0), undefined);
    expect(reportOf(counting.count(place('x', 'next')))).toBe('a');
    expect([shown(counting, 'next'), shown(counting)]).toEqual([
      ['a 0/0 +x', 'b 0/-1'],
      ['a 1/0', 'b 1/-1'],
    ]);
  });

  it('follows subsets by their names: in another order, new ones, and none that the spec does not know', () => {
    const states = [state('gone', 1, 5), state('b', 1, 0), state('a', 1, 1)];
    const counting = new Counting(spreadOf([aSubset('a', 2), aSubset('b', 1), aSubset('c', 1)], states), later(0), undefined);
    expect(['x', 'y', 'z'].map((id) => reportOf(counting.count(place(id))))).toEqual(['a', 'c', 'NoRoom']);
    expect(shown(counting)).toEqual(['a 1/0 +x', 'b 1/0', 'c 0/0 +y']);
  });

  it('records a Pod that is being deleted, and that its place is free', () => {
    const counting = new Counting(spreadOf([aSubset('a', 2)], [state('a', 2, 0)]), later(0), undefined);
    expect(counting.count(release('x', 'a'))).toEqual({ kind: 'Released' });
    expect(shown(counting)).toEqual(['a 2/1 -x']);
    expect(reportOf(counting.count(place('y')))).toBe('a');
    expect(shown(counting)).toEqual(['a 2/0 +y -x']);
  });

  it.each<{ name: string; subset: Subset; total: number | undefined; replicas: number; then: string }>([
    { name: 'no place of a subset that is above its number', subset: aSubset('a', 1), total: undefined, replicas: 3, then: 'a 3/0 -x' },
    { name: 'no place of a subset that is above its percentage', subset: aSubset('a', '50%'), total: 2, replicas: 3, then: 'a 3/0 -x' },
    { name: 'a place of a percentage of an unknown total', subset: aSubset('a', '50%'), total: undefined, replicas: 3, then: 'a 3/1 -x' },
    { name: 'a place of a percentage that is kept', subset: aSubset('a', '50%'), total: 6, replicas: 3, then: 'a 3/1 -x' },
  ])('gives $name away for one that is being deleted', ({ subset, total, replicas, then }) => {
    const counting = new Counting(spreadOf([subset], [state('a', replicas, 0)]), later(0), total);
    counting.count(release('x', 'a'));
    expect(shown(counting)).toEqual([then]);
  });

  it('by percentages gives room that the workload has grown by, once the total is known and nothing else is left', () => {
    const states = [state('a', 1, 0), state('b', 1, 0)];
    const counted = (total: number | undefined, held = states): readonly string[] => {
      const counting = new Counting(spreadOf(halves, held), later(0), total);
      return ['x', 'y', 'z'].map((id) => reportOf(counting.count(place(id))));
    };
    expect(counted(undefined)).toEqual(['NoRoom', 'NoRoom', 'NoRoom']);
    expect(counted(4)).toEqual(['a', 'b', 'NoRoom']);
    // What the controller says is left comes first, also where the limit says there is more before it.
    expect(counted(4, [state('a', 1, 0), state('b', 0, 2)])).toEqual(['b', 'b', 'a']);
  });

  it('by numbers gives only the places in the status', () => {
    const counting = new Counting(spreadOf([aSubset('a', 5)], [state('a', 1, 0)]), later(0), 10);
    expect(reportOf(counting.count(place('x')))).toBe('NoRoom');
  });
});

describe('the number of all Pods', () => {
  const full = spreadOf(halves, [state('a', 1, 0), state('b', 1, 0)]);
  const roomy = spreadOf(halves, [state('a', 1, 0), state('b', 0, 1)]);
  it.each<{ name: string; spread: WorkloadSpread; asked: readonly Asked[]; then: boolean }>([
    { name: 'no room is left', spread: full, asked: [place('x')], then: true },
    { name: 'the version is new', spread: roomy, asked: [place('x', 'next')], then: true },
    { name: 'the version is new, also for one that is being deleted', spread: roomy, asked: [release('x', 'a', 'next')], then: true },
    { name: 'nothing was ever counted', spread: spreadOf(halves), asked: [place('x')], then: true },
    { name: 'the version is empty', spread: spreadOf(halves, []), asked: [place('x')], then: true },
    { name: 'there is room', spread: roomy, asked: [place('x')], then: false },
    { name: 'one of several finds no free place', spread: roomy, asked: [place('x'), place('y')], then: true },
    { name: 'no Pod asks', spread: full, asked: [], then: false },
  ])('matters where $name: $then', ({ spread, asked, then }) => {
    expect(new Counting(spread, later(0), undefined).needsTotal(asked)).toBe(then);
  });
});
