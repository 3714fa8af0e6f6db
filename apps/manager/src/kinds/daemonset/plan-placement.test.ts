/** Which nodes get a Pod and which Pods have no place any more. @see spec/daemonset.md 5.5 */
import { describe, expect, it } from '@jest/globals';
import { epoch } from '@kruise/testing';
import { planPlacement, type Placement } from '@kruise/kinds/daemonset';
import {
  momentOf,
  nodesTo,
  noExecute,
  noSchedule,
  now,
  onEach,
  plainly,
  type MemberShape,
  type Situation,
} from '@kruise/kinds/daemonset/situation.testing';
import { refusedFor } from '../../workloads/refusals/refused-objects.testing.ts';
import { aNode, type SetShape } from '@kruise/kinds/daemonset/testing';

interface Row {
  readonly name: string;
  readonly given: Situation;
  readonly then: readonly string[];
  readonly waits?: number;
}

function placementOf(given: Situation): { readonly placement: Placement; readonly reported: readonly string[] } {
  const { seen, sites, hash, revisions } = momentOf(given);
  const placement = planPlacement({ seen, sites, hash, now });
  const { creations, removals } = placement;
  const reported = [
    ...creations.map(({ node, because }) => `create on ${node}: ${because}`),
    ...removals.map(({ pod, because, failedOn }) => `delete ${pod.metadata.name}: ${because}${failedOn === undefined ? '' : ' !'}`),
  ];
  return { placement, reported: reported.map((text) => plainly(text, revisions)) };
}

const check = ({ given, then, waits }: Row): void => {
  const { placement, reported } = placementOf(given);
  expect([reported, placement.requeueAfter]).toEqual([then, waits]);
};

const later = (seconds: number): typeof epoch => (epoch + seconds * 1000) as typeof epoch;
const failed: MemberShape = { phase: 'Failed', ready: false };
const preparing: MemberShape = { state: 'PreparingDelete' };
const one = ['n1'];
const stays = [aNode('n1', { spec: noSchedule })];
const leaves = [aNode('n1', { spec: noExecute })];

describe('a node', () => {
  it.each<Row>([
    { name: 'gets a Pod where it should run and there is none', given: { nodes: one }, then: ['create on n1: node n1 has none'] },
    {
      name: 'comes by name, whatever the order in which nodes are listed',
      given: { nodes: ['n3', 'n1', 'n2'], pods: { n2: {} } },
      then: ['create on n1: node n1 has none', 'create on n3: node n3 has none'],
    },
    { name: 'needs nothing while one is there', given: { nodes: one, pods: { n1: {} } }, then: [] },
    { name: 'needs nothing while one waits for the scheduler', given: { nodes: one, pods: { n1: { waiting: true } } }, then: [] },
    {
      name: 'gets none while one is being deleted, because only the end of the object frees the place',
      given: { nodes: one, pods: { n1: { terminating: true } } },
      then: [],
    },
    { name: 'gets none while one that is not ready is there', given: { nodes: one, pods: { n1: { ready: false } } }, then: [] },
    { name: 'gets none while one that has succeeded is there', given: { nodes: one, pods: { n1: { phase: 'Succeeded' } } }, then: [] },
    { name: 'of another sort gets none', given: { nodes: leaves }, then: [] },
    { name: 'that only lets Pods stay keeps its own', given: { nodes: stays, pods: { n1: {} } }, then: [] },
    { name: 'that only lets Pods stay gets none', given: { nodes: stays }, then: [] },
    {
      name: 'that is none for it any more loses all that do not go yet',
      given: { nodes: leaves, pods: { n1: {}, 'n1-b': { terminating: true }, 'n1-c': { waiting: true } } },
      then: ['n1', 'n1-c'].map((pod) => `delete ${pod}: node n1 is no longer eligible`),
    },
    {
      name: 'that is deleted loses the Pods that wait for it; bound Pods are left to the garbage collector',
      given: { nodes: [], pods: { n1: { waiting: true }, n2: {}, n3: { waiting: true, terminating: true } } },
      then: ['delete n1: node n1, which it waits for, no longer exists'],
    },
  ])('$name', check);

  it('that is deleted loses a Pod with an empty nodeName', () => {
    const waits = { waiting: true, with: (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: '' } }) } satisfies MemberShape;
    expect(placementOf({ nodes: [], pods: { n1: waits } }).reported).toHaveLength(1);
  });
});

