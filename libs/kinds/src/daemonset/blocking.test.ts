/** What prevents progress, in words: faults before hooks before what the user requested. @see docs/decisions/blocked-condition.md */
import { describe, expect, it } from '@jest/globals';
import type { Node, Pod, PodCondition } from '@kruise/objects';
import { findBlocking, type Blocking } from './blocking.ts';
import { ago, momentOf, now, onEach, planned, type MemberShape, type Situation } from './situation.testing.ts';
import { computeStatus } from './status.ts';
import { aNode } from './testing.ts';

interface Given extends Situation {
  readonly hasWork?: boolean;
  readonly kept?: number;
}

function blockingOf({ hasWork = false, kept = 0, ...given }: Given): Blocking {
  const { seen, sites, hash, context } = momentOf(given);
  const { set, pods } = seen;
  const { status } = computeStatus(set, { sites, pods, hash }, now);
  return findBlocking({ set, sites, pods, status, hasWork, kept }, context);
}
const reportOf = (given: Given): string | undefined => {
  const { cause } = blockingOf(given);
  return cause && `${cause.reason}: ${cause.message}`;
};

const old: MemberShape = { of: 1 };
const withStatus =
  (status: Pod['status']) =>
  (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, ...status } });
const withCondition = (condition: PodCondition): MemberShape => ({
  ready: false,
  with: (pod) => withStatus({ conditions: [...(pod.status?.conditions ?? []), condition] })(pod),
});
const failed = (status: Pod['status'] = {}): MemberShape => ({ phase: 'Failed', ready: false, with: withStatus(status) });
const pulling: MemberShape = {
  ready: false,
  with: withStatus({
    containerStatuses: [
      { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason: 'ErrImagePull' } } },
    ],
  }),
};
const homeless: MemberShape = { ...withCondition({ type: 'PodScheduled', status: 'False', message: 'no room' }), waiting: true };
const silent: Node = { ...aNode('n1'), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
const hook = { lifecycle: { preDelete: { labelsHandler: { hold: 'yes' } } } };
const hooked: MemberShape = { state: 'PreparingDelete', labels: { hold: 'yes' } };
const cannotPull = (pod: string) => `ImageCannotBePulled: container main of Pod ${pod} cannot pull image app:1`;

describe('a DaemonSet is blocked', () => {
  it.each<{ name: string; given: Given; then: string | undefined }>([
    { name: 'by nothing while all is well', given: { pods: onEach(3) }, then: undefined },
    { name: 'by a container that cannot start', given: { pods: { n1: pulling } }, then: cannotPull('n1') },
    {
      name: 'by a Pod that cannot be scheduled',
      given: { pods: { n1: homeless } },
      then: 'Unschedulable: Pod n1 cannot be scheduled: no room',
    },
    {
      name: 'by a Pod that has failed, with reason and message',
      given: { pods: { n1: failed({ reason: 'OutOfcpu', message: 'too small' }) } },
      then: 'PodFails: Pod n1 has failed (OutOfcpu: too small); the controller replaces it after a delay',
    },
    {
      name: 'by a Pod that has failed, with the message alone',
      given: { pods: { n1: failed({ reason: '', message: 'too small' }) } },
      then: 'PodFails: Pod n1 has failed (too small); the controller replaces it after a delay',
    },
    {
      name: 'by a Pod that has failed without a word',
      given: { pods: { n1: failed() } },
      then: 'PodFails: Pod n1 has failed; the controller replaces it after a delay',
    },
    {
      name: 'not by a failed one that is being deleted',
      given: { pods: { n1: { ...failed({ conditions: [] }), terminating: true } } },
      then: undefined,
    },
    {
      name: 'by a node that does not report',
      given: { nodes: [silent], pods: { n1: { ready: false } } },
      then: 'NodeLost: node n1 of Pod n1 no longer reports; restore the node, or delete its Node object after it is shut down',
    },
    {
      name: 'not by a node that does not report while its Pod is available',
      given: { nodes: [silent], pods: { n1: {} } },
      then: undefined,
    },
    { name: 'not by a deleted node', given: { nodes: [], pods: { n1: { ready: false, readyFor: 1 } } }, then: undefined },
    {
      name: 'by a hook',
      given: { set: { spec: hook }, pods: { n1: hooked } },
      then: 'WaitingForHook: Pod n1 is held in PreparingDelete by label hold=yes',
    },
    { name: 'not by a hook that has let go', given: { set: { spec: hook }, pods: { n1: { state: 'PreparingDelete' } } }, then: undefined },
    {
      name: 'not by a hook whose Pod is not to be deleted',
      given: { set: { spec: hook }, pods: { n1: { labels: { hold: 'yes' } } } },
      then: undefined,
    },
    {
      name: 'not by a preNormal hook, which is accepted and ignored',
      given: {
        set: { spec: { lifecycle: { preNormal: { labelsHandler: { hold: 'yes' } } } } },
        pods: { n1: { state: 'PreparingNormal' } },
      },
      then: undefined,
    },
    {
      name: 'by a burst of 0 when there is something to do',
      given: { set: { spec: { burstReplicas: 0 } }, hasWork: true },
      then: 'ScaleLimited: burstReplicas is 0, so no Pod is created, deleted or updated',
    },
    {
      name: 'by a burst that cannot be read',
      given: { set: { spec: { burstReplicas: 'many' } }, hasWork: true },
      then: 'ScaleLimited: spec.burstReplicas: Invalid value: "many": must be an integer or a whole percentage (e.g. 1 or "20%"); it counts as 0',
    },
    {
      name: 'by a percentage of too few nodes',
      given: { set: { spec: { burstReplicas: '10%' } }, hasWork: true },
      then: 'ScaleLimited: burstReplicas is 0, so no Pod is created, deleted or updated',
    },
    { name: 'not by a burst of 0 when there is nothing to do', given: { set: { spec: { burstReplicas: 0 } } }, then: undefined },
    { name: 'not by a burst of 1', given: { set: { spec: { burstReplicas: 1 } }, hasWork: true }, then: undefined },
    {
      name: 'by a Pod that has been ready from the future on',
      given: { set: { spec: { minReadySeconds: 10 } }, pods: { n1: { readyFor: -3600 } } },
      then: `ClockSkew: minReadySeconds of Pod n1 counts from ${ago(-3600)}, which is in the future for the manager: synchronize the clocks of the nodes`,
    },
    {
      name: 'by a Pod that is not ready for longer than a minute',
      given: { pods: { n1: { ready: false, readyFor: 60 } } },
      then: 'NotReady: Pod n1 is not ready',
    },
    { name: 'not by one that takes its time to start', given: { pods: { n1: { ready: false, readyFor: 59 } } }, then: undefined },
    {
      name: 'by the strategy, with the number of Pods',
      given: { set: { type: 'OnDelete' }, revisions: 2, pods: onEach(2, old, { n3: {} }) },
      then: 'OnDelete: 2 Pods of older revisions are updated only when a user deletes them (update strategy OnDelete)',
    },
    { name: 'not by the strategy when all are updated', given: { set: { type: 'OnDelete' }, pods: onEach(3) }, then: undefined },
    {
      name: 'by a pause, with the number of Pods',
      given: { set: { rollingUpdate: { paused: true } }, revisions: 2, pods: onEach(3, old) },
      then: 'Paused: the update is paused; 3 Pods wait for it',
    },
    { name: 'not by a pause when all are updated', given: { set: { rollingUpdate: { paused: true } }, pods: onEach(3) }, then: undefined },
    {
      name: 'by the partition, when all that may be updated is',
      given: { revisions: 2, pods: onEach(2, old, { n3: {} }), kept: 2 },
      then: 'PartitionReached: the partition is reached: 2 nodes keep older revisions',
    },
    {
      name: 'not by the partition while more Pods must be updated',
      given: { revisions: 2, pods: onEach(3, old), kept: 2 },
      then: undefined,
    },
    {
      name: 'by the selector of nodes',
      given: { set: { rollingUpdate: { selector: { matchLabels: { a: 'b' } } } }, revisions: 2, pods: onEach(3, old), kept: 3 },
      then: 'PartitionReached: partition and selector of nodes are reached: 3 nodes keep older revisions',
    },
  ])('$name', ({ given, then }) => {
    expect(reportOf(given)).toBe(then);
  });
});

describe('of several causes', () => {
  const spec = { ...hook, burstReplicas: 0 };
  const faults: readonly [string, MemberShape][] = [
    ['ImageCannotBePulled', pulling],
    ['Unschedulable', homeless],
    ['PodFails', failed()],
  ];
  it('a fault of any Pod comes before one of the next kind', () => {
    const pods = Object.fromEntries(faults.map(([, shape], index) => [`n${3 - index}`, shape]));
    const reported = faults.map((_, index) => {
      const left = Object.fromEntries(Object.entries(pods).filter(([name]) => Number(name.slice(1)) <= 3 - index));
      return reportOf({ pods: left })?.replace(/:.*/, '');
    });
    expect(reported).toEqual(faults.map(([reason]) => reason));
  });

  it.each<[string, Given, string]>([
    ['a fault before a hook', { set: { spec }, pods: { n1: hooked, n2: pulling }, hasWork: true }, 'ImageCannotBePulled'],
    ['a hook before the burst', { set: { spec }, pods: { n1: hooked }, hasWork: true }, 'WaitingForHook'],
    ['the burst before a delay', { set: { spec }, pods: { n1: { ready: false } }, hasWork: true }, 'ScaleLimited'],
    [
      'a delay before what is wanted',
      { set: { rollingUpdate: { paused: true } }, revisions: 2, pods: { n1: { of: 1, ready: false } } },
      'NotReady',
    ],
    [
      'the strategy before a pause',
      { set: { type: 'OnDelete', rollingUpdate: { paused: true } }, revisions: 2, pods: { n1: old } },
      'OnDelete',
    ],
    ['a pause before the partition', { set: { rollingUpdate: { paused: true } }, revisions: 2, pods: { n1: old }, kept: 1 }, 'Paused'],
  ])('%s', (_name, given, then) => {
    expect(reportOf(given)).toMatch(new RegExp(`^${then}:`));
  });
});

describe('what does not block yet', () => {
  it('is looked at when the patience with a Pod ends', () => {
    expect(blockingOf({ pods: onEach(2, { ready: false, readyFor: 20 }, { n3: { ready: false, readyFor: 50 } }) })).toEqual({
      requeueAfter: 10_000,
    });
    expect(blockingOf({ pods: onEach(3) })).toEqual({});
  });

  it('is waited for while something of less weight blocks', () => {
    expect(blockingOf({ pods: { n1: pulling, n2: { ready: false, readyFor: 20 } } })).toHaveProperty('requeueAfter', 40_000);
  });
});

describe('what a whole pass says of it', () => {
  const three = onEach(3, old);
  it.each<{ name: string; given: Situation; then: string | undefined }>([
    {
      name: 'a burst of 0 blocks creation',
      given: { set: { spec: { burstReplicas: 0 } } },
      then: 'ScaleLimited: burstReplicas is 0, so no Pod is created, deleted or updated',
    },
    {
      name: 'a burst of 0 blocks deletion',
      given: { set: { spec: { burstReplicas: 0 } }, nodes: ['n1'], pods: { n1: {}, 'n1-b': {} } },
      then: 'ScaleLimited: burstReplicas is 0, so no Pod is created, deleted or updated',
    },
    {
      name: 'a burst of 0 blocks an update',
      given: { set: { spec: { burstReplicas: 0 } }, revisions: 2, pods: three },
      then: 'ScaleLimited: burstReplicas is 0, so no Pod is created, deleted or updated',
    },
    {
      name: 'a burst of 0 does not block what is not to be updated',
      given: { set: { spec: { burstReplicas: 0 }, rollingUpdate: { partition: 3 } }, revisions: 2, pods: three },
      then: 'PartitionReached: the partition is reached: 3 nodes keep older revisions',
    },
    {
      name: 'a burst of 0 does not block where what may be updated is',
      given: {
        set: { spec: { burstReplicas: 0 }, rollingUpdate: { partition: 2 } },
        revisions: 2,
        pods: onEach(2, old, { n3: {} }),
      },
      then: 'PartitionReached: the partition is reached: 2 nodes keep older revisions',
    },
    {
      name: 'a burst of 0 does not block what is paused',
      given: { set: { spec: { burstReplicas: 0 }, rollingUpdate: { paused: true } }, revisions: 2, pods: three },
      then: 'Paused: the update is paused; 3 Pods wait for it',
    },
    {
      name: 'a burst of 0 blocks nothing where there is nothing to do',
      given: { set: { spec: { burstReplicas: 0 } }, pods: onEach(3) },
      then: undefined,
    },
    {
      name: 'the partition is reached',
      given: { set: { rollingUpdate: { partition: 2 } }, revisions: 2, pods: onEach(2, old, { n3: {} }) },
      then: 'PartitionReached: the partition is reached: 2 nodes keep older revisions',
    },
    {
      name: 'the partition is not reached yet',
      given: { set: { rollingUpdate: { partition: 2 } }, revisions: 2, pods: three },
      then: undefined,
    },
  ])('$name', ({ given, then }) => {
    expect(planned(given).blocked).toBe(then);
  });
});
