import { expect, it } from '@jest/globals';
import { OutageOracle, type Demand } from './outage-oracle.testing.ts';

interface Look {
  readonly demand: Demand;
  readonly available: number;
}
const look = (available: number, wanted: number, budget: number): Look => ({ demand: { wanted, budget }, available });
const lookAt = (of: string, available: number): Look => ({ demand: { wanted: 2, budget: 1, of }, available });

it.each<[string, readonly Look[], readonly number[]]>([
  ['nothing while a workload is created', [look(0, 5, 1), look(2, 5, 1), look(5, 5, 1)], [0, 0, 0]],
  ['nothing within the budget', [look(5, 5, 2), look(4, 5, 2), look(3, 5, 2)], [0, 0, 0]],
  ['what exceeds the budget', [look(5, 5, 2), look(2, 5, 2), look(0, 5, 2)], [0, 1, 3]],
  ['nothing when the workload is scaled in', [look(5, 5, 1), look(5, 2, 1), look(2, 2, 1)], [0, 0, 0]],
  ['what is lost beside new instances', [look(3, 3, 1), look(3, 6, 1), look(1, 6, 1)], [0, 0, 1]],
  ['no instances that an earlier budget allowed', [look(5, 5, 3), look(2, 5, 3), look(2, 5, 1), look(3, 5, 1)], [0, 0, 0, 0]],
  [
    'those that go once an earlier budget is used no more',
    [look(5, 5, 3), look(2, 5, 3), look(2, 5, 1), look(4, 5, 1), look(3, 5, 1)],
    [0, 0, 0, 0, 1],
  ],
  ['nothing when other instances are wanted', [lookAt('0,1', 2), lookAt('2,3', 0), lookAt('2,3', 2), lookAt('2,3', 0)], [0, 0, 0, 1]],
])('counts %s', (_name, looks, excess) => {
  const oracle = new OutageOracle();
  expect(looks.map(({ demand, available }) => oracle.look(demand, available))).toEqual(excess);
});
