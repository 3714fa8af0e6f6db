/** Which Pod was the last to go from a node, so that the next one has another name. */
import { describe, expect, it } from '@jest/globals';
import { daemonSets } from '@kruise/api';
import type { StoreEvent } from '@kruise/kube';
import { storeOf } from '@kruise/kube/testing';
import { nodes, type OwnerReference, type Pod } from '@kruise/objects';
import { boundByScheduler } from '@kruise/pods';
import { aPod, type PodShape } from '@kruise/testing';
import { DeletedPods } from './deleted-pods.ts';
import { ownerReferenceTo } from '@kruise/kinds/daemonset';
import { aDaemonSet, aNode } from '@kruise/kinds/daemonset/testing';

const set = aDaemonSet();
const owners = {
  sets: storeOf(daemonSets, [set]),
  nodes: storeOf(
    nodes,
    ['n1', 'n2'].map((name) => aNode(name)),
  ),
};
const podOf = (shape: PodShape = {}): Pod => aPod({ name: 'p', uid: 'gone', node: 'n1', owner: ownerReferenceTo(set), ...shape });
const lastAfter = (...events: readonly StoreEvent<Pod>[]): readonly string[] => {
  const deletedPods = new DeletedPods();
  for (const event of events) deletedPods.note(event, owners);
  return ['n1', 'n2', 'n3'].map((node) => deletedPods.lastFrom('set-uid', node));
};
const deleted = (object: Pod): StoreEvent<Pod> => ({ kind: 'Deleted', object });

describe('the last Pod deleted from a node', () => {
  it('is none before one has', () => {
    expect(lastAfter()).toEqual(['', '', '']);
  });

  it('is known by its uid, for its node', () => {
    expect(lastAfter(deleted(podOf()))).toEqual(['gone', '', '']);
  });

  it('is the latest', () => {
    expect(lastAfter(deleted(podOf()), deleted(podOf({ uid: 'later' })), deleted(podOf({ uid: 'there', node: 'n2' })))).toEqual([
      'later',
      'there',
      '',
    ]);
  });

  it('is one that the scheduler never saw as well', () => {
    const waiting = podOf({ node: '' });
    expect(lastAfter(deleted({ ...waiting, spec: boundByScheduler(waiting.spec, 'n2') }))).toEqual(['', 'gone', '']);
  });

  const owner: OwnerReference = ownerReferenceTo(set);
  it.each<[string, StoreEvent<Pod>]>([
    ['one that came', { kind: 'Added', object: podOf(), initial: false }],
    ['one that begins to go', { kind: 'Updated', previous: podOf(), object: podOf({ terminating: true }) }],
    ['one that nobody controls', deleted(aPod({ node: 'n1' }))],
    ['one of another kind', deleted(podOf({ owner: { ...owner, kind: 'CloneSet' } }))],
    ['one of the DaemonSets of Kubernetes', deleted(podOf({ owner: { ...owner, apiVersion: 'apps/v1' } }))],
    ['one of a DaemonSet that is gone', deleted(podOf({ owner: { ...owner, name: 'gone' } }))],
    ['one of the DaemonSet before, of the same name', deleted(podOf({ owner: { ...owner, uid: 'before' } }))],
    ['one of another namespace', deleted(podOf({ namespace: 'other' }))],
    ['one of a node that is gone', deleted(podOf({ node: 'n3' }))],
    ['one that is for no node', deleted(podOf({ node: '' }))],
  ])('is not %s', (_name, event) => {
    expect(lastAfter(event)).toEqual(['', '', '']);
  });

  it('is one that another version of the API controls', () => {
    expect(lastAfter(deleted(podOf({ owner: { ...owner, apiVersion: 'apps.kruise.io/v1alpha1' } })))).toEqual(['gone', '', '']);
  });

  it('is forgotten with the DaemonSet', () => {
    const deletedPods = new DeletedPods();
    deletedPods.note(deleted(podOf()), owners);
    deletedPods.forget('other');
    expect(deletedPods.lastFrom('set-uid', 'n1')).toBe('gone');
    deletedPods.forget('set-uid');
    expect(deletedPods.lastFrom('set-uid', 'n1')).toBe('');
  });

  it('is forgotten with the node, and no other is', () => {
    const deletedPods = new DeletedPods();
    for (const node of ['n1', 'n2']) deletedPods.note(deleted(podOf({ node })), owners);
    deletedPods.forgetNode('n1');
    expect(['n1', 'n2'].map((node) => deletedPods.lastFrom('set-uid', node))).toEqual(['', 'gone']);
  });
});
