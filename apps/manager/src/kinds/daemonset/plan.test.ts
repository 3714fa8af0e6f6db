/** One pass over a DaemonSet: what belongs to the whole of it. @see spec/daemonset.md 5.2, 5.5 to 5.10, 6, 9 */
import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob } from '@kruise/api';
import { deepFreeze, type ControllerRevision, type Node } from '@kruise/objects';
import { plan, type Snapshot } from '@kruise/kinds/daemonset';
import {
  momentOf,
  nodesTo,
  noExecute,
  noSchedule,
  onEach,
  planned,
  planOf,
  type MemberShape,
  type Members,
  type Planned,
  type Situation,
} from '@kruise/kinds/daemonset/situation.testing';
import { refusedFor } from '../../workloads/refusals/refused-objects.testing.ts';
import { aNode, type SetShape } from '@kruise/kinds/daemonset/testing';

interface Row {
  readonly name: string;
  readonly given: Situation;
  readonly then: Planned;
}
const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);
const doing = (...does: readonly string[]): Planned => ({ does });

const old: MemberShape = { of: 1 };
const unready: MemberShape = { ready: false, readyFor: 1 };
const failed: MemberShape = { phase: 'Failed', ready: false };
/** An unready Pod is looked at again when the patience with it ends. */
const patience = 59_000;
const rolling = (rollingUpdate: NonNullable<SetShape['rollingUpdate']>): SetShape => ({ rollingUpdate });
const inPlace = rolling({ rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 });
const [one, two] = [['n1'], ['n1', 'n2']] as const;
const three = onEach(3, old);

const refusing =
  (...nodes: readonly string[]) =>
  (seen: Snapshot): Snapshot => ({ ...seen, refused: refusedFor(...nodes) });

it('one burst of Pods is created in a pass, however many burstReplicas lets be', () => {
  const nodes = nodesTo(600).map((name) => aNode(name));
  expect(planOf({ set: { spec: { burstReplicas: 1000 } }, nodes }).creations).toHaveLength(500);
});

describe('placement comes before updates', () => {
  it.each<Row>([
    {
      name: 'every node gets its Pod, of the update revision',
      given: {},
      then: doing(...nodesTo(3).map((node) => `CreatePod on ${node} of r1`)),
    },
    { name: 'nothing is done when every node has one that is updated', given: { pods: onEach(3) }, then: doing() },
    { name: 'an update begins when every node has its Pod', given: { revisions: 2, pods: three }, then: doing('DeletePod n3') },
    {
      name: 'not while one must be created, although the budget would allow it',
      given: { set: rolling({ maxUnavailable: 3 }), revisions: 2, pods: onEach(2, old) },
      then: doing('CreatePod on n3 of r2'),
    },
    {
      name: 'not while one must be deleted, although the budget would allow it',
      given: { set: rolling({ maxUnavailable: 3 }), revisions: 2, pods: { ...three, 'n1-b': old } },
      then: doing('DeletePod n1-b'),
    },
    {
      name: 'an update continues within its budget if only refused creations are left, and comes before them',
      given: { set: rolling({ maxSurge: 1, maxUnavailable: 0 }), revisions: 2, pods: { n1: old, n2: old }, as: refusing('n3') },
      then: doing('CreatePod on n2 of r2', 'CreatePod on n3 of r2'),
    },
    {
      name: 'a node that gets no Pod uses up budget',
      given: { set: rolling({ maxUnavailable: 2 }), revisions: 2, pods: { n1: old, n2: old }, as: refusing('n3') },
      then: doing('CreatePod on n3 of r2', 'DeletePod n2'),
    },
    {
      name: 'not while one that was not refused must be created',
      given: { set: rolling({ maxUnavailable: 3 }), revisions: 2, pods: { n1: old }, as: refusing('n3') },
      then: doing('CreatePod on n2 of r2', 'CreatePod on n3 of r2'),
    },
    {
      name: 'an update continues if only a refused deletion is left, and requests no other deletion of that Pod',
      given: {
        set: rolling({ maxUnavailable: 3 }),
        revisions: 2,
        nodes: ['n1', aNode('n2', { spec: noExecute })],
        pods: { n1: old, n2: old },
        as: refusing('n2'),
      },
      then: doing('DeletePod n2', 'DeletePod n1'),
    },
    {
      name: 'creations come before deletions',
      given: { pods: { n1: {}, 'n1-b': {} }, nodes: two },
      then: doing('CreatePod on n2 of r1', 'DeletePod n1-b'),
    },
    {
      name: 'while a replaced Pod is being deleted, its node gets none, and no other is replaced',
      given: { revisions: 2, pods: { ...three, n3: { ...old, terminating: true } } },
      then: doing(),
    },
    {
      name: 'the newest template is that of a node whose old Pod was deleted by hand',
      given: { set: rolling({ partition: 2 }), revisions: 2, pods: onEach(2, old) },
      then: { does: ['CreatePod on n3 of r2'], blocked: 'PartitionReached: the partition is reached: 2 nodes keep older revisions' },
    },
  ])('$name', check);
});