describe('a Pod that has failed', () => {
  it.each<Row>([
    {
      name: 'is deleted, and noted',
      given: { nodes: one, pods: { n1: failed } },
      then: ['delete n1: it has failed on node n1 !'],
    },
    { name: 'stays while the node has to wait', given: { nodes: one, pods: { n1: failed }, stays: { n1: 1500 } }, then: [], waits: 1500 },
    {
      name: 'waits for its own node alone, and the first that may go is looked for',
      given: { nodes: ['n1', 'n2', 'n3'], pods: onEach(3, failed), stays: { n1: 4000, n3: 2000 } },
      then: ['delete n2: it has failed on node n2 !'],
      waits: 2000,
    },
    {
      name: 'is left alone when it is already being deleted',
      given: { nodes: one, pods: { n1: { ...failed, terminating: true } } },
      then: [],
    },
    {
      name: 'is not one of two that run',
      given: { nodes: one, pods: { n1: failed, 'n1-b': {} } },
      then: ['delete n1: it has failed on node n1 !'],
    },
    {
      name: 'is deleted although its hook is pending, because the failure counts first',
      given: { nodes: one, pods: { n1: { ...failed, ...preparing } } },
      then: ['delete n1: it has failed on node n1 !'],
    },
    {
      name: 'is deleted immediately from a node that no longer fits',
      given: { nodes: leaves, pods: { n1: failed }, stays: { n1: 1500 } },
      then: ['delete n1: node n1 is no longer eligible'],
    },
    {
      name: 'is deleted from a node that only lets Pods stay',
      given: { nodes: stays, pods: { n1: failed } },
      then: ['delete n1: it has failed on node n1 !'],
    },
  ])('$name', check);
});

it('a Pod whose deletion is prepared goes through its hook again', () => {
  expect(placementOf({ nodes: one, pods: { n1: preparing } }).reported).toEqual(['delete n1: its deletion is prepared']);
});

describe('several Pods of a node', () => {
  const other = (pod: string, kept: string): string => `delete ${pod}: node n1 has another one, Pod ${kept}`;
  it.each<Row>([
    {
      name: 'one that is on it stays, before an older one that waits',
      given: { nodes: one, pods: { 'n1-a': { waiting: true }, 'n1-b': { createdAt: later(9) } } },
      then: [other('n1-a', 'n1-b')],
    },
    {
      name: 'the oldest stays, whatever its revision',
      given: { nodes: one, revisions: 2, pods: { 'n1-a': { createdAt: later(2) }, 'n1-b': { of: 1 }, 'n1-c': { createdAt: later(1) } } },
      then: [other('n1-c', 'n1-b'), other('n1-a', 'n1-b')],
    },
    {
      name: 'of the same age the first by name stays',
      given: { nodes: one, pods: { 'n1-b': {}, 'n1-a': {} } },
      then: [other('n1-b', 'n1-a')],
    },
    {
      name: 'one that is being deleted is not counted',
      given: { nodes: one, pods: { 'n1-a': { terminating: true }, 'n1-b': {} } },
      then: [],
    },
    {
      name: 'one whose deletion is prepared is not counted',
      given: { nodes: one, pods: { 'n1-a': preparing, 'n1-b': {} } },
      then: ['delete n1-a: its deletion is prepared'],
    },
    {
      name: 'a node that only lets Pods stay keeps one as well',
      given: { nodes: stays, pods: { 'n1-a': {}, 'n1-b': {} } },
      then: [other('n1-b', 'n1-a')],
    },
    {
      name: 'with OnDelete there is no pair, although maxSurge is left over',
      given: {
        nodes: one,
        revisions: 2,
        set: { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: 1 } } } },
        pods: { 'n1-a': { of: 1 }, 'n1-b': {} },
      },
      then: [other('n1-b', 'n1-a')],
    },
  ])('$name', check);
});

