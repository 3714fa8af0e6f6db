/** The status, counted over nodes. @see spec/daemonset.md 5.11, 2.2 */
import { describe, expect, it } from '@jest/globals';
import type { DaemonSet, DaemonSetStatus } from '@kruise/api';
import { momentOf, noExecute, noSchedule, now, onEach, type MemberShape, type Situation } from './situation.testing.ts';
import { computeStatus, heldStatus, isStatusChanged, withoutUpdateRevision, type StatusResult } from './status.ts';
import { aDaemonSet, aNode } from './testing.ts';

function countedIn(given: Situation): StatusResult & { readonly hash: string; readonly set: DaemonSet } {
  const { seen, sites, hash } = momentOf(given);
  return { ...computeStatus(seen.set, { sites, pods: seen.pods, hash }, now), hash, set: seen.set };
}

/** In the order of printer columns; `misscheduled` and `unavailable` where there are any. */
function summaryOf({ status }: StatusResult): string {
  const counters = [
    status.desiredNumberScheduled,
    status.currentNumberScheduled,
    status.numberReady,
    status.updatedNumberScheduled,
    status.numberAvailable ?? 0,
  ];
  const { numberMisscheduled, numberUnavailable } = status;
  return [
    counters.join(' '),
    numberMisscheduled === 0 ? '' : `, misscheduled ${numberMisscheduled}`,
    numberUnavailable === undefined ? '' : `, unavailable ${numberUnavailable}`,
  ].join('');
}

const old: MemberShape = { of: 1 };
const blocked = (status: string): MemberShape => ({
  with: (pod) => ({
    ...pod,
    status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []).slice(1), { type: 'InPlaceUpdateReady', status }] },
  }),
});

describe('desired, current, ready, updated, available', () => {
  it.each<{ name: string; given: Situation; then: string }>([
    { name: 'count nodes with a Pod that is ready', given: { pods: onEach(3) }, then: '3 3 3 3 3' },
    { name: 'count every eligible node, also without a Pod', given: { pods: { n1: {} } }, then: '3 1 1 1 1, unavailable 2' },
    { name: 'are all 0 without a node', given: { nodes: [] }, then: '0 0 0 0 0' },
    {
      name: 'count a Pod that is not ready as current',
      given: { pods: onEach(2, {}, { n3: { ready: false } }) },
      then: '3 3 2 3 2, unavailable 1',
    },
    { name: 'count old Pods as not updated', given: { revisions: 2, pods: onEach(2, old, { n3: {} }) }, then: '3 3 3 1 3' },
    {
      name: 'count a Pod as available once it has been ready for longer than minReadySeconds',
      given: { set: { spec: { minReadySeconds: 10 } }, pods: onEach(2, { readyFor: 10 }, { n3: { readyFor: 11 } }) },
      then: '3 3 3 3 1, unavailable 2',
    },
    {
      name: 'count a Pod in the middle of an update in place as ready but not available',
      given: { nodes: ['n1', 'n2'], pods: { n1: blocked('False'), n2: {} } },
      then: '2 2 2 2 1, unavailable 1',
    },
    { name: 'count a Pod that is being deleted', given: { nodes: ['n1'], pods: { n1: { terminating: true } } }, then: '1 1 1 1 1' },
    {
      name: 'look at the first Pod of a node alone: during surge mostly the old one',
      given: { nodes: ['n1'], revisions: 2, pods: { 'n1-a': old, 'n1-b': { ready: false } } },
      then: '1 1 1 0 1',
    },
    {
      name: 'look at the one that is on the node before one that waits',
      given: { nodes: ['n1'], revisions: 2, pods: { 'n1-a': { ...old, waiting: true }, 'n1-b': {} } },
      then: '1 1 1 1 1',
    },
    {
      name: 'do not count Pods of nodes that are not to have one: they are misscheduled',
      given: { nodes: ['n1', aNode('n2', { spec: noSchedule }), aNode('n3', { spec: noExecute })], pods: onEach(3) },
      then: '1 1 1 1 1, misscheduled 2',
    },
    {
      name: 'do not count such nodes without a Pod',
      given: { nodes: ['n1', aNode('n2', { spec: noExecute })], pods: { n1: {} } },
      then: '1 1 1 1 1',
    },
    {
      name: 'do not count Pods of deleted nodes',
      given: { nodes: ['n1'], pods: onEach(2, {}, { n3: { waiting: true } }) },
      then: '1 1 1 1 1',
    },
  ])('$name', ({ given, then }) => {
    expect(summaryOf(countedIn(given))).toBe(then);
  });
});