describe('what stops updates', () => {
  it.each<Row>([
    {
      name: 'a pause does',
      given: { set: rolling({ paused: true }), revisions: 2, pods: three },
      then: { does: [], blocked: 'Paused: the update is paused; 3 Pods wait for it' },
    },
    {
      name: 'a pause stops neither creation, of the newest template, nor deletion',
      given: {
        set: rolling({ paused: true }),
        revisions: 2,
        nodes: ['n1', aNode('n2', { spec: noExecute }), 'n3'],
        pods: onEach(2, old),
      },
      then: { does: ['CreatePod on n3 of r2', 'DeletePod n2'], blocked: 'Paused: the update is paused; 1 Pod waits for it' },
    },
    {
      name: 'a pause does not stop the clean-up of Pods that have failed',
      given: { set: rolling({ paused: true }), nodes: one, pods: { n1: failed } },
      then: { does: ['DeleteFailedPod n1'], blocked: 'PodFails: Pod n1 has failed; the controller replaces it after a delay' },
    },
    {
      name: 'OnDelete does: nothing happens until a client deletes a Pod',
      given: { set: { type: 'OnDelete' }, revisions: 2, pods: three },
      then: {
        does: [],
        blocked: 'OnDelete: 3 Pods of older revisions are updated only when a user deletes them (update strategy OnDelete)',
      },
    },
    {
      name: 'and the next one of its node has the new hash',
      given: { set: { type: 'OnDelete' }, revisions: 2, pods: onEach(2, old) },
      then: {
        does: ['CreatePod on n3 of r2'],
        blocked: 'OnDelete: 2 Pods of older revisions are updated only when a user deletes them (update strategy OnDelete)',
      },
    },
    {
      name: 'the partition does where it is reached',
      given: { set: rolling({ partition: 3 }), revisions: 2, pods: three },
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 3 nodes keep older revisions' },
    },
  ])('$name', check);

  it.each<Row>([
    {
      name: 'its own alone, and says what to do',
      given: {
        set: inPlace,
        revisions: 2,
        pods: { ...three, n3: { ...old, annotations: { 'apps.kruise.io/inplace-update-grace': 'x' } } },
      },
      then: {
        does: ['UpdatePodInPlace n2'],
        fails: { update: { message: expect.stringMatching(/^Pod n3: .*; delete Pod n3, or remove its annotations /) as never } },
      },
    },
    {
      name: 'none where Pods are replaced',
      given: { revisions: 2, pods: { ...three, n3: { ...old, annotations: { 'apps.kruise.io/inplace-update-grace': 'x' } } } },
      then: {
        does: ['DeletePod n3'],
        fails: { update: { message: expect.stringMatching(/^Pod n3: /) as never } },
      },
    },
  ])('an annotation of an update in place that cannot be read stops $name', check);

  it('a new Pod that is not ready does, as long as the budget is used up by it', () => {
    expect(planned({ revisions: 2, pods: { ...three, n3: unready } })).toEqual({ does: [], waits: patience });
  });
});

