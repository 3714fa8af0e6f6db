/** What a pass does about one marker. @see spec/podprobemarker.md 5.1 */
import { describe, expect, it } from '@jest/globals';
import { podProbeMarkerFinalizer, type NodePodProbe, type PodProbe, type PodProbeMarker } from '@kruise/api';
import { deepFreeze, type Pod } from '@kruise/objects';
import type { Action } from './action.ts';
import { plan, stagesOf, statusOf, type Plan, type Snapshot } from './plan.ts';

const probe = { exec: { command: ['true'] } };
const pod = (name: string, conditions: NonNullable<Pod['status']>['conditions'] = []): Pod => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec: { containers: [{ name: 'main' }] },
  status: { podIP: '10.0.0.1', conditions },
});
const share = (name: string, marker: string): PodProbe => ({
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  IP: '10.0.0.1',
  probes: [{ name: `${marker}#a`, containerName: 'main', probe }],
});
const list = (node: string, ...podProbes: readonly PodProbe[]): NodePodProbe => ({ metadata: { name: node }, spec: { podProbes } });

interface Given {
  readonly finalizers?: readonly string[];
  readonly going?: boolean;
  readonly probes?: PodProbeMarker['spec']['probes'];
  readonly byNode?: Readonly<Record<string, readonly Pod[]>>;
  readonly serverless?: readonly Pod[];
  readonly lists?: readonly NodePodProbe[];
  readonly marksServerless?: boolean;
}

const marking: PodProbeMarker['spec']['probes'] = [
  {
    name: 'a',
    containerName: 'main',
    probe,
    podConditionType: 'game',
    markerPolicy: [{ state: 'Succeeded', labels: { idle: 'yes' } }],
  },
];

