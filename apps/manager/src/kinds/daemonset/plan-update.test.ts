/** Which Pods of the chosen nodes are updated now, and how. @see spec/daemonset.md 5.6 steps 4 and 5 */
import { describe, expect, it } from '@jest/globals';
import type { ControllerRevision, Pod } from '@kruise/objects';
import { chooseNodes, planUpdate, type UpdatePlan, burstOf, workloadOf } from '@kruise/kinds/daemonset';
import {
  aRevision,
  hashOf,
  momentOf,
  noSchedule,
  nodesTo,
  onEach,
  plainly,
  type MemberShape,
  type Members,
  type Situation,
} from '@kruise/kinds/daemonset/situation.testing';
import { refusedFor } from '../../workloads/refusals/refused-objects.testing.ts';
import { aNode, type SetShape } from '@kruise/kinds/daemonset/testing';

function updateOf(given: Situation, burst?: number): { readonly next: UpdatePlan; readonly revisions: readonly ControllerRevision[] } {
  const { seen, sites, hash, context, revisions } = momentOf({ revisions: 2, ...given });
  const { set } = seen;
  const next = planUpdate({
    set,
    nodes: chooseNodes(set, sites, hash, false),
    busy: new Set(),
    refused: seen.refused,
    desired: sites.desired,
    update: revisions.at(-1) ?? aRevision(1),
    workload: workloadOf(seen, hash, context),
    burst: burst ?? burstOf(set, sites.desired),
  });
  return { next, revisions };
}

const reportOf = (given: Situation, burst?: number): readonly string[] => {
  const { inPlace, removals, creations } = updateOf(given, burst).next;
  return [
    ...inPlace.map(({ kind, pod }) => `${kind} ${pod.metadata.name}`),
    ...removals.map(({ pod }) => `delete ${pod.metadata.name}`),
    ...creations.map(({ node }) => `create on ${node}`),
  ];
};

interface Row {
  readonly name: string;
  readonly given: Situation;
  readonly burst?: number;
  readonly then: readonly string[];
}
const check = ({ given, burst, then }: Row): void => expect(reportOf(given, burst)).toEqual(then);

const old: MemberShape = { of: 1 };
const broken: MemberShape = { of: 1, ready: false };
const going: MemberShape = { of: 1, terminating: true };
const preparing: MemberShape = { of: 1, state: 'PreparingDelete' };
/** Its containers are ready, but it is not. */
const held = (inPlaceReady: 'True' | 'False'): MemberShape => ({
  of: 1,
  with: (pod) => withConditions(pod, { ContainersReady: 'True', Ready: 'False', InPlaceUpdateReady: inPlaceReady }),
});
/** An update in place has taken it out of service. */
const out = held('False');
/** It was put back after that. */
const back = held('True');
const unready: MemberShape = { ready: false };
const upTo = (maxUnavailable: number | string, minReadySeconds = 0): SetShape => ({
  rollingUpdate: { maxUnavailable },
  spec: { minReadySeconds },
});

