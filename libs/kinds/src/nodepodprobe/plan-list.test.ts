import { expect, it } from '@jest/globals';
import type { NodePodProbe } from '@kruise/api';
import type { Node, Pod } from '@kruise/objects';
import { askedResults, planList, withoutEndedPods } from './plan-list.ts';

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

const podsOf = (
  ...list: readonly (readonly [name: string, over?: { readonly uid?: string; readonly node?: string; readonly phase?: string }])[]
) => {
  const held = list.map(([name, { uid = name, node: nodeName = 'n', phase = 'Running' } = {}]): Pod => ({
    metadata: { name, namespace: 'shop', uid, ...(name === 'going' ? going : {}) },
    spec: { containers: [], nodeName },
    status: { phase },
  }));
  return { node: 'n', podAt: ({ name }: { readonly name: string }) => held.find(({ metadata }) => metadata.name === name) };
};
const entry = (name: string) => ({ name, namespace: 'shop', uid: name, IP: '' });

it('drops Pods that are deleted, finished, terminating, others or elsewhere', () => {
  const pods = podsOf(['runs'], ['ended', { phase: 'Succeeded' }], ['going'], ['other', { uid: 'new' }], ['elsewhere', { node: 'm' }]);
  expect(withoutEndedPods(['gone', 'runs', 'ended', 'going', 'other', 'elsewhere'].map(entry), pods)).toEqual([entry('runs')]);
  const held = [entry('runs')];
  expect(withoutEndedPods(held, pods)).toBe(held);
});

it('uses only results that were requested', () => {
  const reportOf = (...names: readonly string[]) => names.map((name) => ({ name, state: 'Succeeded' as const }));
  const probe = { name: 'm#a', containerName: 'main', probe: {} };
  const list: NodePodProbe = {
    metadata: { name: 'n' },
    spec: { podProbes: [{ ...entry('web'), probes: [probe] }, entry('idle')] },
    status: {
      podProbeStatuses: [
        { name: 'web', namespace: 'shop', uid: 'web', probeStates: reportOf('m#a', 'm#b') },
        { name: 'idle', namespace: 'shop', uid: 'idle', probeStates: reportOf('m#a') },
        { name: 'api', namespace: 'shop', uid: 'api', probeStates: reportOf('m#a') },
        { name: 'mute', namespace: 'shop', uid: 'mute' },
      ],
    },
  };
  expect(askedResults(list).flatMap(({ uid, probeStates = [] }) => probeStates.map(({ name }) => `${uid} ${name}`))).toEqual(['web m#a']);
  expect(askedResults({ metadata: { name: 'n' }, spec: {} })).toEqual([]);
  const { spec: _spec, ...bare } = list;
  expect(askedResults(bare as NodePodProbe).map(({ uid, probeStates }) => [uid, probeStates])).toEqual([
    ['web', []],
    ['idle', []],
    ['api', []],
    ['mute', []],
  ]);
});