describe('the ten nodes of the specification', () => {
  const ten = { nodes: ['n0', ...nodesTo(9)], pods: onEach(9, old, { n0: old }), revisions: 2 };
  const many = (partition: number | string): SetShape => rolling({ maxUnavailable: '100%', partition });
  const reached = (count: number) => `PartitionReached: the partition is reached: ${count} nodes keep older revisions`;
  it.each<Row>([
    {
      name: 'partition 7 updates the 3 with the highest names',
      given: { ...ten, set: many(7) },
      then: doing('DeletePod n9', 'DeletePod n8', 'DeletePod n7'),
    },
    { name: 'partition 10 updates none', given: { ...ten, set: many(10) }, then: { does: [], blocked: reached(10) } },
    { name: 'partition 100% updates none', given: { ...ten, set: many('100%') }, then: { does: [], blocked: reached(10) } },
    {
      name: 'a Pod that was deleted by hand on an old node comes back new, and uses up one of the three',
      given: { ...ten, set: many(7), pods: { ...ten.pods, n2: {} } },
      then: doing('DeletePod n9', 'DeletePod n8'),
    },
    {
      name: 'scenario 6: of 4 nodes partition 3 updates one, and 50% one more',
      given: { set: rolling({ partition: '50%' }), nodes: nodesTo(4), pods: onEach(3, old, { n4: {} }), revisions: 2 },
      then: doing('DeletePod n3'),
    },
  ])('$name', check);
});

describe('in place', () => {
  const updating: MemberShape = {
    ready: false,
    readyFor: 1,
    with: (pod) => ({
      ...pod,
      status: {
        ...pod.status,
        conditions: (pod.status?.conditions ?? []).map((one) => (one.type === 'InPlaceUpdateReady' ? { ...one, status: 'False' } : one)),
      },
    }),
  };
  it.each<Row>([
    { name: 'Pods keep their names', given: { set: inPlace, revisions: 2, pods: three }, then: doing('UpdatePodInPlace n3') },
    {
      name: 'a Pod whose update is complete becomes ready again, also while the rest is paused',
      given: { set: rolling({ ...inPlace.rollingUpdate, paused: true }), pods: { ...onEach(2), n3: updating } },
      then: { does: ['RefreshPod n3'], waits: patience },
    },
    {
      name: 'it becomes so although a node lacks a Pod',
      given: { set: inPlace, pods: { n1: {}, n2: updating } },
      then: { does: ['CreatePod on n3 of r1', 'RefreshPod n2'], waits: patience },
    },
    {
      name: 'a Pod that begins another update does not become ready before it',
      given: { set: inPlace, revisions: 2, nodes: one, pods: { n1: { ...updating, of: 1 } } },
      then: { does: ['UpdatePodInPlace n1'], waits: patience },
    },
    {
      name: 'Pods that are finished or go are not looked after',
      given: { set: inPlace, nodes: two, pods: { n1: { ...updating, terminating: true }, n2: { ...updating, phase: 'Succeeded' } } },
      then: { does: [], waits: patience },
    },
    {
      name: 'a first update from Standard recreates Pods, because they lack the gate',
      given: { set: inPlace, revisions: 2, pods: onEach(3, { of: 1, gate: false }) },
      then: doing('DeletePod n3'),
    },
  ])('$name', check);
});

describe('the burst', () => {
  const burst = (burstReplicas: number | string, more: SetShape = {}): SetShape => ({ ...more, spec: { burstReplicas, ...more.spec } });
  const twice: Members = { ...onEach(3), 'n1-b': {}, 'n2-b': {}, 'n3-b': {} };
  const none = 'ScaleLimited: burstReplicas is 0, so no Pod is created, deleted or updated';
  it.each<Row>([
    { name: 'limits creations', given: { set: burst(2) }, then: doing('CreatePod on n1 of r1', 'CreatePod on n2 of r1') },
    { name: 'limits deletions', given: { set: burst(2), pods: twice }, then: doing('DeletePod n1-b', 'DeletePod n2-b') },
    {
      name: 'limits each by itself',
      given: { set: burst(1), nodes: nodesTo(5), pods: twice },
      then: doing('CreatePod on n4 of r1', 'DeletePod n1-b'),
    },
    {
      name: 'limits deletions of an update',
      given: { set: burst(2, rolling({ maxUnavailable: 3 })), revisions: 2, pods: three },
      then: doing('DeletePod n3', 'DeletePod n2'),
    },
    {
      name: 'limits creations of an update that surges',
      given: { set: burst(2, rolling({ maxSurge: 3 })), revisions: 2, pods: three },
      then: doing('CreatePod on n3 of r2', 'CreatePod on n2 of r2'),
    },
    {
      name: 'limits updates in place',
      given: { set: burst(2, rolling({ rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 3 })), revisions: 2, pods: three },
      then: doing('UpdatePodInPlace n3', 'UpdatePodInPlace n2'),
    },
    {
      name: 'is a percentage of the eligible nodes, in the very first pass as well',
      given: { set: burst('67%') },
      then: doing('CreatePod on n1 of r1', 'CreatePod on n2 of r1'),
    },
    {
      name: 'of what cannot be read is none',
      given: { set: burst('x') },
      then: { does: [], blocked: expect.stringMatching(/^ScaleLimited: spec\.burstReplicas: Invalid/) as never },
    },
    { name: 'of 0 stops updates as well', given: { set: burst(0), revisions: 2, pods: three }, then: { does: [], blocked: none } },
    {
      name: 'of 0 lets Pods that have failed stay',
      given: { set: burst(0), nodes: one, pods: { n1: failed } },
      then: { does: [], blocked: 'PodFails: Pod n1 has failed; the controller replaces it after a delay' },
    },
    {
      name: 'limits deletions of Pods that have failed',
      given: { set: burst(1), pods: onEach(3, failed) },
      then: { does: ['DeleteFailedPod n1'], blocked: 'PodFails: Pod n1 has failed; the controller replaces it after a delay' },
    },
  ])('$name', check);
});