describe('the status', () => {
  it('names the short hash of the update revision, and the generation', () => {
    const { status, hash } = countedIn({ pods: onEach(3), revisions: 2 });
    expect(status).toStrictEqual({
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 3,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
      observedGeneration: 1,
      updateRevision: hash,
    });
  });

  it('carries the five counters that must be there even when they are 0, and omits the others', () => {
    const { status, hash } = countedIn({ nodes: [] });
    expect(status).toStrictEqual({
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
      updatedNumberScheduled: 0,
      observedGeneration: 1,
      updateRevision: hash,
    });
  });

  it('keeps what it does not count', () => {
    const condition = { type: 'Blocked', status: 'True', reason: 'Paused' } as const;
    const held = { ...heldStatus(aDaemonSet()), collisionCount: 2, conditions: [condition], numberUnavailable: 9 };
    expect(countedIn({ set: { status: held }, pods: onEach(3) }).status).toMatchObject({ collisionCount: 2, conditions: [condition] });
    expect(countedIn({ set: { status: held }, pods: onEach(3) }).status).not.toHaveProperty('numberUnavailable');
    expect(countedIn({ set: { status: { ...held, collisionCount: 0 } } }).status).not.toHaveProperty('collisionCount');
  });

  it('is of generation 0 for an object without one', () => {
    const { seen, sites, hash } = momentOf({});
    const { generation: _generation, ...metadata } = seen.set.metadata;
    expect(computeStatus({ ...seen.set, metadata }, { sites, pods: [], hash }, now).status.observedGeneration).toBe(0);
  });

  it('is looked at again when time alone makes a Pod available, also one that is not the first of its node', () => {
    const set = { spec: { minReadySeconds: 10 } };
    expect(countedIn({ set, pods: onEach(3, { readyFor: 4 }) }).requeueAfter).toBe(6050);
    expect(countedIn({ set, revisions: 2, nodes: ['n1'], pods: { 'n1-a': old, 'n1-b': { readyFor: 7 } } }).requeueAfter).toBe(3050);
    expect(countedIn({ set, pods: onEach(3) })).not.toHaveProperty('requeueAfter');
  });
});

describe('the status of a pass whose revision could not be written', () => {
  const held: DaemonSetStatus = {
    ...heldStatus(aDaemonSet()),
    numberReady: 1,
    updatedNumberScheduled: 2,
    updateRevision: 'before',
    observedGeneration: 7,
  };
  it('counts nodes, but the spec does not count as observed', () => {
    const { status, set } = countedIn({ set: { status: held }, pods: onEach(3) });
    expect(withoutUpdateRevision(set, status)).toStrictEqual({
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 3,
      updateRevision: 'before',
      observedGeneration: 7,
    });
  });

  it('names neither revision nor generation when there was none before', () => {
    const { status, set } = countedIn({ pods: onEach(3) });
    expect(Object.keys(withoutUpdateRevision(set, status)).toSorted()).toEqual([
      'currentNumberScheduled',
      'desiredNumberScheduled',
      'numberAvailable',
      'numberMisscheduled',
      'numberReady',
      'updatedNumberScheduled',
    ]);
    expect(withoutUpdateRevision(set, status).updatedNumberScheduled).toBe(0);
  });
});

describe('the status is written', () => {
  const { status, set: unwritten } = countedIn({ pods: onEach(3) });
  const written = (held: DaemonSetStatus): DaemonSet => ({ ...unwritten, status: held });
  it.each<[name: string, set: DaemonSet, expected: boolean]>([
    ['the first time', unwritten, true],
    ['not when nothing differs', written(status), false],
    ['not when a counter is 0 where it may be left out', written({ ...status, numberUnavailable: 0, collisionCount: 0 }), false],
    ['when a counter differs', written({ ...status, numberReady: 2 }), true],
    ['when the generation is another one', written({ ...status, observedGeneration: 0 }), true],
    ['when it lacks what is new', written(heldStatus(aDaemonSet())), true],
  ])('%s', (_name, set, expected) => {
    expect(isStatusChanged(set, status)).toBe(expected);
  });
});

it('the status of one that has none has the counters that must be there', () => {
  expect(heldStatus(aDaemonSet())).toEqual({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
    updatedNumberScheduled: 0,
  });
});