describe('while updates surge', () => {
  const surging = (minReadySeconds = 0): Situation => ({
    set: { rollingUpdate: { maxSurge: 1 }, spec: { minReadySeconds } },
    nodes: one,
    revisions: 2,
  });
  it.each<Row>([
    { name: 'an old Pod alone stays', given: { ...surging(), pods: { n1: { of: 1 } } }, then: [] },
    {
      name: 'a node gets a Pod while the last one is being deleted',
      given: { ...surging(), pods: { n1: { of: 1, terminating: true } } },
      then: ['create on n1: node n1 has none that stays'],
    },
    {
      name: 'a node gets a Pod while the deletion of the last one is prepared',
      given: { ...surging(), pods: { n1: { of: 1, ...preparing } } },
      then: ['create on n1: node n1 has none that stays', 'delete n1: its deletion is prepared'],
    },
    {
      name: 'a node that only lets Pods stay gets none',
      given: { ...surging(), nodes: stays, pods: { n1: { terminating: true } } },
      then: [],
    },
    {
      name: 'a new Pod that has to become ready runs beside the old one',
      given: { ...surging(), pods: { 'n1-a': { of: 1 }, 'n1-b': { ready: false } } },
      then: [],
    },
    {
      name: 'the old one is deleted once the new one is available',
      given: { ...surging(), pods: { 'n1-a': { of: 1 }, 'n1-b': {} } },
      then: ['delete n1-a: Pod n1-b has taken its place'],
    },
    {
      name: 'the old one stays until the new one has been ready for longer than minReadySeconds',
      given: { ...surging(10), pods: { 'n1-a': { of: 1 }, 'n1-b': { readyFor: 10 } } },
      then: [],
    },
    {
      name: 'the old one is deleted once it is not ready, in any state of the new one',
      given: { ...surging(), pods: { 'n1-a': { of: 1, ready: false }, 'n1-b': { ready: false } } },
      then: ['delete n1-a: Pod n1-b replaces it, and it is no longer ready'],
    },
    {
      name: 'the first of each revision stays',
      given: {
        ...surging(),
        pods: {
          'n1-a': { of: 1 },
          'n1-b': { ready: false },
          'n1-c': { createdAt: later(1) },
          'n1-d': { of: 1, createdAt: later(2) },
        },
      },
      then: ['n1-c', 'n1-d'].map((pod) => `delete ${pod}: node n1 has another one of its revision`),
    },
    {
      name: 'of two old ones the first stays',
      given: { ...surging(), pods: { 'n1-a': { of: 1 }, 'n1-b': { of: 1 } } },
      then: ['delete n1-b: node n1 has another one of its revision'],
    },
    {
      name: 'of two new ones the first stays',
      given: { ...surging(), pods: { 'n1-a': {}, 'n1-b': {} } },
      then: ['delete n1-b: node n1 has another one of its revision'],
    },
    {
      name: 'the place of a failed Pod is taken when it is deleted',
      given: { ...surging(), pods: { n1: failed } },
      then: ['create on n1: node n1 has none that stays', 'delete n1: it has failed on node n1 !'],
    },
    {
      name: 'a Pod that has failed and stays keeps the next one back, or there would be another one in every pass',
      given: { ...surging(), pods: { n1: failed }, stays: { n1: 2000 } },
      then: [],
      waits: 2000,
    },
    {
      name: 'it also keeps the next one back beside one that is being deleted',
      given: { ...surging(), pods: { n1: failed, 'n1-b': { terminating: true } }, stays: { n1: 2000 } },
      then: [],
      waits: 2000,
    },
    {
      name: 'a failed one that is being deleted keeps none back',
      given: { ...surging(), pods: { n1: { ...failed, terminating: true } }, stays: { n1: 2000 } },
      then: ['create on n1: node n1 has none that stays'],
    },
    {
      name: 'one that has not failed keeps none back, although the node has to wait',
      given: { ...surging(), pods: { n1: { terminating: true } }, stays: { n1: 2000 } },
      then: ['create on n1: node n1 has none that stays'],
    },
  ])('$name', check);
});

