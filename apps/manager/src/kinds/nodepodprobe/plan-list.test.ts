import { expect, it } from '@jest/globals';
import type { Node, Pod } from '@kruise/objects';
import { planList, withoutEndedPods } from './plan-list.ts';

const node = (ready: string, over: Partial<Node['metadata']> = {}): Node => ({
  metadata: { name: 'n', ...over },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

it.each<[string, boolean, Node | undefined, string]>([
  ['a ready node without a list', false, node('True'), 'Create'],
  ['a node that is not ready yet', false, node('False'), 'Keep'],
  ['a virtual node', false, node('True', { labels: { type: 'virtual-kubelet' } }), 'Keep'],
  ['a node that goes, without a list', false, node('True', going), 'Keep'],
  ['a node with a list', true, node('False'), 'Keep'],
  ['a list without a node', true, undefined, 'Delete'],
  ['a list of a node that goes', true, node('True', going), 'Delete'],
  ['nothing', false, undefined, 'Keep'],
])('%s', (_name, hasList, of, expected) => {
  expect(planList(hasList ? { metadata: { name: 'n' }, spec: {} } : undefined, of)).toBe(expected);
});

it('drops Pods that are gone, ended, going or others', () => {
  const pods: readonly Pod[] = ['runs', 'ended', 'going', 'other'].map((name) => ({
    metadata: { name, namespace: 'shop', uid: name === 'other' ? 'new' : name, ...(name === 'going' ? going : {}) },
    spec: { containers: [] },
    status: { phase: name === 'ended' ? 'Succeeded' : 'Running' },
  }));
  const entry = (name: string) => ({ name, namespace: 'shop', uid: name, IP: '' });
  const podAt = ({ name }: { readonly name: string }): Pod | undefined => pods.find(({ metadata }) => metadata.name === name);
  expect(withoutEndedPods(['gone', 'runs', 'ended', 'going', 'other'].map(entry), podAt)).toEqual([entry('runs')]);
  const held = [entry('runs')];
  expect(withoutEndedPods(held, podAt)).toBe(held);
});
