import { describe, expect, it } from '@jest/globals';
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { formatTime, instant, type Node, type Pod, type PodCondition, type PodStatus } from '@kruise/objects';
import type { ResourceWriting } from '@kruise/pods';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import type { BlockingCause } from '@kruise/workloads';
import { findBlocking, type Blocking, type ScalingObstacles } from '@kruise/kinds/cloneset';
import { Simulation } from '../runs/simulation.testing.ts';
import { slimNode } from '../../../caches/slim-node.ts';
import { aCloneSet, aContext, type CloneSetShape } from '@kruise/kinds/cloneset/testing';

type Status = { readonly [M in keyof PodStatus]?: PodStatus[M] };

const soon = instant(epoch + 5000);
const late = instant(epoch + 3_600_000);

/** A Pod that is not ready since {@link epoch}, with this in its status. */
const starting = (status: Status, shape: PodShape = {}): Pod => {
  const pod = aPod({ name: 'web-a', ready: false, phase: 'Pending', ...shape });
  return { ...pod, status: { ...pod.status, ...status } };
};
const waitingFor = (reason: string, message?: string): Status => ({
  containerStatuses: [
    {
      name: 'main',
      image: '',
      imageID: '',
      ready: false,
      restartCount: 3,
      state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
      lastState: { terminated: { exitCode: 7 } },
    },
  ],
});
const conditions = (...list: readonly PodCondition[]): Status => ({ conditions: list });
const held = (state: string, shape: PodShape = {}): Pod =>
  aPod({ name: 'web-a', ...shape, labels: { 'lifecycle.apps.kruise.io/state': state, ...shape.labels } });

const becameReady = (since: typeof late): Pod => {
  const pod = aPod({ name: 'web-a' });
  return { ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(since) }] } };
};

const counters = (over: Partial<CloneSetStatus> = {}): CloneSetStatus => ({
  replicas: 5,
  readyReplicas: 5,
  availableReplicas: 5,
  updatedReplicas: 5,
  updatedReadyReplicas: 5,
  updatedAvailableReplicas: 5,
  expectedUpdatedReplicas: 5,
  currentRevision: 'web-1',
  updateRevision: 'web-1',
  ...over,
});
const underway = counters({ updateRevision: 'web-2', updatedReplicas: 2, updatedAvailableReplicas: 2, updatedReadyReplicas: 2 });

interface Given {
  readonly set?: CloneSetShape;
  readonly pods?: readonly Pod[];
  readonly status?: CloneSetStatus;
  readonly scaling?: Partial<ScalingObstacles>;
  readonly nodes?: readonly Node[];
  readonly now?: typeof soon;
  readonly resources?: ResourceWriting;
}

function find({ set = {}, pods = [], status, scaling = {}, nodes = [], now = soon, resources = 'Ignored' }: Given): Blocking {
  const cloneSet: CloneSet = aCloneSet(set);
  const counted = status ?? counters({ replicas: pods.length, updatedReplicas: pods.length, availableReplicas: 0 });
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  return findBlocking(
    { cloneSet, pods, nodes: byName, status: counted, scaling: { waitingForNames: [], limitedTo: undefined, ...scaling } },
    { ...aContext({}, now), resources },
  );
}

const aNode = (name: string, ready: 'True' | 'False' | 'Unknown'): Node =>
  slimNode({
    metadata: { name, annotations: { much: 'more' } },
    status: { conditions: [{ type: 'Ready', status: ready }], images: [{ names: ['a'] }] },
  });

/** In the middle of an update in place that began at {@link epoch}. */
const updating = (shape: PodShape, state: object = {}, more: Readonly<Record<string, string>> = {}): Pod =>
  held('Updating', {
    ...shape,
    annotations: {
      'apps.kruise.io/inplace-update-state': JSON.stringify({
        revision: 'web-2',
        updateTimestamp: formatTime(epoch),
        lastContainerStatuses: null,
        containerBatchesRecord: [{ timestamp: formatTime(epoch), containers: ['main'] }],
        ...state,
      }),
      ...more,
    },
  });

const lifecycle = (hook: 'preDelete' | 'inPlaceUpdate' | 'preNormal'): CloneSetShape => ({
  spec: { lifecycle: { [hook]: { labelsHandler: { traffic: 'on' }, finalizersHandler: ['example.com/drain'] } } },
});