describe('the preDelete hook', () => {
  const hook = { lifecycle: { preDelete: { labelsHandler: { hold: 'yes' } } } };
  const hooked: MemberShape = { labels: { hold: 'yes' } };
  const held: MemberShape = { ...hooked, state: 'PreparingDelete' };
  const isHeld = (pod: string) => `WaitingForHook: Pod ${pod} is held in PreparingDelete by label hold=yes`;
  it.each<Row>([
    {
      name: 'scenario 10: of an update exactly one Pod learns that it is to go, and none is deleted',
      given: { set: { spec: hook }, revisions: 2, pods: onEach(3, { ...old, ...hooked }) },
      then: doing('SetLifecycle n3 PreparingDelete'),
    },
    {
      name: 'while it waits no other one learns of it',
      given: { set: { spec: hook }, revisions: 2, pods: { ...onEach(2, { ...old, ...hooked }), n3: { ...old, ...held } } },
      then: { does: [], blocked: isHeld('n3') },
    },
    {
      name: 'with two that may be unavailable a second one does',
      given: {
        set: { ...rolling({ maxUnavailable: 2 }), spec: hook },
        revisions: 2,
        pods: { ...onEach(2, { ...old, ...hooked }), n3: { ...old, ...held } },
      },
      then: { does: ['SetLifecycle n2 PreparingDelete'], blocked: isHeld('n3') },
    },
    {
      name: 'a Pod is deleted once its hook releases it',
      given: { set: { spec: hook }, revisions: 2, pods: { ...onEach(2, { ...old, ...hooked }), n3: { ...old, state: 'PreparingDelete' } } },
      then: doing('DeletePod n3'),
    },
    {
      name: 'its finalizer holds a Pod as its label does',
      given: {
        set: { spec: { lifecycle: { preDelete: { finalizersHandler: ['example.com/x'] } } } },
        nodes: one,
        pods: { n1: {}, 'n1-b': { finalizers: ['example.com/x'] } },
      },
      then: doing('SetLifecycle n1-b PreparingDelete'),
    },
    {
      name: 'holds Pods of a node that is none any more',
      given: { set: { spec: hook }, nodes: [aNode('n1', { spec: noExecute })], pods: { n1: hooked } },
      then: doing('SetLifecycle n1 PreparingDelete'),
    },
    {
      name: 'holds one that is too many, and another one is deleted',
      given: { set: { spec: hook }, nodes: one, pods: { n1: {}, 'n1-b': hooked, 'n1-c': {} } },
      then: doing('SetLifecycle n1-b PreparingDelete', 'DeletePod n1-c'),
    },
    {
      name: 'holds one that has failed',
      given: { set: { spec: hook }, nodes: one, pods: { n1: { ...failed, ...hooked } } },
      then: { does: ['SetLifecycle n1 PreparingDelete'], blocked: 'PodFails: Pod n1 has failed; the controller replaces it after a delay' },
    },
    {
      name: 'does not count for the burst: all Pods learn that they are to go',
      given: {
        set: { spec: { ...hook, burstReplicas: 1 } },
        nodes: one,
        pods: { n1: {}, 'n1-b': hooked, 'n1-c': hooked, 'n1-d': {}, 'n1-e': {} },
      },
      then: doing('SetLifecycle n1-b PreparingDelete', 'SetLifecycle n1-c PreparingDelete', 'DeletePod n1-d'),
    },
    {
      name: 'stays prepared when the template is rolled back',
      given: { set: { spec: hook }, pods: { ...onEach(2, hooked), n3: held } },
      then: { does: [], blocked: isHeld('n3') },
    },
    {
      name: 'makes no update in place wait',
      given: { set: { ...inPlace, spec: hook }, revisions: 2, pods: onEach(3, { ...old, ...hooked }) },
      then: doing('UpdatePodInPlace n3'),
    },
  ])('$name', check);

  it('takes a Pod out of service first where it is asked to', () => {
    const preDelete = { labelsHandler: { hold: 'yes' }, markPodNotReady: true };
    const gated: MemberShape = {
      ...hooked,
      with: (pod) => ({ ...pod, spec: { ...pod.spec, readinessGates: [{ conditionType: 'KruisePodReady' }] } }),
    };
    const { deletions } = planOf({ set: { spec: { lifecycle: { preDelete } } }, nodes: one, pods: { n1: {}, 'n1-b': gated } });
    expect(deletions).toMatchObject([
      { kind: 'SetLifecycle', transition: { readiness: { kind: 'AddKey', key: { userAgent: 'Lifecycle', key: 'preDeleteHook' } } } },
    ]);
  });
});

