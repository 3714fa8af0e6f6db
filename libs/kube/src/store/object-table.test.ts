import { expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { ObjectTable } from './object-table.ts';

interface Given extends KubeObject {
  readonly values?: readonly string[];
}

/** Returns an object with the key `namespace/name`, or only a name. */
const anObject = (key: string, values: readonly string[] = ['all']): Given => {
  const [name = '', namespace] = key.split('/').toReversed();
  return { metadata: namespace === undefined ? { name } : { name, namespace }, values };
};

function aTable(...objects: readonly Given[]) {
  const broken: string[] = [];
  const table = new ObjectTable<Given>((index, object) => broken.push(`${index} ${object.metadata.name}`));
  table.addIndex('values', ({ values = [] }) => values);
  for (const object of objects) table.put(object, undefined);
  return { table, broken };
}

const keys = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ metadata: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`));

it.each<{ name: string; given: readonly string[]; sorted: readonly string[] }>([
  { name: 'by namespace before name', given: ['b/a', 'a/b', 'a/a', 'b/b'], sorted: ['a/a', 'a/b', 'b/a', 'b/b'] },
  { name: 'in code unit order', given: ['n/a', 'n/B', 'n/a-1', 'n/A', 'n/a1'], sorted: ['n/A', 'n/B', 'n/a', 'n/a-1', 'n/a1'] },
  { name: 'with cluster-scoped ones first', given: ['0/a', 'z', 'a', '0/b'], sorted: ['a', 'z', '0/a', '0/b'] },
  { name: 'the same name in two namespaces', given: ['z/a', 'b/a', 'y/a', 'c/a'], sorted: ['b/a', 'c/a', 'y/a', 'z/a'] },
])('sorts on request $name, listed and by index', ({ given, sorted }) => {
  for (const order of [given, given.toReversed()]) {
    const { table } = aTable(...order.map((key) => anObject(key)));
    expect(keys(table.list({ sorted: true }))).toEqual(sorted);
    expect(keys(table.byIndex('values', 'all', { sorted: true }))).toEqual(sorted);
    expect(keys(table.list({})).toSorted()).toEqual(sorted.toSorted());
  }
});

it('selects by labels, listed and by index', () => {
  const { table } = aTable(anObject('n/a'), { ...anObject('n/b'), metadata: { name: 'b', namespace: 'n', labels: { app: 'x' } } });
  const selector = ({ app }: Readonly<Record<string, string>>): boolean => app === 'x';
  expect(keys(table.list({ selector }))).toEqual(['n/b']);
  expect(keys(table.byIndex('values', 'all', { selector }))).toEqual(['n/b']);
});

it('finds an object without namespace under the empty one, and removes it again', () => {
  const node = anObject('a');
  const { table } = aTable(node);
  expect(table.get({ namespace: '', name: 'a' })).toBe(node);
  table.remove(node);
  expect(table.get({ namespace: '', name: 'a' })).toBeUndefined();
  expect(table.size).toBe(0);
});

it('does nothing for an object that does not exist', () => {
  const [a, b] = [anObject('n/a'), anObject('n/b')];
  const { table } = aTable(a, b);
  table.remove(a);
  table.remove(a);
  table.remove(anObject('other/a'));
  expect([table.size, keys(table.list(undefined)), keys(table.byIndex('values', 'all', undefined))]).toEqual([1, ['n/b'], ['n/b']]);
});

it('finds each object under all values of its index function, also when others share a value, until it is removed', () => {
  const [a, b] = [anObject('n/a', ['x', 'y']), anObject('n/b', ['y'])];
  const { table } = aTable(a, b);
  const found = (): readonly (readonly string[])[] => ['x', 'y', 'z'].map((value) => keys(table.byIndex('values', value, undefined)));
  expect(found()).toEqual([['n/a'], ['n/a', 'n/b'], []]);
  const later = anObject('n/a', ['z']);
  table.put(later, a);
  expect(found()).toEqual([[], ['n/b'], ['n/a']]);
  table.remove(b);
  expect(found()).toEqual([[], [], ['n/a']]);
  expect(table.size).toBe(1);
});

it('removes an object although its index function returns another value by now', () => {
  const { table, broken } = aTable();
  let value = 'before';
  table.addIndex('moody', () => [value]);
  const object = anObject('n/a');
  table.put(object, undefined);
  value = 'after';
  table.remove(object);
  expect([table.size, table.byIndex('moody', 'after', undefined), broken]).toEqual([0, [], []]);
});