describe('without surge', () => {
  it.each<Row>([
    { name: 'the first of the nodes is updated, in descending order of names', given: { pods: onEach(3, old) }, then: ['delete n3'] },
    { name: 'as many as maxUnavailable', given: { set: upTo(2), pods: onEach(3, old) }, then: ['delete n3', 'delete n2'] },
    {
      name: 'a percentage of the nodes that are to run the Pod, rounded up',
      given: { set: upTo('34%'), pods: onEach(3, old) },
      then: ['delete n3', 'delete n2'],
    },
    { name: 'nothing where all are updated', given: { pods: onEach(3) }, then: [] },
    { name: 'the next once the one before is available', given: { pods: onEach(2, old, { n3: {} }) }, then: ['delete n2'] },
    { name: 'none while the new one is not available', given: { pods: onEach(2, old, { n3: unready }) }, then: [] },
    {
      name: 'none while the new one has been ready for exactly minReadySeconds',
      given: { set: upTo(1, 10), pods: onEach(2, old, { n3: { readyFor: 10 } }) },
      then: [],
    },
    {
      name: 'the next once it has been ready for longer',
      given: { set: upTo(1, 10), pods: onEach(2, old, { n3: { readyFor: 11 } }) },
      then: ['delete n2'],
    },
    { name: 'none while the old one is being deleted', given: { pods: onEach(2, old, { n3: going }) }, then: [] },
    { name: 'none while a node has none', given: { pods: onEach(2, old) }, then: [] },
    { name: 'none while a new one is being deleted', given: { pods: onEach(2, old, { n3: { terminating: true } }) }, then: [] },
    {
      name: 'none while the deletion of an old one is prepared: exactly one at a time',
      given: { pods: onEach(2, old, { n3: preparing }) },
      then: [],
    },
    {
      name: 'a second one beside an old one whose deletion is prepared, where two may be unavailable',
      given: { set: upTo(2), pods: onEach(2, old, { n3: preparing }) },
      then: ['delete n2'],
    },
    {
      name: 'none while the deletion of a new one is prepared and nothing else is there',
      given: { pods: onEach(2, old, { n3: { state: 'PreparingDelete' } }) },
      then: [],
    },
    { name: 'none while a node has two old ones', given: { pods: onEach(3, old, { 'n3-b': old }) }, then: [] },
    { name: 'none while a node has two new ones', given: { pods: onEach(2, old, { n3: {}, 'n3-b': {} }) }, then: [] },
    { name: 'none while a node has an old and a new one', given: { pods: onEach(2, old, { n3: old, 'n3-b': {} }) }, then: [] },
    {
      name: 'a new one beside an old one whose deletion is prepared counts by itself',
      given: { pods: onEach(2, old, { n3: preparing, 'n3-b': {} }) },
      then: ['delete n2'],
    },
    {
      name: 'not when it is not available',
      given: { pods: onEach(2, old, { n3: preparing, 'n3-b': unready }) },
      then: [],
    },
    {
      name: 'a new one whose deletion is prepared beside an old one takes one',
      given: { set: upTo(2), pods: onEach(2, old, { n3: old, 'n3-b': { state: 'PreparingDelete' } }) },
      then: ['delete n2'],
    },
    {
      name: 'and one more when it is not available',
      given: { set: upTo(2), pods: onEach(2, old, { n3: old, 'n3-b': { state: 'PreparingDelete', ready: false } }) },
      then: [],
    },
    {
      name: 'a third is left then',
      given: { set: upTo(3), pods: onEach(2, old, { n3: old, 'n3-b': { state: 'PreparingDelete', ready: false } }) },
      then: ['delete n2'],
    },
    {
      name: 'old ones that are not available are replaced without any budget',
      given: { pods: onEach(3, broken) },
      then: ['delete n3', 'delete n2', 'delete n1'],
    },
    {
      name: 'they use none up, and come first',
      given: { pods: onEach(1, broken, { n2: old, n3: old }) },
      then: ['delete n1', 'delete n3'],
    },
    {
      name: 'they are replaced although the budget is used up',
      given: { pods: onEach(1, broken, { n2: old, n3: unready }) },
      then: ['delete n1'],
    },
    {
      name: 'those that wait for minReadySeconds are not available either, as in an update during an update',
      given: { set: upTo(1, 60), pods: onEach(3, { of: 1, readyFor: 30 }) },
      then: ['delete n3', 'delete n2', 'delete n1'],
    },
    {
      name: 'the budget is compared after all nodes were looked at',
      given: { pods: onEach(2, old, { n3: old, 'n1-b': {} }) },
      then: [],
    },
    {
      name: 'budget that is used up more than it should be lets none go',
      given: { set: upTo(1), pods: onEach(1, old, { n2: unready, n3: unready }) },
      then: [],
    },
    {
      name: 'those on which it was refused come after the others, the last refused one last',
      given: { set: upTo(3), nodes: nodesTo(4), pods: onEach(4, old), as: (seen) => ({ ...seen, refused: refusedFor('n3', 'n4') }) },
      then: ['delete n2', 'delete n1', 'delete n3'],
    },
    { name: 'Pods without a hash are old', given: { pods: onEach(3, { of: 0 }) }, then: ['delete n3'] },
  ])('$name', check);
});

