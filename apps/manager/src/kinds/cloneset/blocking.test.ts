import { describe, expect, it } from '@jest/globals';
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { instant, type Pod, type PodCondition, type PodStatus } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { findBlocking, firstCause, withBlocking, type BlockingCause, type Blocking, type ScalingObstacles } from './blocking.ts';
import { Simulation } from './simulation.testing.ts';
import { aCloneSet, at, type CloneSetShape } from './testing.ts';

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
  readonly now?: typeof soon;
}

function find({ set = {}, pods = [], status, scaling = {}, now = soon }: Given): Blocking {
  const cloneSet: CloneSet = aCloneSet(set);
  const counted = status ?? counters({ replicas: pods.length, updatedReplicas: pods.length, availableReplicas: 0 });
  return findBlocking({ cloneSet, pods, status: counted, scaling: { waitingForNames: [], limitedTo: undefined, ...scaling } }, at({}, now));
}

const lifecycle = (hook: 'preDelete' | 'inPlaceUpdate' | 'preNormal'): CloneSetShape => ({
  spec: { lifecycle: { [hook]: { labelsHandler: { traffic: 'on' }, finalizersHandler: ['example.com/drain'] } } },
});

describe('why a CloneSet does not get on', () => {
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
      then: { reason: 'WaitingForNames', message: 'terminating Pods hold the names that are to be used again: web-b, web-c' },
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
      name: 'a pause',
      given: { set: { rollingUpdate: { paused: true } }, status: underway },
      then: { reason: 'Paused', message: 'the update is paused, 3 Pods wait for it' },
    },
    { name: 'a pause with nothing to update', given: { set: { rollingUpdate: { paused: true } }, status: counters() }, then: undefined },
    {
      name: 'the strategy OnDelete',
      given: { set: { type: 'OnDelete' }, status: underway },
      then: {
        reason: 'OnDelete',
        message: '3 Pods of older revisions are updated when somebody deletes them (update strategy OnDelete)',
      },
    },
    {
      name: 'the partition',
      given: { set: { rollingUpdate: { partition: 3 } }, status: { ...underway, expectedUpdatedReplicas: 2 } },
      then: { reason: 'PartitionReached', message: 'the partition is reached: 3 Pods are to stay at older revisions' },
    },
    {
      name: 'a partition that is not reached yet',
      given: { set: { rollingUpdate: { partition: 2 } }, status: { ...underway, expectedUpdatedReplicas: 3 } },
      then: undefined,
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
    expect(first).toEqual({ lookAgainAfter: 55_000 });
    expect(find({ pods: [pod], now: instant(soon + (first.lookAgainAfter ?? 0)) }).cause?.reason).toBe('NotReady');
  });

  it('names what the API server refuses before all else', () => {
    const found: BlockingCause = { reason: 'Paused', message: 'the update is paused, 3 Pods wait for it' };
    expect(firstCause({}, found)).toBe(found);
    expect(firstCause({ update: 'no' }, found)).toEqual({ reason: 'UpdatingFails', message: 'Pods cannot be updated: no' });
    expect(firstCause({ scale: 'exceeded quota: q', update: 'no' }, undefined)).toEqual({
      reason: 'ScalingFails',
      message: 'Pods cannot be created or deleted: exceeded quota: q',
    });
  });
});

describe('the condition Blocked', () => {
  const cause: BlockingCause = { reason: 'Paused', message: 'the update is paused, 3 Pods wait for it' };
  const other = { type: 'FailedScale', status: 'True', message: 'no', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;

  it('is there while something blocks, keeps the others, and is gone with the cause', () => {
    const status = { ...counters(), conditions: [other] };
    const shown = withBlocking(status, cause, epoch);
    expect(shown.conditions).toEqual([other, { type: 'Blocked', status: 'True', ...cause, lastTransitionTime: '2026-01-01T00:00:00Z' }]);
    expect(withBlocking(shown, undefined, soon)).toEqual(status);
    expect(withBlocking(withBlocking(counters(), cause, epoch), undefined, soon)).toEqual(counters());
  });

  it('does not change while the cause stays, and changes its words with the cause', () => {
    const shown = withBlocking(counters(), cause, epoch);
    expect(withBlocking(shown, cause, late)).toEqual(shown);
    expect(withBlocking(shown, { ...cause, message: 'another' }, late).conditions?.[0]).toMatchObject({
      message: 'another',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
  });
});

describe('a rollout that gets stuck', () => {
  const template = (image: string): CloneSet['spec']['template'] => ({
    metadata: { labels: { app: 'sample' } },
    spec: { containers: [{ name: 'main', image }] },
  });

  it('says so once patience is over, and no longer when the user has rolled back', () => {
    const world = new Simulation(aCloneSet({ replicas: 5 }), { brokenImages: new Set(['app:broken']) });
    world.settle();
    expect(world.plan().blockedBy).toBeUndefined();
    world.change({ template: template('app:broken') });
    world.settle();
    world.tick(61);
    const cause = world.plan().blockedBy;
    expect(cause?.reason).toBe('NotReady');
    expect(cause?.message).toMatch(/^Pod sample-\w+ is not ready/);
    world.change({ template: template('app:1') });
    world.settle();
    expect(world.plan().blockedBy).toBeUndefined();
  });

  it('says that the partition is reached until the partition goes', () => {
    const world = new Simulation(aCloneSet({ replicas: 5, rollingUpdate: { partition: 3 } }));
    world.settle();
    expect(world.plan().blockedBy).toBeUndefined();
    world.change({ template: template('app:2') });
    world.settle();
    expect(world.plan().blockedBy?.reason).toBe('PartitionReached');
    world.change({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', partition: 0 } } });
    world.settle();
    expect(world.plan().blockedBy).toBeUndefined();
  });
});
