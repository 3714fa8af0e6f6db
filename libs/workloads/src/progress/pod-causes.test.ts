/** The causes that one Pod shows for not being available; each rule with and without its cause. */
import { describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@kruise/api';
import { formatTime, instant, type ContainerStatus, type Node, type Pod, type PodCondition } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import {
  clockSkew,
  containerFaults,
  nodeLost,
  notReady,
  patienceLeft,
  resizePending,
  unschedulable,
  waitingForHook,
} from './pod-causes.ts';

const aNode = (name: string): Node => ({ metadata: { name } });
const now = instant(epoch + 3_600_000);
const ago = (seconds: number): string => formatTime(instant(now - seconds * 1000));
const plain: PodShape = { name: 'web-a' };
const inState = (state: string, shape: PodShape = {}): Pod =>
  aPod({ ...plain, ...shape, labels: { 'lifecycle.apps.kruise.io/state': state, ...shape.labels } });

const statusOf = (name: string, more: object = {}): ContainerStatus => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...more,
});
const waiting = (name: string, reason: string, message?: string): ContainerStatus =>
  statusOf(name, { state: { waiting: { reason, ...(message === undefined ? {} : { message }) } } });

interface Containers {
  readonly containers?: readonly ContainerStatus[];
  readonly init?: readonly ContainerStatus[];
}
function running({ containers, init }: Containers): Pod {
  const pod = aPod(plain);
  return {
    ...pod,
    spec: {
      containers: [
        { name: 'main', image: 'app:1' },
        { name: 'log', image: 'log:1' },
      ],
      initContainers: [{ name: 'init', image: 'init:1' }],
    },
    status: {
      ...(containers === undefined ? {} : { containerStatuses: containers }),
      ...(init === undefined ? {} : { initContainerStatuses: init }),
    },
  };
}

describe('a container that cannot pull, start or keep running', () => {
  const crash = (lastState?: object): ContainerStatus =>
    statusOf('main', { state: { waiting: { reason: 'CrashLoopBackOff' } }, ...(lastState === undefined ? {} : { lastState }) });
  const start = (message: string | undefined): ContainerStatus => waiting('main', 'CreateContainerError', message);
  const cannot = 'container main of Pod web-a cannot be started: ';

  it.each<{ name: string; given: Containers; then: string | undefined }>([
    { name: 'nothing is reported for a Pod without statuses', given: {}, then: undefined },
    { name: 'nor of a container without a state', given: { containers: [statusOf('main')] }, then: undefined },
    { name: 'nor of one that runs', given: { containers: [statusOf('main', { state: { running: {} } })] }, then: undefined },
    {
      name: 'nor of one that waits without a reason',
      given: { containers: [statusOf('main', { state: { waiting: {} } })] },
      then: undefined,
    },
    ...[
      'ErrImagePull',
      'ImagePullBackOff',
      'InvalidImageName',
      'ErrImageNeverPull',
      'ImageInspectError',
      'RegistryUnavailable',
      'SignatureValidationFailed',
    ].map((reason) => ({
      name: `its own image is named (${reason})`,
      given: { containers: [statusOf('main', { state: { running: {} } }), waiting('log', reason)] },
      then: 'ImageCannotBePulled: container log of Pod web-a cannot pull image log:1',
    })),
    {
      name: 'the image of an init container',
      given: { init: [waiting('init', 'ErrImagePull')] },
      then: 'ImageCannotBePulled: container init of Pod web-a cannot pull image init:1',
    },
    {
      name: 'a container that is not in the spec has no image',
      given: { containers: [waiting('other', 'ErrImagePull')] },
      then: 'ImageCannotBePulled: container other of Pod web-a cannot pull image ',
    },
    ...[
      'CreateContainerConfigError',
      'CreateContainerError',
      'RunContainerError',
      'PreCreateHookError',
      'PreStartHookError',
      'PostStartHookError',
    ].map((reason) => ({
      name: `the reason is reported when there is no message (${reason})`,
      given: { containers: [waiting('main', reason)] },
      then: `ContainerCannotStart: ${cannot}${reason}`,
    })),
    {
      name: 'the message is reported',
      given: { containers: [start('no such file')] },
      then: `ContainerCannotStart: ${cannot}no such file`,
    },
    {
      name: 'an empty message is omitted',
      given: { containers: [start('')] },
      then: 'ContainerCannotStart: container main of Pod web-a cannot be started',
    },
    {
      name: 'a message of 300 characters is reported whole',
      given: { containers: [start('x'.repeat(300))] },
      then: `ContainerCannotStart: ${cannot}${'x'.repeat(300)}`,
    },
    {
      name: 'a longer one is truncated',
      given: { containers: [start('x'.repeat(301))] },
      then: `ContainerCannotStart: ${cannot}${'x'.repeat(300)}…`,
    },
    {
      name: 'the last exit code of one that crashes',
      given: { containers: [crash({ terminated: { exitCode: 7 } })] },
      then: 'ContainerCrashes: container main of Pod web-a keeps crashing, last with exit code 7',
    },
    {
      name: 'one that crashes and whose end is unknown',
      given: { containers: [crash({})] },
      then: 'ContainerCrashes: container main of Pod web-a keeps crashing',
    },
    {
      name: 'one that crashes and has no last state',
      given: { containers: [crash()] },
      then: 'ContainerCrashes: container main of Pod web-a keeps crashing',
    },
    {
      name: 'init containers come first',
      given: { init: [waiting('init', 'ErrImagePull')], containers: [waiting('main', 'ErrImagePull')] },
      then: 'ImageCannotBePulled: container init of Pod web-a cannot pull image init:1',
    },
    {
      name: 'then containers in their order',
      given: { containers: [waiting('main', 'ErrImagePull'), waiting('log', 'ErrImagePull')] },
      then: 'ImageCannotBePulled: container main of Pod web-a cannot pull image app:1',
    },
  ])('$name', ({ given, then }) => {
    const [cause] = containerFaults(running(given));
    expect(cause && `${cause.reason}: ${cause.message}`).toBe(then);
  });

  it('nothing is reported for a Pod without a status or init containers', () => {
    const { status: _status, ...pod } = aPod(plain);
    expect(containerFaults(pod)).toEqual([]);
    const pulling = { ...pod, status: { containerStatuses: [waiting('main', 'ErrImagePull')] } };
    expect(containerFaults(pulling)[0]?.message).toBe('container main of Pod web-a cannot pull image app:1');
  });
});