describe('what prevents progress of a CloneSet', () => {
  it.each<{ name: string; given: Given; then: BlockingCause | undefined }>([
    { name: 'nothing blocks what is done', given: { status: counters() }, then: undefined },
    { name: 'a Pod that takes its time blocks nothing', given: { pods: [starting({})] }, then: undefined },
    {
      name: 'an image that cannot be pulled',
      given: { pods: [starting(waitingFor('ImagePullBackOff', 'Back-off pulling image'), { image: 'app:none' })] },
      then: { reason: 'ImageCannotBePulled', message: 'container main of Pod web-a cannot pull image app:none' },
    },
    {
      name: 'the same words while the runtime tries again',
      given: { pods: [starting(waitingFor('ErrImagePull', 'not found'), { image: 'app:none' })] },
      then: { reason: 'ImageCannotBePulled', message: 'container main of Pod web-a cannot pull image app:none' },
    },
    {
      name: 'a container that lacks its ConfigMap',
      given: { pods: [starting(waitingFor('CreateContainerConfigError', 'configmap "x" not found'))] },
      then: { reason: 'ContainerCannotStart', message: 'container main of Pod web-a cannot be started: configmap "x" not found' },
    },
    {
      name: 'a container that crashes',
      given: { pods: [starting(waitingFor('CrashLoopBackOff'))] },
      then: { reason: 'ContainerCrashes', message: 'container main of Pod web-a keeps crashing, last with exit code 7' },
    },
    { name: 'a container that is being created', given: { pods: [starting(waitingFor('ContainerCreating'))] }, then: undefined },
    {
      name: 'a Pod without a place',
      given: {
        pods: [
          starting(conditions({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' })),
        ],
      },
      then: { reason: 'Unschedulable', message: 'Pod web-a cannot be scheduled: 0/3 nodes are available' },
    },
    {
      name: 'an update that waits for its hook',
      given: { set: lifecycle('inPlaceUpdate'), pods: [held('PreparingUpdate', { labels: { traffic: 'on' } })] },
      then: { reason: 'WaitingForHook', message: 'Pod web-a is held in PreparingUpdate by label traffic=on' },
    },
    {
      name: 'a deletion that waits for its hook',
      given: { set: lifecycle('preDelete'), pods: [held('PreparingDelete', { finalizers: ['example.com/drain'] })] },
      then: { reason: 'WaitingForHook', message: 'Pod web-a is held in PreparingDelete by finalizer example.com/drain' },
    },
    {
      name: 'a new Pod that waits to be let into service',
      given: { set: lifecycle('preNormal'), pods: [held('PreparingNormal', { labels: { traffic: 'on' } })] },
      then: { reason: 'WaitingForHook', message: 'Pod web-a is held in PreparingNormal until it carries finalizer example.com/drain' },
    },
    {
      name: 'an updated Pod that waits to be let back into service',
      given: { set: lifecycle('inPlaceUpdate'), pods: [held('Updated', { finalizers: ['example.com/drain'] })] },
      then: { reason: 'WaitingForHook', message: 'Pod web-a is held in Updated until it carries label traffic=on' },
    },
    {
      name: 'a hook that has let go holds nothing',
      given: { set: lifecycle('inPlaceUpdate'), pods: [held('PreparingUpdate')] },
      then: undefined,
    },
    {
      name: 'names that terminating Pods hold',
      given: { status: counters(), scaling: { waitingForNames: ['web-b', 'web-c'] } },
      then: { reason: 'WaitingForNames', message: 'terminating Pods hold the names that new Pods need: web-b, web-c' },
    },
    {
      name: 'a scale limit that is used up',
      given: { status: counters(), scaling: { limitedTo: 0 } },
      then: {
        reason: 'ScaleLimited',
        message: 'no Pod may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available',
      },
    },
    { name: 'a scale limit that lets some be created', given: { status: counters(), scaling: { limitedTo: 1 } }, then: undefined },
    {
      name: 'a Pod that is not ready for long',
      given: {
        pods: [
          starting(conditions({ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z', message: 'unready: [main]' })),
        ],
        now: late,
      },
      then: { reason: 'NotReady', message: 'Pod web-a is not ready: unready: [main]' },
    },
    {
      name: 'a deleted node, before its Pod that is not ready',
      given: {
        pods: [starting(conditions({ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }), { node: 'n1' })],
        nodes: [aNode('n1', 'Unknown'), aNode('n2', 'True')],
        now: late,
      },
      then: {
        reason: 'NodeLost',
        message: 'node n1 of Pod web-a no longer reports; restore the node, or delete its Node object after it is shut down',
      },
    },
    {
      name: 'a node that reports, if only that it is not ready',
      given: { pods: [starting({}, { node: 'n1' })], nodes: [aNode('n1', 'False')] },
      then: undefined,
    },
    {
      name: 'cpu that the node does not have',
      given: {
        pods: [
          {
            ...updating({}),
            status: {
              phase: 'Running',
              conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible', message: 'node has 2 cpu' }],
            },
          },
        ],
      },
      then: { reason: 'ResizePending', message: 'the new CPU and memory of Pod web-a are infeasible: node has 2 cpu' },
    },
    {
      name: 'an update that ends nowhere although the Pod is ready',
      given: { pods: [updating({}, { updateResources: true })], now: late, resources: 'BySubresource' },
      then: {
        reason: 'NotReady',
        message: 'the update of Pod web-a is not complete: container main does not run with its new resources yet',
      },
    },
    {
      name: 'an update of a ready Pod that may still come to its end',
      given: { pods: [updating({}, { updateResources: true })], now: soon, resources: 'BySubresource' },
      then: undefined,
    },
    {
      name: 'a Pod that became ready an hour from now',
      given: { set: { spec: { minReadySeconds: 10 } }, pods: [becameReady(late)] },
      then: {
        reason: 'ClockSkew',
        message:
          'minReadySeconds of Pod web-a counts from 2026-01-01T01:00:00Z, which is in the future for the manager: synchronize the clocks of the nodes',
      },
    },
    {
      name: 'a grace period that began an hour from now',
      given: {
        pods: [
          updating(
            {},
            { updateTimestamp: formatTime(late) },
            { 'apps.kruise.io/inplace-update-grace': '{"revision":"web-2","graceSeconds":5}' },
          ),
        ],
      },
      then: {
        reason: 'ClockSkew',
        message:
          'the grace period of Pod web-a counts from 2026-01-01T01:00:00Z, which is in the future for the manager: synchronize the clocks of the nodes',
      },
    },
    {
      name: 'a Pod that is not ready since an hour from now',
      given: {
        pods: [starting(conditions({ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T01:00:00Z', message: 'why' }))],
      },
      then: { reason: 'NotReady', message: 'Pod web-a is not ready: why' },
    },
    {
      name: 'limits that let no Pod be updated',
      given: { set: { rollingUpdate: { maxUnavailable: 0 } }, status: underway },
      then: {
        reason: 'UpdateLimited',
        message: '3 Pods wait for the update, but maxUnavailable and maxSurge resolve to 0 Pods; raise one of them',
      },
    },
    {
      name: 'a pause',
      given: { set: { rollingUpdate: { paused: true } }, status: underway },
      then: { reason: 'Paused', message: 'the update is paused; 3 Pods wait for it' },
    },
    { name: 'a pause with nothing to update', given: { set: { rollingUpdate: { paused: true } }, status: counters() }, then: undefined },
    {
      name: 'a pause with all updated that the partition lets',
      given: {
        set: { rollingUpdate: { paused: true, partition: 3 } },
        status: { ...underway, expectedUpdatedReplicas: 2, updatedAvailableReplicas: 1 },
      },
      then: undefined,
    },
    {
      name: 'a pause with one Pod that waits',
      given: { set: { rollingUpdate: { paused: true } }, status: { ...underway, updatedReplicas: 4 } },
      then: { reason: 'Paused', message: 'the update is paused; 1 Pod waits for it' },
    },
    {
      name: 'no limits, but surge',
      given: { set: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }, status: underway },
      then: undefined,
    },
    {
      name: 'no surge, but room for Pods that are not available',
      given: { set: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }, status: underway },
      then: undefined,
    },
    {
      name: 'the strategy OnDelete when nothing is old',
      given: { set: { type: 'OnDelete' }, status: { ...underway, updatedReplicas: 5 } },
      then: undefined,
    },
    {
      name: 'the strategy OnDelete when there is one revision',
      given: { set: { type: 'OnDelete' }, status: counters({ updatedReplicas: 3 }) },
      then: undefined,
    },
    {
      name: 'a rollout of all that only takes its time',
      given: { status: { ...underway, updatedReplicas: 4, updatedAvailableReplicas: 5, expectedUpdatedReplicas: 5 } },
      then: undefined,
    },
    {
      name: 'the strategy OnDelete',
      given: { set: { type: 'OnDelete' }, status: underway },
      then: {
        reason: 'OnDelete',
        message: '3 Pods of older revisions are updated only when a user deletes them (update strategy OnDelete)',
      },
    },
    {
      name: 'the partition',
      given: { set: { rollingUpdate: { partition: 3 } }, status: { ...underway, expectedUpdatedReplicas: 2 } },
      then: { reason: 'PartitionReached', message: 'the partition is reached: 3 Pods keep older revisions' },
    },
    {
      name: 'the partition, and a Pod that was prepared before it was raised',
      given: {
        set: { rollingUpdate: { partition: 3 } },
        pods: [held('Normal', { name: 'web-0' }), held('PreparingUpdate'), held('PreparingUpdate', { name: 'web-b' })],
        status: { ...underway, expectedUpdatedReplicas: 2 },
      },
      then: {
        reason: 'PartitionReached',
        message:
          'the partition is reached: 3 Pods keep older revisions; Pod web-a stays in PreparingUpdate until the partition is lowered or the template rolled back',
      },
    },
    {
      name: 'a partition that is not reached yet',
      given: { set: { rollingUpdate: { partition: 2 } }, status: { ...underway, expectedUpdatedReplicas: 3 } },
      then: undefined,
    },
    {
      name: 'a marked Pod that may not go, as no Pod may be unavailable and none may come first while it is paused',
      given: {
        set: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1, paused: true } },
        pods: [aPod({ name: 'web-a', labels: { 'apps.kruise.io/specified-delete': 'true' } })],
        status: counters({ replicas: 1, availableReplicas: 1 }),
      },
      then: {
        reason: 'UpdateLimited',
        message:
          '1 Pod waits to be replaced, Pod web-a first, but maxUnavailable and maxSurge resolve to 0 Pods while the update is paused; resume it, or raise maxUnavailable',
      },
    },
    {
      name: 'a fault before a hook, a hook before a pause',
      given: {
        set: { ...lifecycle('preDelete'), rollingUpdate: { paused: true } },
        pods: [
          held('PreparingDelete', { labels: { traffic: 'on' } }),
          starting(waitingFor('ImagePullBackOff'), { name: 'web-z', image: 'app:none' }),
        ],
      },
      then: { reason: 'ImageCannotBePulled', message: 'container main of Pod web-z cannot pull image app:none' },
    },
  ])('$name', ({ given, then }) => {
    expect(find(given).cause).toEqual(then);
  });

  it('asks to be looked at again when the patience with a Pod is over', () => {
    const pod = starting(conditions({ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }));
    const first = find({ pods: [pod], now: soon });
    expect(first).toEqual({ requeueAfter: 55_000 });
    expect(find({ pods: [pod], now: instant(soon + (first.requeueAfter ?? 0)) }).cause?.reason).toBe('NotReady');
  });

  it('asks to be looked at again also while a cause of less weight holds', () => {
    const pod = starting(conditions({ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }));
    const given = { set: { rollingUpdate: { paused: true } }, pods: [pod], status: { ...underway, availableReplicas: 4 } };
    const first = find({ ...given, now: soon });
    expect([first.cause?.reason, first.requeueAfter]).toEqual(['Paused', 55_000]);
    expect(find({ ...given, now: instant(soon + (first.requeueAfter ?? 0)) }).cause?.reason).toBe('NotReady');
  });

  it('requests the earliest of several Pods, and for none whose patience is not counted', () => {
    const since = (name: string, time: string): Pod =>
      starting(conditions({ type: 'Ready', status: 'False', lastTransitionTime: time }), { name });
    const pods = [
      since('web-b', '2026-01-01T00:00:03Z'),
      since('web-a', '2026-01-01T00:00:01Z'),
      starting(conditions(), { name: 'web-c' }),
    ];
    expect(find({ pods, now: soon })).toEqual({ requeueAfter: 56_000 });
    expect(find({ pods: [starting(conditions())], now: soon })).toEqual({});
    // Its update came to its end long ago, and the next pass says so.
    expect(find({ pods: [updating({})], now: late })).toEqual({});
  });

  it('looks only at Pods that are not available', () => {
    const pod = { ...aPod({ name: 'web-a' }), status: { ...aPod({}).status, ...waitingFor('ErrImagePull') } };
    const status = { replicas: 2, updatedReplicas: 2, availableReplicas: 1 };
    expect(find({ pods: [pod, starting({}, { name: 'web-b' })], status: counters(status) }).cause).toBeUndefined();
  });
});

describe('a rollout that gets stuck', () => {
  const template = (image: string): CloneSet['spec']['template'] => ({
    metadata: { labels: { app: 'sample' } },
    spec: { containers: [{ name: 'main', image }] },
  });

  it('says so once patience is over, and no longer when the user has rolled back', () => {
    const simulation = new Simulation(aCloneSet({ replicas: 5 }), { brokenImages: new Set(['app:broken']) });
    simulation.settle();
    expect(simulation.plan().blockedBy).toBeUndefined();
    simulation.change({ template: template('app:broken') });
    simulation.settle();
    simulation.tick(61);
    const cause = simulation.plan().blockedBy;
    expect(cause?.reason).toBe('NotReady');
    expect(cause?.message).toMatch(/^Pod sample-\w+ is not ready/);
    simulation.change({ template: template('app:1') });
    simulation.settle();
    expect(simulation.plan().blockedBy).toBeUndefined();
  });

  it('says that the partition is reached until the partition is removed', () => {
    const simulation = new Simulation(aCloneSet({ replicas: 5, rollingUpdate: { partition: 3 } }));
    simulation.settle();
    expect(simulation.plan().blockedBy).toBeUndefined();
    simulation.change({ template: template('app:2') });
    simulation.settle();
    expect(simulation.plan().blockedBy?.reason).toBe('PartitionReached');
    simulation.change({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', partition: 0 } } });
    simulation.settle();
    expect(simulation.plan().blockedBy).toBeUndefined();
  });
});
