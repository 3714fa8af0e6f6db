/** @see spec/podprobemarker.md 5.2 */
import { describe, expect, it } from '@jest/globals';
import type { NodePodProbe, PodProbe, PodProbeMarker, PodProbeStatus } from '@kruise/api';
import { deepFreeze, keyOf, type Node, type Pod } from '@kruise/objects';
import { plan, type Action } from './plan.ts';

const node: Node = { metadata: { name: 'n0' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const going: Node = { ...node, metadata: { name: 'n0', deletionTimestamp: '2026-01-01T00:00:00Z' } };
const pod = (name: string, phase = 'Running', more: Partial<NonNullable<Pod['status']>> = {}): Pod => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec: { nodeName: 'n0', containers: [{ name: 'main' }] },
  status: { phase, ...more },
});
const probes = [{ name: 'way#idle', containerName: 'main', probe: {} }];
const entry = (name: string): PodProbe => ({ name, namespace: 'shop', uid: `uid-${name}`, IP: '10.0.0.1', probes });
const result = (name: string, state: 'Succeeded' | 'Failed' = 'Succeeded'): PodProbeStatus => ({
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  probeStates: [{ name: 'way#idle', state }],
});
const list = (podProbes: readonly PodProbe[], podProbeStatuses: readonly PodProbeStatus[] = []): NodePodProbe => ({
  metadata: { name: 'n0' },
  spec: { podProbes },
  status: { podProbeStatuses },
});
const marker: PodProbeMarker = {
  metadata: { name: 'way', namespace: 'shop' },
  spec: { selector: {}, probes: [{ name: 'idle', containerName: 'main', probe: {}, podConditionType: 'Idle' }] },
};

interface Given {
  readonly list?: NodePodProbe;
  readonly node?: Node;
  readonly pods?: readonly Pod[];
}

const shown = (action: Action): string => `${action.kind}${action.kind === 'WriteResults' ? ` ${action.pod.metadata.name}` : ''}`;

function planned({ pods = [], list: held, node: of }: Given): readonly string[] {
  const at = new Map(deepFreeze(pods).map((one) => [keyOf(one).name, one]));
  const next = plan({
    name: 'n0',
    list: held === undefined ? undefined : deepFreeze(held),
    node: of,
    podAt: ({ name }) => at.get(name),
    markerAt: ({ name }) => (name === 'way' ? marker : undefined),
  });
  return [...next.list, ...next.results].map(shown);
}

describe('the work list of a node', () => {
  it.each<{ name: string; given: Given; then: readonly string[] }>([
    { name: 'is created for a node that is ready', given: { node }, then: ['CreateList'] },
    { name: 'is not created for a node that is being deleted', given: { node: going }, then: [] },
    { name: 'is deleted with its node', given: { list: list([]) }, then: ['DeleteList'] },
    { name: 'is deleted once its node is being deleted', given: { list: list([]), node: going }, then: ['DeleteList'] },
    { name: 'is left alone while its Pods run', given: { list: list([entry('a')]), node, pods: [pod('a')] }, then: [] },
    {
      name: 'loses the Pods that have ended',
      given: { list: list([entry('a'), entry('b')]), node, pods: [pod('a'), pod('b', 'Succeeded')] },
      then: ['DropEnded'],
    },
    {
      name: 'has its results written into each Pod that does not show them',
      given: {
        list: list([entry('a'), entry('b')], [result('a'), result('b')]),
        node,
        pods: [pod('a'), pod('b', 'Running', { conditions: [{ type: 'Idle', status: 'True' }] })],
      },
      then: ['WriteResults a'],
    },
    {
      name: 'has no result written that it does not ask for',
      given: { list: list([entry('a')], [result('b')]), node, pods: [pod('a'), pod('b')] },
      then: [],
    },
    {
      name: 'has no result written of a Pod that has ended, which leaves the list first',
      given: { list: list([entry('a')], [result('a')]), node, pods: [pod('a', 'Failed')] },
      then: ['DropEnded'],
    },
  ])('$name', ({ given, then }) => {
    expect(planned(given)).toEqual(then);
  });
});