const withConditions = (pod: Pod, ...conditions: readonly PodCondition[]): Pod => ({ ...pod, status: { ...pod.status, conditions } });

describe('a Pod that cannot be scheduled', () => {
  it.each<{ name: string; condition: PodCondition | undefined; then: string | undefined }>([
    {
      name: 'the message',
      condition: { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' },
      then: 'Pod web-a cannot be scheduled: no room',
    },
    {
      name: 'the reason when there is no message',
      condition: { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
      then: 'Pod web-a cannot be scheduled: SchedulingGated',
    },
    { name: 'neither', condition: { type: 'PodScheduled', status: 'False' }, then: 'Pod web-a cannot be scheduled' },
    { name: 'nothing for a scheduled Pod', condition: { type: 'PodScheduled', status: 'True' }, then: undefined },
    { name: 'nothing for a Pod that the scheduler has not seen', condition: undefined, then: undefined },
  ])('reports $name', ({ condition, then }) => {
    const pod = condition === undefined ? aPod(plain) : withConditions(aPod(plain), condition);
    expect(unschedulable(pod)).toEqual(then === undefined ? undefined : { reason: 'Unschedulable', message: then });
  });
});

describe('a Pod whose node does not report', () => {
  const node = (status: string): ReturnType<typeof aNode> => ({ ...aNode('n1'), status: { conditions: [{ type: 'Ready', status }] } });
  it.each<{ name: string; status?: string; of?: string; lost: boolean }>([
    { name: 'is reported', status: 'Unknown', of: 'n1', lost: true },
    { name: 'not while the node reports', status: 'False', of: 'n1', lost: false },
    { name: 'not when it is on another node', status: 'Unknown', of: 'n2', lost: false },
    { name: 'not without a node', status: 'Unknown', of: '', lost: false },
  ])('$name', ({ status = 'True', of = 'n1', lost }) => {
    const cause = nodeLost(aPod({ ...plain, node: of }), new Map([['n1', node(status)]]));
    expect(cause).toEqual(
      lost
        ? {
            reason: 'NodeLost',
            message: 'node n1 of Pod web-a no longer reports; restore the node, or delete its Node object after it is shut down',
          }
        : undefined,
    );
  });
});

describe('cpu and memory that the node cannot give', () => {
  const pending = (state: string, more: object): Pod =>
    withConditions(inState(state), { type: 'PodResizePending', status: 'True', ...more });
  it.each<{ name: string; given: Pod; then: string | undefined }>([
    {
      name: 'are named with reason and message',
      given: pending('Updating', { reason: 'Deferred', message: 'later' }),
      then: 'are deferred: later',
    },
    { name: 'are named without', given: pending('Updating', {}), then: 'are not granted' },
    { name: 'not where no update runs', given: pending('Normal', { reason: 'Deferred' }), then: undefined },
    { name: 'not when they are granted', given: pending('Updating', { status: 'False' }), then: undefined },
    { name: 'not when there is no report about them', given: inState('Updating'), then: undefined },
  ])('$name', ({ given, then }) => {
    expect(resizePending(given)).toEqual(
      then === undefined ? undefined : { reason: 'ResizePending', message: `the new CPU and memory of Pod web-a ${then}` },
    );
  });
});

describe('a hook that holds a Pod', () => {
  const hook = { labelsHandler: { a: '1', b: '2' }, finalizersHandler: ['example.com/x', 'example.com/y'] };
  const all: Lifecycle = { preDelete: hook, inPlaceUpdate: hook, preNormal: hook };
  const carrying: PodShape = { labels: { a: '1', b: 'other' }, finalizers: ['example.com/x'] };
  const whole: PodShape = { labels: { a: '1', b: '2' }, finalizers: ['example.com/x', 'example.com/y'] };
  const by = 'by finalizer example.com/x, label a=1';
  const until = 'until it carries finalizer example.com/y, label b=2';

  it.each<{ name: string; pod: Pod; lifecycle?: Lifecycle; then: string | undefined }>([
    {
      name: 'names what the Pod has in PreparingUpdate',
      pod: inState('PreparingUpdate', carrying),
      lifecycle: { inPlaceUpdate: hook },
      then: `PreparingUpdate ${by}`,
    },
    {
      name: 'names what the Pod has in PreparingDelete',
      pod: inState('PreparingDelete', carrying),
      lifecycle: { preDelete: hook },
      then: `PreparingDelete ${by}`,
    },
    {
      name: 'names what the Pod lacks in PreparingNormal',
      pod: inState('PreparingNormal', carrying),
      lifecycle: { preNormal: hook },
      then: `PreparingNormal ${until}`,
    },
    {
      name: 'names what the Pod lacks in Updated',
      pod: inState('Updated', carrying),
      lifecycle: { inPlaceUpdate: hook },
      then: `Updated ${until}`,
    },
    {
      name: 'names all of it when the Pod has nothing',
      pod: inState('Updated'),
      lifecycle: { inPlaceUpdate: hook },
      then: 'Updated until it carries finalizer example.com/x, finalizer example.com/y, label a=1, label b=2',
    },
    {
      name: 'names labels alone',
      pod: inState('PreparingUpdate', carrying),
      lifecycle: { inPlaceUpdate: { labelsHandler: { a: '1' } } },
      then: 'PreparingUpdate by label a=1',
    },
    {
      name: 'names missing labels alone',
      pod: inState('PreparingNormal'),
      lifecycle: { preNormal: { labelsHandler: { a: '1' } } },
      then: 'PreparingNormal until it carries label a=1',
    },
    {
      name: 'names finalizers alone',
      pod: inState('PreparingUpdate', carrying),
      lifecycle: { inPlaceUpdate: { finalizersHandler: ['example.com/x'] } },
      then: 'PreparingUpdate by finalizer example.com/x',
    },
    { name: 'is not reported when it has released the Pod', pod: inState('PreparingUpdate'), lifecycle: all, then: undefined },
    { name: 'is not reported when the Pod has all of it', pod: inState('PreparingNormal', whole), lifecycle: all, then: undefined },
    { name: 'is not reported in Normal', pod: inState('Normal', carrying), lifecycle: all, then: undefined },
    { name: 'is not reported in Updating', pod: inState('Updating', carrying), lifecycle: all, then: undefined },
    ...['PreparingUpdate', 'PreparingDelete', 'PreparingNormal', 'Updated'].flatMap((state) => [
      { name: `is none in ${state} without a lifecycle`, pod: inState(state), then: undefined },
      { name: `is none in ${state} without that hook`, pod: inState(state), lifecycle: {}, then: undefined },
    ]),
  ])('$name', ({ pod, lifecycle, then }) => {
    expect(waitingForHook(pod, lifecycle)).toEqual(
      then === undefined ? undefined : { reason: 'WaitingForHook', message: `Pod web-a is held in ${then}` },
    );
  });
});

/** A Ready condition since this many seconds; negative is the future. */
const readySince = (status: string, seconds: number | undefined, message?: string): PodCondition => ({
  type: 'Ready',
  status,
  ...(seconds === undefined ? {} : { lastTransitionTime: ago(seconds) }),
  ...(message === undefined ? {} : { message }),
});
/** In an update that began this many seconds ago, its last batch `batch` seconds ago. */
const updating = (began: number, batch: number | undefined, more: { grace?: boolean; state?: string; update?: object } = {}): Pod => {
  const { grace = false, state = 'Updating', update = {} } = more;
  return inState(state, {
    annotations: {
      'apps.kruise.io/inplace-update-state': JSON.stringify({
        revision: 'web-2',
        updateTimestamp: ago(began),
        lastContainerStatuses: null,
        ...(batch === undefined
          ? {}
          : {
              containerBatchesRecord: [
                { timestamp: ago(began), containers: ['log'] },
                { timestamp: ago(batch), containers: ['main'] },
              ],
            }),
        ...update,
      }),
      ...(grace ? { 'apps.kruise.io/inplace-update-grace': '{"revision":"web-2","graceSeconds":5}' } : {}),
    },
  });
};
const unread = inState('Updating', { annotations: { 'apps.kruise.io/inplace-update-state': '{' } });

describe('a time in the future', () => {
  const reportOf = (what: string, seconds: number): string =>
    `${what} of Pod web-a counts from ${ago(seconds)}, which is in the future for the manager: synchronize the clocks of the nodes`;
  const min = 'minReadySeconds';
  const grace = 'the grace period';

  it.each<{ name: string; pod: Pod; minReadySeconds?: number; then: string | undefined }>([
    {
      name: 'is reported when minReadySeconds counts from it',
      pod: withConditions(aPod(plain), readySince('True', -11)),
      then: reportOf(min, -11),
    },
    { name: 'not up to ten seconds', pod: withConditions(aPod(plain), readySince('True', -10)), then: undefined },
    { name: 'not without minReadySeconds', pod: withConditions(aPod(plain), readySince('True', -11)), minReadySeconds: 0, then: undefined },
    { name: 'not of a Pod that is not ready', pod: withConditions(aPod(plain), readySince('False', -11)), then: undefined },
    { name: 'not of a Pod without a Ready condition', pod: withConditions(aPod(plain)), then: undefined },
    {
      name: 'is reported when a grace period counts from it',
      pod: updating(-11, undefined, { grace: true }),
      minReadySeconds: 0,
      then: reportOf(grace, -11),
    },
    { name: 'not when the update has no grace period to wait for', pod: updating(-11, undefined), then: undefined },
    { name: 'not when the grace period began before', pod: updating(5, undefined, { grace: true }), then: undefined },
    {
      name: 'first of minReadySeconds',
      pod: withConditions(updating(-20, undefined, { grace: true }), readySince('True', -30)),
      then: reportOf(min, -30),
    },
  ])('$name', ({ pod, minReadySeconds = 5, then }) => {
    const cause = clockSkew(pod, minReadySeconds, now);
    expect(cause).toEqual(then === undefined ? undefined : { reason: 'ClockSkew', message: then });
  });
});

describe('the patience with a Pod', () => {
  const batchAt = (seconds: number): object => ({ timestamp: ago(seconds), containers: ['main'] });
  it.each<{ name: string; pod: Pod; then: number | undefined }>([
    { name: 'is a minute from when it was last ready', pod: withConditions(aPod(plain), readySince('False', 20)), then: 40_000 },
    { name: 'is over after that', pod: withConditions(aPod(plain), readySince('False', 61)), then: -1000 },
    { name: 'is none when the time is in the future', pod: withConditions(aPod(plain), readySince('False', -11)), then: 0 },
    { name: 'is longer by the clock tolerance', pod: withConditions(aPod(plain), readySince('False', -10)), then: 70_000 },
    { name: 'is not counted without a time', pod: withConditions(aPod(plain), readySince('False', undefined)), then: undefined },
    { name: 'is not counted for a Pod that is ready and in no update', pod: aPod(plain), then: undefined },
    { name: 'is not counted for a Pod without a Ready condition', pod: withConditions(aPod(plain)), then: undefined },
    { name: 'is a minute from the last batch of an update', pod: updating(50, 20), then: 40_000 },
    {
      name: 'is a minute from the only batch of an update',
      pod: updating(50, 20, { update: { containerBatchesRecord: [batchAt(30)] } }),
      then: 30_000,
    },
    { name: 'is not counted during a grace period', pod: updating(50, 20, { grace: true }), then: undefined },
    { name: 'is not counted for a completed update', pod: updating(50, 20, { state: 'Normal' }), then: undefined },
    { name: 'is not counted before the first batch', pod: updating(50, undefined), then: undefined },
    { name: 'is not counted when the annotation cannot be read', pod: unread, then: undefined },
    { name: 'is not counted when there is no annotation', pod: inState('Updating'), then: undefined },
  ])('$name', ({ pod, then }) => {
    expect(patienceLeft(pod, now)).toBe(then);
  });
});

describe('a Pod that makes no progress', () => {
  const late = { lastContainerStatuses: { gone: { imageID: 'old' } } };
  const resources = { updateResources: true };
  const context = (isResizing: boolean): Parameters<typeof notReady>[1] => ({ now, resources: isResizing ? 'BySubresource' : 'Ignored' });

  it.each<{ name: string; pod: Pod; isResizing?: boolean; then: string | undefined }>([
    {
      name: 'is reported when the minute is over',
      pod: withConditions(aPod(plain), readySince('False', 60, 'unready: [main]')),
      then: 'Pod web-a is not ready: unready: [main]',
    },
    { name: 'is not reported before', pod: withConditions(aPod(plain), readySince('False', 59)), then: undefined },
    { name: 'is reported without a message', pod: withConditions(aPod(plain), readySince('False', 60)), then: 'Pod web-a is not ready' },
    { name: 'is not reported when no time is known', pod: withConditions(aPod(plain), readySince('False', undefined)), then: undefined },
    { name: 'is not reported while nothing is counted', pod: aPod(plain), then: undefined },
    {
      name: 'reports what its update waits for, although ready',
      pod: updating(90, 70, { update: resources }),
      isResizing: true,
      then: 'the update of Pod web-a is not complete: container main does not run with its new resources yet',
    },
    {
      name: 'is ready and has completed its update when resources are not changed',
      pod: updating(90, 70, { update: resources }),
      then: undefined,
    },
    {
      name: 'reports what its update waits for rather than that it is not ready',
      pod: withConditions(updating(90, 70, { update: late }), readySince('False', 60, 'unready')),
      then: expect.stringMatching(/^Pod web-a is not ready: container gone does not run its new image yet/) as never,
    },
    {
      name: 'reports that it is not ready when its update is complete',
      pod: withConditions(updating(90, 70), readySince('False', 60, 'unready')),
      then: 'Pod web-a is not ready: unready',
    },
    {
      name: 'reports so for an update whose Pod has no Ready condition',
      pod: withConditions(updating(90, 70)),
      then: 'Pod web-a is not ready',
    },
  ])('$name', ({ pod, isResizing = false, then }) => {
    expect(notReady(pod, context(isResizing))).toEqual(then === undefined ? undefined : { reason: 'NotReady', message: then });
  });
});