function planned({ finalizers = [podProbeMarkerFinalizer], going = false, probes = marking, ...seen }: Given): Plan {
  const marker: PodProbeMarker = {
    metadata: { name: 'way', namespace: 'shop', finalizers, ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { selector: { matchLabels: { app: 'web' } }, probes },
  };
  const targets = { byNode: new Map(Object.entries(seen.byNode ?? {})), serverless: seen.serverless ?? [] };
  const snapshot: Snapshot = { marker, targets, lists: seen.lists ?? [], marksServerless: seen.marksServerless ?? true };
  return plan(deepFreeze(snapshot));
}

const reportOf = (action: Action): string => {
  switch (action.kind) {
    case 'UpdateList':
      return `${action.list.metadata.name}: ${action.pods.map(({ metadata }) => metadata.name).join()}`;
    case 'MarkServerlessPod':
      return `${action.pod.metadata.name}: ${JSON.stringify(action.patch)}`;
    default:
      return action.kind;
  }
};
const idle = [{ type: 'game', status: 'True' }];
const port = [{ name: 'a', containerName: 'main', probe: { tcpSocket: { port: 'none' } } }];

describe('a marker', () => {
  it.each<{
    name: string;
    given: Given;
    begin?: readonly string[];
    lists?: readonly string[];
    serverless?: readonly string[];
    end?: readonly string[];
    matched?: number | 'not told';
    unresolved?: Plan['unresolved'];
  }>([
    { name: 'that matches nothing needs nothing', given: {} },
    { name: 'gets its finalizer first', given: { finalizers: ['other'] }, begin: ['AddFinalizer'] },
    {
      name: 'has its Pods in the list of their node',
      given: { byNode: { n1: [pod('x'), pod('y')] }, lists: [list('n1')] },
      lists: ['n1: x,y'],
      matched: 2,
    },
    {
      name: 'leaves a list alone that has them',
      given: { byNode: { n1: [pod('x')] }, lists: [list('n1', share('x', 'way'))] },
      matched: 1,
    },
    { name: 'takes away what matches no more', given: { lists: [list('n1', share('x', 'way'))] }, lists: ['n1: '] },
    { name: 'leaves the shares of others', given: { lists: [list('n1', share('x', 'other'))] } },
    { name: 'takes a list without a spec for an empty one', given: { lists: [{ metadata: { name: 'n1' } } as NodePodProbe] } },
    {
      name: 'changes the lists of its nodes alone, in their order',
      given: {
        byNode: { n1: [pod('x')], n2: [pod('y')], n3: [pod('z')] },
        lists: [list('n3'), list('n1', share('x', 'way')), list('n2')],
      },
      lists: ['n3: z', 'n2: y'],
      matched: 3,
    },
    { name: 'counts Pods of nodes that have no list yet', given: { byNode: { n1: [pod('x')] } }, matched: 1 },
    {
      name: 'names the probes whose port is none of the Pod',
      given: { byNode: { n1: [pod('x')], n2: [pod('y')] }, lists: [list('n1'), list('n2')], probes: port },
      matched: 2,
      unresolved: [
        { pod: 'x', probe: 'a' },
        { pod: 'y', probe: 'a' },
      ],
    },
    {
      name: 'marks Pods without a daemon as their conditions say',
      given: { serverless: [pod('x', idle), pod('y')] },
      serverless: ['x: {"metadata":{"uid":"uid-x","labels":{"idle":"yes"}}}'],
      matched: 2,
    },
    { name: 'marks none of them without the gate', given: { serverless: [pod('x', idle)], marksServerless: false }, matched: 1 },
    {
      name: 'that is being deleted removes its shares, then its finalizer',
      given: { going: true, lists: [list('n1', share('x', 'way')), list('n2', share('y', 'other'))], byNode: { n1: [pod('x')] } },
      lists: ['n1: '],
      end: ['RemoveFinalizer'],
      matched: 'not told',
    },
    {
      name: 'that is being deleted marks nothing',
      given: { going: true, serverless: [pod('x', idle)] },
      end: ['RemoveFinalizer'],
      matched: 'not told',
    },
    {
      name: 'that is being deleted for others has nothing left to do',
      given: { going: true, finalizers: ['other'], lists: [list('n1', share('x', 'way'))] },
      matched: 'not told',
    },
  ])('$name', ({ given, begin = [], lists = [], serverless = [], end = [], matched = 0, unresolved = [] }) => {
    const { matchedPods, unresolved: ports, fullNodes, ...stages } = planned(given);
    expect(Object.fromEntries(Object.entries(stages).map(([stage, actions]) => [stage, actions.map(reportOf)]))).toEqual({
      begin,
      lists,
      serverless,
      end,
    });
    expect(matchedPods ?? 'not told').toBe(matched);
    expect(ports).toEqual(unresolved);
    expect(fullNodes).toEqual([]);
  });

  it('says why, with the numbers', () => {
    const { begin, lists, serverless } = planned({
      finalizers: [],
      byNode: { n1: [pod('x'), pod('y')] },
      lists: [list('n1')],
      serverless: [pod('z', idle)],
    });
    expect([...begin, ...lists, ...serverless].map(({ because }) => because)).toEqual([
      'its probes must be removed from the lists before it is deleted',
      '2 Pods of node n1 match the marker',
      'its labels and annotations do not match the results of its probes',
    ]);
    const going = planned({ going: true, lists: [list('n1', share('x', 'way'))] });
    expect([...going.lists, ...going.end].map(({ because }) => because)).toEqual([
      '0 Pods of node n1 are probed for the marker, which is being deleted',
      'no list contains probes of the marker',
    ]);
  });
});

describe('the status of a marker', () => {
  const marker: PodProbeMarker = {
    metadata: { name: 'way', generation: 2 },
    spec: { selector: {}, probes: [] },
    status: { observedGeneration: 2, matchedPods: 3 },
  };
  it.each<{ name: string; of: PodProbeMarker; matched: number | undefined; then: object }>([
    { name: 'is not written while it is the same', of: marker, matched: 3, then: {} },
    { name: 'counts no Pods where it names none', of: { ...marker, status: { observedGeneration: 2 } }, matched: 0, then: {} },
    { name: 'shows another number', of: marker, matched: 4, then: { status: { observedGeneration: 2, matchedPods: 4 } } },
    {
      name: 'shows the generation that was acted on',
      of: { ...marker, metadata: { name: 'way', generation: 5 } },
      matched: 3,
      then: { status: { observedGeneration: 5, matchedPods: 3 } },
    },
    { name: 'stays as it is for a marker that is being deleted', of: marker, matched: undefined, then: {} },
  ])('$name', ({ of, matched, then }) => {
    expect(statusOf(of, matched)).toEqual(then);
  });
});

it('a marker keeps its finalizer while a list could not be changed', () => {
  const stages = stagesOf(planned({ going: true, lists: [list('n1', share('x', 'way'))] }));
  expect(stages.find(({ actions }) => actions.some(({ kind }) => kind === 'RemoveFinalizer'))?.needs).toContain('lists');
});
