import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { deletionCosts, hasDeletionCosts } from './deletion-cost.ts';
import { aSpread, aSpreadPod, type SpreadPodShape } from '../testing.ts';

const pods = (subset: string, count: number, shape: SpreadPodShape = {}): readonly Pod[] =>
  Array.from({ length: count }, (_, index) => aSpreadPod({ name: `${subset}-${index}`, subset, ...shape }));
/** Costs with the number of Pods, such as `300x4`. */
const summary = (costs: ReadonlyMap<Pod, number>, of: readonly Pod[]): string => {
  const values = of.map((pod) => costs.get(pod) ?? 'none');
  return [...new Set(values)].map((value) => `${value}x${values.filter((one) => one === value).length}`).join(' ');
};
const costsOf = (counts: readonly (readonly [number, number])[], outside = 0, isCurrent = true): readonly string[] => {
  const groups = counts.map(([limit, count], index) => ({ limit, pods: pods(`s${index}`, count) }));
  const strangers = pods('x', outside);
  const costs = deletionCosts(groups, strangers, isCurrent);
  return [...groups.map((group) => summary(costs, group.pods)), ...(outside === 0 ? [] : [summary(costs, strangers)])];
};

describe('deletion costs', () => {
  it.each<{ name: string; is: readonly string[]; then: readonly string[] }>([
    {
      name: 'fall from subset to subset',
      is: costsOf([
        [4, 4],
        [4, 4],
        [-1, 4],
      ]),
      then: ['300x4', '200x4', '100x4'],
    },
    {
      name: 'are negative for what is too much',
      is: costsOf([
        [4, 6],
        [4, 5],
        [-1, 3],
      ]),
      then: ['-100x2 300x4', '-200x1 200x4', '100x3'],
    },
    { name: 'of one subset are 100', is: costsOf([[2, 2]]), then: ['100x2'] },
    { name: 'of Pods in no subset are below all', is: costsOf([[2, 2]], 2), then: ['100x2', '-200x2'] },
    {
      name: 'of a former version are the other way round',
      is: costsOf(
        [
          [4, 4],
          [4, 5],
          [-1, 4],
        ],
        1,
        false,
      ),
      then: ['100x4', '-200x1 200x4', '300x4', '-400x1'],
    },
    {
      name: 'of a subset that takes none are all negative',
      is: costsOf([
        [0, 2],
        [-1, 1],
      ]),
      then: ['-100x2', '100x1'],
    },
  ])('$name', ({ is, then }) => {
    expect(is).toEqual(then);
  });

  it.each<{ name: string; worse: SpreadPodShape; better: SpreadPodShape }>([
    { name: 'without a node', worse: { node: '' }, better: {} },
    { name: 'pending', worse: { phase: 'Pending' }, better: {} },
    { name: 'not ready', worse: { ready: false }, better: {} },
    { name: 'with more restarts', worse: { restarts: 3 }, better: { restarts: 1 } },
    { name: 'that is newer', worse: { createdAt: 10_000 as never }, better: { createdAt: 0 as never } },
  ])('of two Pods that of one $name is negative', ({ worse, better }) => {
    const [first, second] = [aSpreadPod({ name: 'a', subset: 's', ...better }), aSpreadPod({ name: 'b', subset: 's', ...worse })];
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const costs = deletionCosts([{ limit: 1, pods: order }], [], true);
      expect([costs.get(first), costs.get(second)]).toEqual([100, -100]);
    }
  });

  it('are for active Pods alone', () => {
    const ended = [aSpreadPod({ phase: 'Succeeded' }), aSpreadPod({ terminating: true })];
    expect(deletionCosts([{ limit: 1, pods: ended }], ended, true).size).toBe(0);
  });

  it.each([
    ['CloneSet', true],
    ['Deployment', true],
    ['ReplicaSet', true],
    ['StatefulSet', false],
    ['Job', false],
    ['GameSet', false],
  ])('are given to Pods of a %s: %p', (kind, then) => {
    expect(hasDeletionCosts(aSpread([], { targetRef: { apiVersion: 'x/v1', kind, name: 'x' } }))).toBe(then);
  });
});