describe('in place', () => {
  const inPlace = (maxUnavailable: number | string = 1, spec: object = {}): SetShape => ({
    rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable },
    spec,
  });
  it.each<Row>([
    { name: 'where the difference allows it', given: { set: inPlace(), pods: onEach(3, old) }, then: ['UpdatePodInPlace n3'] },
    { name: 'within the budget', given: { set: inPlace(2), pods: onEach(3, old) }, then: ['UpdatePodInPlace n3', 'UpdatePodInPlace n2'] },
    { name: 'only for InPlaceIfPossible', given: { pods: onEach(3, old) }, then: ['delete n3'] },
    {
      name: 'not for a Pod without the readiness gate, as after a change from Standard',
      given: { set: inPlace(), pods: onEach(3, { of: 1, gate: false }) },
      then: ['delete n3'],
    },
    {
      name: 'not for a Pod whose revision is deleted',
      given: { set: inPlace(), pods: onEach(3, { of: 0, labels: { 'controller-revision-hash': 'gone' } }) },
      then: ['delete n3'],
    },
    {
      name: 'Pods that are not available as well, without any budget',
      given: { set: inPlace(), pods: onEach(2, broken, { n3: old }) },
      then: ['UpdatePodInPlace n2', 'UpdatePodInPlace n1', 'UpdatePodInPlace n3'],
    },
    {
      name: 'an old one that an update has taken out of service continues, and uses up budget',
      given: { set: inPlace(), nodes: nodesTo(2), pods: onEach(2, old, { n2: out }) },
      then: ['UpdatePodInPlace n2'],
    },
    {
      name: 'one that was put back uses it up until the kubelet says that it is ready',
      given: { set: inPlace(2), pods: onEach(3, old, { n3: back }) },
      then: ['UpdatePodInPlace n3', 'UpdatePodInPlace n2'],
    },
    {
      name: 'and until it has been ready for longer than minReadySeconds',
      given: { set: inPlace(2, { minReadySeconds: 60 }), pods: onEach(3, old, { n3: { of: 1, readyFor: 30 } }) },
      then: ['UpdatePodInPlace n3', 'UpdatePodInPlace n2'],
    },
    {
      name: 'one that is out of service on a node that is not updated any more uses up budget',
      given: {
        set: {
          rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1, selector: { matchLabels: { tier: 'canary' } } },
        },
        nodes: [aNode('n1', { labels: { tier: 'canary' } }), 'n2'],
        pods: { n1: old, n2: out },
      },
      then: [],
    },
    {
      name: 'one whose containers are not ready uses none up, although its gates are open',
      given: { set: inPlace(), nodes: nodesTo(2), pods: onEach(2, old, { n2: broken }) },
      then: ['UpdatePodInPlace n2', 'UpdatePodInPlace n1'],
    },
    {
      name: 'up to the burst',
      given: { set: inPlace('100%'), pods: onEach(3, old) },
      burst: 2,
      then: ['UpdatePodInPlace n3', 'UpdatePodInPlace n2'],
    },
    { name: 'none with a burst of 0', given: { set: inPlace('100%'), pods: onEach(3, old) }, burst: 0, then: [] },
    {
      name: 'the burst does not limit Pods that are recreated',
      given: { set: inPlace('100%'), pods: onEach(1, old, { n2: { of: 1, gate: false }, n3: old }) },
      burst: 1,
      then: ['UpdatePodInPlace n3', 'delete n2'],
    },
    {
      name: 'not when more than the image differs',
      given: {
        set: inPlace(),
        pods: onEach(3, old),
        as: (seen) => ({ ...seen, revisions: seen.revisions.map((one) => (one.revision === 1 ? withOtherNetwork(one) : one)) }),
      },
      then: ['delete n3'],
    },
  ])('$name', check);

  it('gives the reason with the numbers', () => {
    const becauseOf = (given: Situation): readonly string[] => {
      const { next, revisions } = updateOf(given);
      return [...next.inPlace, ...next.removals].map(({ because }) => plainly(because, revisions));
    };
    const working = 'it must be updated to revision r2: of 2 Pods that wait for it, 1 may be replaced now';
    const useless =
      'it must be updated to revision r2, and is not available anyway, so that the limit on unavailable Pods does not keep it';
    expect(becauseOf({ set: inPlace(), pods: onEach(2, old, { n3: broken }) })).toEqual([useless, working]);
    expect(becauseOf({ pods: onEach(2, old, { n3: broken }) })).toEqual([
      `${useless}; not in place: the update policy is ReCreate`,
      `${working}; not in place: the update policy is ReCreate`,
    ]);
    expect(becauseOf({ set: inPlace(), pods: onEach(2, { of: 1, gate: false }, { n3: { of: 1, gate: false, ready: false } }) })).toEqual([
      `${useless}; not in place: it lacks the readiness gate`,
      `${working}; not in place: it lacks the readiness gate`,
    ]);
    expect(becauseOf({ set: inPlace(), pods: onEach(1, broken, { n2: old, n3: unready }) })).toEqual([useless]);
  });

  it('says how many may be replaced in addition to the missing ones', () => {
    const { next } = updateOf({ set: inPlace(3), pods: onEach(2, old, { n3: unready }) });
    expect(next.inPlace.map(({ because }) => because.replace(/.*: /, ''))).toEqual(
      Array.from({ length: 2 }, () => 'of 2 Pods that wait for it, 2 may be replaced now'),
    );
  });

  it('carries what the engine found to change, to the hash of the revision', () => {
    const { next, revisions } = updateOf({ set: inPlace(), pods: onEach(3, old) });
    expect(next.inPlace).toMatchObject([
      { kind: 'UpdatePodInPlace', spec: { revision: hashOf(revisions[1] ?? aRevision(2)), containerImages: { main: 'app:2' } } },
    ]);
    expect(next.inPlace[0]).not.toHaveProperty('spec.graceSeconds');
  });
});

