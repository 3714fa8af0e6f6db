/** Objects by kind, namespace and name. */
import { expect, it } from '@jest/globals';
import { readLinted, type Linted } from './linted.ts';
import { ObjectTable } from './object-table.ts';

const budget = (name: string, team = 'a'): Linted =>
  readLinted({ apiVersion: 'policy.kruise.io/v1beta1', kind: 'PodUnavailableBudget', metadata: { name, labels: { team } } }, 'default');

it('returns objects by name, also those that are added afterwards, and the later one of a name', () => {
  const table = new ObjectTable();
  const list = (): readonly Linted[] => table.of('policy.kruise.io', 'PodUnavailableBudget', 'default');
  const [b, d, a, c, e, later] = [budget('b'), budget('d'), budget('a'), budget('c'), budget('e'), budget('c', 'b')];
  for (const one of [d, b]) table.add(one);
  const before = list();
  for (const one of [a, c, e, later]) table.add(one);
  expect(list()).toEqual([a, b, later, d, e]);
  expect(before).toEqual([b, d]);
  expect(table.find('policy.kruise.io', 'PodUnavailableBudget', 'default', 'c')).toBe(later);
});