describe('surge', () => {
  const surging = { set: { ...rolling({ maxSurge: '100%', maxUnavailable: 0 }), spec: { minReadySeconds: 10 } }, revisions: 2 };
  it.each<Row>([
    {
      name: 'scenario 9: each node gets a new Pod beside the old one',
      given: { ...surging, nodes: two, pods: onEach(2, old) },
      then: doing('CreatePod on n2 of r2', 'CreatePod on n1 of r2'),
    },
    {
      name: 'the old one is not deleted before the new one has been ready for more than 10 s, and that is looked for',
      given: { ...surging, nodes: one, pods: { n1: old, 'n1-b': { readyFor: 9 } } },
      then: { does: [], waits: 1050 },
    },
    {
      name: 'then it is',
      given: { ...surging, nodes: one, pods: { n1: old, 'n1-b': { readyFor: 11 } } },
      then: doing('DeletePod n1'),
    },
    {
      name: 'a node that only keeps what it has gets no new Pod',
      given: { ...surging, nodes: ['n1', aNode('n2', { spec: noSchedule })], pods: onEach(2, old) },
      then: doing('CreatePod on n1 of r2'),
    },
  ])('$name', check);
});

describe('nodes that are not to have a Pod', () => {
  const nodes: readonly (string | Node)[] = ['n1', 'n2', aNode('n3', { spec: noSchedule })];
  const leftOver = { nodes, revisions: 2, pods: { ...onEach(2, old), n3: unready } };
  it.each<Row>([
    { name: 'block an update with a Pod that is not available, which stays', given: leftOver, then: { does: [], waits: patience } },
    {
      name: 'block nothing with the gate that prunes them',
      given: { ...leftOver, gates: { DaemonSetPruneIneligibleNodes: true } },
      then: { does: ['DeletePod n2'], waits: patience },
    },
    {
      name: 'lose their Pods at once, whatever maxUnavailable',
      given: { nodes: nodesTo(3).map((name) => aNode(name, { spec: noExecute })), pods: onEach(3) },
      then: doing('DeletePod n1', 'DeletePod n2', 'DeletePod n3'),
    },
    {
      name: 'that are deleted lose the Pods that wait for them; bound Pods are left to the garbage collector',
      given: { nodes: one, pods: { ...onEach(2), n3: { waiting: true } } },
      then: doing('DeletePod n3'),
    },
    {
      name: 'scenario 18: with a NoSchedule the Pod stays',
      given: { nodes: [aNode('n1', { spec: noSchedule }), 'n2'], pods: onEach(2) },
      then: doing(),
    },
  ])('$name', check);

  it('count as misscheduled, and no longer as desired', () => {
    const { status } = planOf({ nodes: [aNode('n1', { spec: noSchedule }), 'n2'], pods: onEach(2) });
    expect([status.desiredNumberScheduled, status.numberMisscheduled]).toEqual([1, 1]);
  });
});