describe('creation within the partition', () => {
  const scaled = (partition: number | string | undefined, partitionedScaling = true): SetShape => ({
    rollingUpdate: { maxUnavailable: 1, ...(partition === undefined ? {} : { partition }) },
    spec: { scaleStrategy: { partitionedScaling } },
  });
  const createdOn = (given: Situation): readonly string[] => placementOf(given).placement.creations.map(({ node }) => node);

  it.each<{ name: string; given: Situation; then: readonly string[] }>([
    { name: 'keeps back as many as the partition says, the last by name', given: { set: scaled(1) }, then: ['n1', 'n2'] },
    { name: 'lets one be created, on the first node by name', given: { set: scaled(2) }, then: ['n1'] },
    { name: 'lets none be created with a partition of all nodes', given: { set: scaled(3) }, then: [] },
    { name: 'takes a greater one for all nodes', given: { set: scaled(30) }, then: [] },
    { name: 'takes a percentage of the eligible nodes, rounded down', given: { set: scaled('50%') }, then: ['n1', 'n2'] },
    { name: 'lets all be created with partition 0', given: { set: scaled(0) }, then: ['n1', 'n2', 'n3'] },
    {
      name: 'counts nothing with partition 0',
      given: { set: scaled(0), nodes: ['n1', aNode('n2', { spec: noSchedule })], pods: { n2: {} } },
      then: ['n1'],
    },
    { name: 'lets all be created without a partition', given: { set: scaled(undefined) }, then: ['n1', 'n2', 'n3'] },
    { name: 'lets all be created where it is not asked for', given: { set: scaled(2, false) }, then: ['n1', 'n2', 'n3'] },
    {
      name: 'lets all be created with OnDelete',
      given: { set: { type: 'OnDelete', spec: { scaleStrategy: { partitionedScaling: true } } } },
      then: ['n1', 'n2', 'n3'],
    },
    { name: 'counts new Pods that are there', given: { set: scaled(1), pods: { n3: {} } }, then: ['n1'] },
    { name: 'does not count old ones', given: { set: scaled(1), revisions: 2, pods: { n3: { of: 1 } } }, then: ['n1', 'n2'] },
    { name: 'does not count new ones that go', given: { set: scaled(2), pods: { n3: { terminating: true } } }, then: ['n1'] },
    {
      name: 'does not count a node with two new ones',
      given: { set: scaled(2), pods: { 'n3-a': {}, 'n3-b': {} } },
      then: ['n1'],
    },
    {
      name: 'counts a node with a new one and an old one',
      given: { set: scaled(2), revisions: 2, pods: { 'n3-a': {}, 'n3-b': { of: 1 } } },
      then: [],
    },
    {
      name: 'does not count a node with a new one and two old ones',
      given: { set: scaled(2), revisions: 2, pods: { 'n3-a': {}, 'n3-b': { of: 1 }, 'n3-c': { of: 1 } } },
      then: ['n1'],
    },
    {
      name: 'counts no node that is not to run the Pod',
      given: { set: scaled(1), nodes: ['n1', 'n2', aNode('n3', { spec: noExecute })] },
      then: ['n1'],
    },
    {
      name: 'does not count new ones on deleted nodes',
      given: { set: scaled(1), pods: { n8: {}, n9: {} } },
      then: ['n1', 'n2'],
    },
    {
      name: 'does not count a new one on a node that only keeps what it has',
      given: { set: scaled(1), nodes: ['n1', 'n2', aNode('n3', { spec: noSchedule })], pods: { n3: {} } },
      then: ['n1'],
    },
    {
      name: 'lets one be created on a node after one on which it is refused',
      given: { set: scaled(2), as: (seen) => ({ ...seen, refused: refusedFor('n1') }) },
      then: ['n2'],
    },
    {
      name: 'lets none be created when more are there than should',
      given: { set: scaled(2), nodes: nodesTo(4), pods: onEach(3) },
      then: [],
    },
  ])('$name', ({ given, then }) => {
    expect(createdOn(given)).toEqual(then);
  });
});