describe('with surge', () => {
  const surging = (maxSurge: number | string, minReadySeconds = 0): SetShape => ({
    rollingUpdate: { maxSurge, maxUnavailable: 0 },
    spec: { minReadySeconds },
  });
  const pair = (node: string, fresh: MemberShape = {}): Members => ({ [node]: old, [`${node}-b`]: fresh });
  it.each<Row>([
    { name: 'a new Pod comes beside the first old one', given: { set: surging(1), pods: onEach(3, old) }, then: ['create on n3'] },
    { name: 'as many as maxSurge', given: { set: surging(2), pods: onEach(3, old) }, then: ['create on n3', 'create on n2'] },
    { name: 'a percentage rounded up', given: { set: surging('34%'), pods: onEach(3, old) }, then: ['create on n3', 'create on n2'] },
    {
      name: 'all with 100%',
      given: { set: surging('100%'), pods: onEach(3, old) },
      then: ['create on n3', 'create on n2', 'create on n1'],
    },
    { name: 'nothing where all are updated', given: { set: surging(1), pods: onEach(3) }, then: [] },
    {
      name: 'none while a new one beside an old one is not available',
      given: { set: surging(1), pods: onEach(2, old, pair('n3', unready)) },
      then: [],
    },
    {
      name: 'none while it has been ready for exactly minReadySeconds',
      given: { set: surging(1, 10), pods: onEach(2, old, pair('n3', { readyFor: 10 })) },
      then: [],
    },
    {
      name: 'none while its deletion is prepared, although it is ready',
      given: { set: surging(1), pods: onEach(2, old, pair('n3', { state: 'PreparingDelete' })) },
      then: [],
    },
    {
      name: 'the old one is deleted once the new one is available, and its place is free',
      given: { set: surging(1), pods: onEach(2, old, pair('n3')) },
      then: ['delete n3', 'create on n2'],
    },
    {
      name: 'an old one whose deletion is prepared takes no place, and nothing is done about it',
      given: { set: surging(1), pods: onEach(2, old, { n3: preparing }) },
      then: ['create on n2'],
    },
    {
      name: 'nor does a node whose new Pod alone is not available',
      given: { set: surging(1), pods: onEach(2, old, { n3: unready }) },
      then: ['create on n2'],
    },
    { name: 'nor does a node without any', given: { set: surging(1), pods: onEach(2, old) }, then: ['create on n2'] },
    {
      name: 'an old one whose deletion is prepared stays beside an available new one',
      given: { set: surging(1), pods: onEach(2, old, { n3: preparing, 'n3-b': {} }) },
      then: ['create on n2'],
    },
    {
      name: 'a node that only keeps what it has gets no new Pod, and takes no place',
      given: { set: surging(1), nodes: ['n1', aNode('n2', { spec: noSchedule })], pods: onEach(2, old) },
      then: ['create on n1'],
    },
    { name: 'a node with two old ones takes a place', given: { set: surging(1), pods: onEach(3, old, { 'n3-b': old }) }, then: [] },
    {
      name: 'a node with two new ones takes a place, and its old one stays',
      given: { set: surging(1), pods: onEach(2, old, { n3: old, 'n3-b': {}, 'n3-c': {} }) },
      then: [],
    },
    {
      name: 'old ones that are not available get a new one at once, whatever the limit',
      given: { set: surging(1), pods: onEach(3, broken) },
      then: ['create on n3', 'create on n2', 'create on n1'],
    },
    {
      name: 'they take no place',
      given: { set: surging(1), pods: onEach(2, old, { n3: broken }) },
      then: ['create on n3', 'create on n2'],
    },
    {
      name: 'nothing is updated in place',
      given: {
        set: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0, rollingUpdateType: 'InPlaceIfPossible' } },
        pods: onEach(3, old),
      },
      then: ['create on n3'],
    },
  ])('$name', check);

  it('gives the reason with the numbers', () => {
    const { next, revisions } = updateOf({ set: surging(1), pods: onEach(2, old, { n1: broken, ...pair('n3') }) });
    const reported = [...next.removals, ...next.creations].map(({ because }) => plainly(because, revisions));
    expect(reported).toEqual([
      'Pod n3-b has taken its place',
      'takes the place of Pod n1: it must be updated to revision r2, and is not available anyway, so that the limit on unavailable Pods does not keep it',
      'takes the place of Pod n2: it must be updated to revision r2: of 1 Pods that wait for it, 1 may be replaced now',
    ]);
  });
});

/** The revision with another member of the Pod's spec, under the same name. */
function withOtherNetwork(revision: ControllerRevision): ControllerRevision {
  const { spec } = revision.data as { readonly spec: { readonly template: { readonly spec: object } } };
  return { ...revision, data: { spec: { template: { ...spec.template, spec: { ...spec.template.spec, hostNetwork: true } } } } };
}

function withConditions(pod: Pod, statuses: Readonly<Record<string, 'True' | 'False'>>): Pod {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => statuses[type] === undefined);
  return {
    ...pod,
    status: { ...pod.status, conditions: [...others, ...Object.entries(statuses).map(([type, status]) => ({ type, status }))] },
  };
}
