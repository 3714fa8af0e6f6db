import { describe, expect, it } from '@jest/globals';
import { configMaps, milliseconds, namespaces, pods, type KubeObject, type OwnerReference } from '@kruise/objects';
import type { StoreEvent } from '../store.ts';
import { distinctKeys, enqueueMatching, enqueueOwner, enqueueSelf, gathered, gatheringOf, ownerKey } from './enqueue.ts';

const owner = (kind: string, name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind,
  name,
  uid: name,
  controller: true,
  ...more,
});
const object = (name: string, ...ownerReferences: readonly OwnerReference[]): KubeObject => ({
  metadata: { namespace: 'ns', name, ownerReferences },
});
const added = (one: KubeObject): StoreEvent<KubeObject> => ({ kind: 'Added', object: one, initial: false });
const updated = (previous: KubeObject, one: KubeObject): StoreEvent<KubeObject> => ({ kind: 'Updated', object: one, previous });
const key = (name: string): { readonly namespace: string; readonly name: string } => ({ namespace: 'ns', name });

describe('an event enqueues', () => {
  it('the object itself', () => {
    expect(enqueueSelf(added(object('a')))).toEqual([key('a')]);
  });

  it.each<{ name: string; event: StoreEvent<KubeObject>; keys: readonly string[] }>([
    { name: 'its controller', event: added(object('p', owner('ConfigMap', 'c'))), keys: ['c'] },
    {
      name: 'nothing for an object without a controller',
      event: added(object('p', owner('ConfigMap', 'c', { controller: false }))),
      keys: [],
    },
    { name: 'no controller of another kind', event: added(object('p', owner('Secret', 's'))), keys: [] },
    { name: 'no controller of another group', event: added(object('p', owner('ConfigMap', 'c', { apiVersion: 'x/v1' }))), keys: [] },
    {
      name: 'the former and the present one',
      event: updated(object('p', owner('ConfigMap', 'old')), object('p', owner('ConfigMap', 'new'))),
      keys: ['new', 'old'],
    },
    {
      name: 'one that stays only once',
      event: updated(object('p', owner('ConfigMap', 'c')), object('p', owner('ConfigMap', 'c'))),
      keys: ['c'],
    },
  ])('$name', ({ event, keys }) => {
    expect(enqueueOwner(configMaps)(event)).toEqual(keys.map(key));
  });

  it('what it matches, or did before', () => {
    const candidates = ['a', 'b', 'c'].map((name) => object(name));
    const rule = enqueueMatching(
      () => candidates,
      (candidate, { metadata }) => metadata.labels?.['for'] === candidate.metadata.name,
    );
    const labelled = (to: string): KubeObject => ({ metadata: { namespace: 'ns', name: 'p', labels: { for: to } } });
    expect(rule(added(labelled('b')))).toEqual([key('b')]);
    expect(rule(updated(labelled('c'), labelled('a')))).toEqual([key('a'), key('c')]);
    expect(rule({ kind: 'Deleted', object: labelled('c') })).toEqual([key('c')]);
    expect(rule(added(labelled('z')))).toEqual([]);
  });
});

it('an owner of a cluster-scoped kind has no namespace in its key', () => {
  expect(ownerKey(object('p', owner('Namespace', 'n')), namespaces)).toEqual({ namespace: '', name: 'n' });
  expect(ownerKey(object('p', owner('Pod', 'n')), pods)).toEqual(key('n'));
});

it('keys are returned once, in order, and later when they are gathered', () => {
  expect(distinctKeys([key('b'), key('a'), key('b')])).toEqual([key('b'), key('a')]);
  expect(gathered([key('a')], milliseconds(20))).toEqual([{ key: key('a'), after: 20 }]);
});

it.each([
  [0, 20],
  [500, 20],
  [501, 20.04],
  [5000, 200],
  [12_500, 500],
  [100_000, 500],
])('changes of %i objects are gathered for %p ms', (objects, length) => {
  expect(gatheringOf(objects)).toBeCloseTo(length, 9);
});