describe('creation within the partition', () => {
  const scaled = (partition: number): SetShape => ({ ...rolling({ partition }), spec: { scaleStrategy: { partitionedScaling: true } } });
  it.each<Row>([
    { name: 'scenario 11: with a partition of all nodes there is none', given: { set: scaled(3) }, then: doing() },
    { name: 'one less lets the alphabetically first node get its Pod', given: { set: scaled(2) }, then: doing('CreatePod on n1 of r1') },
    {
      name: 'nodes that may not get theirs do not stop an update, which the others have used up',
      given: { set: scaled(2), revisions: 2, pods: { n1: {}, n2: old } },
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 1 node keeps an older revision' },
    },
  ])('$name', check);
});

describe('failed Pods', () => {
  it.each<Row>([
    {
      name: 'are deleted',
      given: { nodes: one, pods: { n1: failed } },
      then: { does: ['DeleteFailedPod n1'], blocked: 'PodFails: Pod n1 has failed; the controller replaces it after a delay' },
    },
    {
      name: 'stay while their node has to wait, and are looked at then',
      given: { nodes: one, pods: { n1: failed }, stays: { n1: 1500 } },
      then: { does: [], blocked: 'PodFails: Pod n1 has failed; the controller replaces it after a delay', waits: 1500 },
    },
  ])('$name', check);

  it('are reported with their node', () => {
    expect(planOf({ nodes: one, pods: { n1: failed } }).deletions).toMatchObject([
      { kind: 'DeleteFailedPod', node: 'n1', because: 'it has failed on node n1' },
    ]);
  });
});

describe('revisions', () => {
  const twin = (revision: ControllerRevision, hash: string): ControllerRevision => ({
    ...revision,
    metadata: { ...revision.metadata, name: `agent-${hash}`, labels: { ...revision.metadata.labels, 'controller-revision-hash': hash } },
  });
  const withRevisions =
    (change: (revisions: readonly ControllerRevision[]) => readonly ControllerRevision[]): NonNullable<Situation['as']> =>
    (seen) => ({ ...seen, revisions: change(seen.revisions) });
  const carries = (hash: string): MemberShape => ({ of: 0, labels: { 'controller-revision-hash': hash } });

  it.each<Row>([
    { name: 'while one must be created, nothing else is done', given: { as: withRevisions(() => []) }, then: doing('CreateRevision r1') },
    {
      name: 'while one must be reused, nothing else is done',
      given: { set: { image: 'app:1' }, revisions: 2 },
      then: doing('BumpRevision r1 to 3'),
    },
    {
      name: 'of a template that is there twice: Pods of the other get the hash that is kept before anything else',
      given: {
        pods: { ...onEach(2), n3: carries('twin') },
        as: withRevisions(([last]) => (last === undefined ? [] : [twin(last, 'twin'), last])),
      },
      then: doing('LabelPod n3 r1', 'DeletePod n3'),
    },
    {
      name: 'the other is deleted last, when no Pod carries it, and the history keeps as many as before',
      given: {
        set: { spec: { revisionHistoryLimit: 1 } },
        revisions: 2,
        pods: onEach(3),
        as: withRevisions(([first, last]) => (first === undefined || last === undefined ? [] : [first, twin(last, 'twin'), last])),
      },
      then: doing('DeleteRevision agent-twin'),
    },
    {
      name: 'beyond the limit go, oldest first, but for those of Pods',
      given: { set: { spec: { revisionHistoryLimit: 1 } }, revisions: 4, pods: { ...onEach(2), n3: { of: 1, terminating: true } } },
      then: doing('DeleteRevision r2', 'DeleteRevision r3'),
    },
    {
      name: 'with a limit of 0 all that no Pod carries go',
      given: {
        set: { ...rolling({ paused: true }), spec: { revisionHistoryLimit: 0 } },
        revisions: 3,
        pods: { ...onEach(2), n3: { of: 2 } },
      },
      then: { does: ['DeleteRevision r1'], blocked: 'Paused: the update is paused; 1 Pod waits for it' },
    },
    {
      name: 'without a controller are adopted, unless they are being deleted',
      given: {
        revisions: 3,
        pods: onEach(3),
        as: withRevisions(([first, second, last]) => {
          if (first === undefined || second === undefined || last === undefined) return [];
          const { ownerReferences: _owners, ...metadata } = first.metadata;
          const { ownerReferences: _others, ...going } = second.metadata;
          return [{ ...first, metadata }, { ...second, metadata: { ...going, deletionTimestamp: '2026-01-01T00:00:00Z' } }, last];
        }),
      },
      then: doing('AdoptRevision r1'),
    },
  ])('$name', check);

  it('that is not of the history is used, and images are not pulled ahead for it', () => {
    const next = planned({
      revisions: 2,
      pods: three,
      jobs: [],
      as: (seen) => ({
        ...seen,
        revisions: seen.revisions.slice(0, 1),
        heldRevisions: new Map(seen.revisions.slice(1).map((one) => [one.metadata.name, one])),
      }),
    });
    expect(next).toEqual(doing('DeletePod n3'));
  });

  it('that could not be written leave generation and revision of the status as they were', () => {
    const { status } = planOf({ pods: onEach(3), as: withRevisions(() => []) });
    expect([status.observedGeneration, status.updateRevision, status.numberReady]).toEqual([undefined, undefined, 3]);
    expect(planOf({ pods: onEach(3) }).status).toMatchObject({ observedGeneration: 1, updatedNumberScheduled: 3 });
  });
});

