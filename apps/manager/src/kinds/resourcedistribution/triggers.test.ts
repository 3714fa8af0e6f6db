/** @see spec/resourcedistribution.md 5.1, 8 */
import { describe, expect, it } from '@jest/globals';
import type { ResourceDistribution } from '@kruise/api';
import type { StoreEvent } from '@kruise/kube';
import type { KubeObject } from '@kruise/objects';
import type { Copy } from '@kruise/kinds/resourcedistribution';
import {
  aDistribution,
  aNamespace,
  configMap,
  foreignCopy,
  heldCopy,
  list,
  secret,
  wantedOf,
} from '@kruise/kinds/resourcedistribution/testing';
import { requestsOfCopy, requestsOfDistribution, requestsOfNamespace } from './triggers.ts';

const added = <T extends KubeObject>(object: T): StoreEvent<T> => ({ kind: 'Added', object, initial: false });
const updated = <T extends KubeObject>(previous: T, object: T): StoreEvent<T> => ({ kind: 'Updated', object, previous });
const deleted = <T extends KubeObject>(object: T): StoreEvent<T> => ({ kind: 'Deleted', object });
const names = (keys: readonly { readonly name: string }[]): readonly string[] => keys.map(({ name }) => name);

describe('a ResourceDistribution enqueues itself', () => {
  const distribution = aDistribution({ allNamespaces: true });
  it('when it is created, deleted, and when its spec changes', () => {
    expect(names(requestsOfDistribution(added(distribution)))).toEqual(['dist']);
    expect(names(requestsOfDistribution(deleted(distribution)))).toEqual(['dist']);
    expect(names(requestsOfDistribution(updated(distribution, aDistribution({}))))).toEqual(['dist']);
  });
  it('not by its own status', () => {
    expect(requestsOfDistribution(updated(distribution, { ...aDistribution({ allNamespaces: true }), status: { desired: 1 } }))).toEqual(
      [],
    );
  });
});

describe('a namespace enqueues', () => {
  const of = (name: string, targets: ResourceDistribution['spec']['targets']): ResourceDistribution =>
    aDistribution(targets, configMap, { name });
  const distributions = {
    list: () => [
      of('all', { allNamespaces: true }),
      of('all-but-a', { allNamespaces: true, excludedNamespaces: list('a') }),
      of('named', { includedNamespaces: list('a') }),
      of('labelled', { namespaceSelector: { matchLabels: { team: 'x' } } }),
      of('labelled-but-a', { namespaceSelector: { matchLabels: { team: 'x' } }, excludedNamespaces: list('a') }),
      of('empty', { namespaceSelector: {} }),
    ],
  };
  const enqueues = (event: StoreEvent<KubeObject>): readonly string[] => names(requestsOfNamespace(event, distributions));
  const plain = aNamespace('a');
  const labelled = aNamespace('a', { team: 'x' });

  it.each<{ name: string; event: StoreEvent<KubeObject>; enqueued: readonly string[] }>([
    { name: 'when it comes, those that it is a target of', event: added(plain), enqueued: ['all', 'named'] },
    { name: 'none when it existed at the start', event: { kind: 'Added', object: labelled, initial: true }, enqueued: [] },
    { name: 'when it comes with labels', event: added(labelled), enqueued: ['all', 'named', 'labelled'] },
    { name: 'when it is deleted, the same, by its last labels', event: deleted(labelled), enqueued: ['all', 'named', 'labelled'] },
    { name: 'when a label comes, those that select by it (3)', event: updated(plain, labelled), enqueued: ['labelled', 'labelled-but-a'] },
    { name: 'when a label is removed, likewise (3)', event: updated(labelled, plain), enqueued: ['labelled', 'labelled-but-a'] },
    { name: 'none when labels stay', event: updated(labelled, aNamespace('a', { team: 'x' }, { annotations: { b: 'c' } })), enqueued: [] },
    { name: 'none when others are added', event: updated(plain, aNamespace('a', { other: 'x' })), enqueued: [] },
    { name: 'none of the system', event: added(aNamespace('kube-system', { team: 'x' })), enqueued: [] },
  ])('$name', ({ event, enqueued }) => {
    expect(enqueues(event)).toEqual(enqueued);
  });
});

describe('an object that bears the name enqueues', () => {
  const wanted = wantedOf(aDistribution({}));
  const name = { of: 'ConfigMap', name: 'settings' } as const;
  const distributions = {
    list: () => [
      aDistribution({}),
      aDistribution({}, configMap, { name: 'second' }),
      aDistribution({}, { ...secret, metadata: { name: 'settings' } }, { name: 'secret' }),
      aDistribution({}, { ...configMap, metadata: { name: 'other' } }, { name: 'other' }),
    ],
  };
  const enqueues = (event: StoreEvent<Copy>): readonly string[] => names(requestsOfCopy(event, name, distributions));
  const ours = heldCopy(wanted, 'a');

  it.each<{ name: string; event: StoreEvent<Copy>; enqueued: readonly string[] }>([
    { name: 'none when it is created', event: added(ours), enqueued: [] },
    { name: 'its owner when it changes (4)', event: updated(ours, { ...ours, contents: 'x' }), enqueued: ['dist'] },
    { name: 'its former owner when it is taken away', event: updated(ours, foreignCopy(wanted, 'a')), enqueued: ['dist'] },
    { name: 'none when a foreign one changes', event: updated(foreignCopy(wanted, 'a'), foreignCopy(wanted, 'a')), enqueued: [] },
    { name: 'all that distribute the name when it is deleted (4)', event: deleted(ours), enqueued: ['dist', 'second'] },
    { name: 'all of them when a foreign one is deleted', event: deleted(foreignCopy(wanted, 'a')), enqueued: ['dist', 'second'] },
  ])('$name', ({ event, enqueued }) => {
    expect(enqueues(event)).toEqual(enqueued);
  });
});