describe('whose Pods they are', () => {
  const stray: MemberShape = { labels: { app: 'other' } };
  const foreign: MemberShape = {
    with: (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'x', uid: 'x', controller: true }] },
    }),
  };
  it.each<Row>([
    {
      name: 'one without a controller is adopted, and counts immediately',
      given: { nodes: one, pods: { n1: { orphan: true } } },
      then: doing('AdoptPod n1'),
    },
    {
      name: 'one that is not selected any more is let go, and its node gets another one',
      given: { nodes: one, pods: { n1: stray } },
      then: doing('ReleasePod n1', 'CreatePod on n1 of r1'),
    },
    {
      name: 'one without a controller that is being deleted is not adopted',
      given: { nodes: one, pods: { n1: { orphan: true, terminating: true } } },
      then: doing('CreatePod on n1 of r1'),
    },
    {
      name: 'one without a controller that is not selected is left alone',
      given: { nodes: one, pods: { n1: { ...stray, orphan: true } } },
      then: doing('CreatePod on n1 of r1'),
    },
    { name: 'one of another owner is left alone', given: { nodes: one, pods: { n1: foreign } }, then: doing('CreatePod on n1 of r1') },
    {
      name: 'of an adopted one and an own one the first stays',
      given: { nodes: one, pods: { n1: { orphan: true }, 'n1-b': {} } },
      then: doing('AdoptPod n1', 'DeletePod n1-b'),
    },
    {
      name: 'an adopted one of an older revision is updated',
      given: { nodes: one, revisions: 2, pods: { n1: { ...old, orphan: true } } },
      then: doing('AdoptPod n1', 'DeletePod n1'),
    },
  ])('$name', check);

  it('adopted ones are sorted among the others by name', () => {
    const next = planned({ pods: { n1: { ...failed, orphan: true }, n2: failed, n3: {} } });
    expect(next.blocked).toMatch(/^PodFails: Pod n1 /);
  });

  it('gives the reason, and keeps the other owners of a released one', () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node' };
    const owned: MemberShape = {
      ...stray,
      with: (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [...(pod.metadata.ownerReferences ?? []), owner] } }),
    };
    expect(planOf({ nodes: two, pods: { n1: owned, n2: { orphan: true } } }).groundwork).toMatchObject([
      { kind: 'AdoptPod', because: 'its labels match the selector, and it has no controller' },
      { kind: 'ReleasePod', because: 'its labels no longer match the selector', ownerReferences: [owner] },
    ]);
  });

  it('Pods whose owner reference is of another version are own ones', () => {
    const alpha: MemberShape = {
      ...old,
      with: (pod) => ({
        ...pod,
        metadata: {
          ...pod.metadata,
          ownerReferences: (pod.metadata.ownerReferences ?? []).map((one) => ({ ...one, apiVersion: 'apps.kruise.io/v1alpha1' })),
        },
      }),
    };
    expect(planned({ revisions: 2, pods: onEach(3, alpha) })).toEqual(doing('DeletePod n3'));
  });
});

describe('migrated DaemonSets', () => {
  const annotations = { 'deprecated.daemonset.template.generation': '4' };
  const numbered: MemberShape = { labels: { 'pod-template-generation': '4' } };
  it.each<Row>([
    {
      name: 'are updated although every Pod has the generation of today',
      given: { set: { annotations }, revisions: 2, pods: onEach(3, { ...old, ...numbered }) },
      then: doing('DeletePod n3'),
    },
    {
      name: 'keep Pods of the generation of today that have no hash',
      given: { set: { annotations }, pods: onEach(3, { of: 0, ...numbered }) },
      then: doing(),
    },
  ])('$name', check);
});

describe('a pass', () => {
  const job: ImagePullJob = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImagePullJob',
    metadata: { name: 'agent-before-main', namespace: 'default' },
    spec: { image: 'app:0', completionPolicy: { type: 'Always' } },
  };
  it('is ownership, images, creation, deletion, upkeep, updates, and history', () => {
    const everything: Situation = {
      set: { ...inPlace, spec: { revisionHistoryLimit: 1 } },
      revisions: 3,
      jobs: [job],
      pods: { n1: { orphan: true }, n2: { labels: { app: 'other' } }, n3: {}, 'n3-b': { of: 2 } },
    };
    expect(planned(everything)).toEqual(
      doing(
        'AdoptPod n1',
        'ReleasePod n2',
        'CreateImagePullJob app:3',
        'LabelRevision r3 true',
        'CreatePod on n2 of r3',
        'DeletePod n3-b',
        'DeleteRevision r1',
      ),
    );
  });

  it('requeues at the earliest time of a change', () => {
    const set: SetShape = { spec: { minReadySeconds: 10 } };
    expect(planned({ set, pods: { n1: { readyFor: 4 }, n2: unready, n3: {} } }).waits).toBe(6050);
    expect(planned({ set, pods: { n1: { readyFor: 4 }, n2: { phase: 'Failed', ready: false }, n3: {} }, stays: { n2: 2000 } }).waits).toBe(
      2000,
    );
    expect(planned({ pods: { n1: unready, n2: {}, n3: {} } }).waits).toBe(patience);
    expect(planned({ pods: onEach(3) })).not.toHaveProperty('waits');
  });

  it('writes to nothing that it was given', () => {
    const { seen, context } = momentOf({ set: inPlace, revisions: 2, pods: { ...three, 'n1-b': {}, n2: { orphan: true } } });
    const { set, pods, nodes, revisions } = seen;
    deepFreeze([set, pods, nodes, revisions]);
    expect(() => plan(seen, context)).not.toThrow();
  });

  it('gives Pods that are bound from the start where the scheduler has no say', () => {
    const { creations } = planOf({ nodes: one, context: { placedByScheduler: false } });
    expect(creations).toMatchObject([{ pod: { spec: { nodeName: 'n1', schedulerName: 'kubernetes.io/daemonset-controller' } } }]);
  });

  it('gives a node a Pod of another name after each one that was there', () => {
    const nameOn = (given: Situation): string => {
      const [creation] = planOf({ nodes: one, ...given }).creations;
      return creation?.kind === 'CreatePod' ? creation.pod.metadata.name : '';
    };
    const surging: Situation = { set: rolling({ maxSurge: 1 }), revisions: 2 };
    const deleted: Situation = { as: (seen) => ({ ...seen, lastDeletedFrom: (node) => (node === 'n1' ? 'gone' : '') }) };
    const names = [{}, deleted, { ...surging, pods: { n1: old } }, { ...surging, pods: { 'n1-b': old } }].map(nameOn);
    expect(new Set(names).size).toBe(4);
    expect(nameOn({ as: (seen) => ({ ...seen, takenNames: new Set([names[0] ?? '']) }) })).not.toBe(names[0]);
    expect(nameOn({})).toBe(names[0]);
    expect(names.every((name) => name.startsWith('agent-'))).toBe(true);
  });
});
