import { describe, expect, it } from '@jest/globals';
import type { ContainerRecreateRequest } from '@kruise/api';
import { milliseconds, seconds, type Milliseconds, type Pod } from '@kruise/objects';
import { addNotReadyKey } from '@kruise/pods';
import { plan, type Action, type Seen } from './plan.ts';
import { planSnapshot } from './plan-snapshot.ts';
import { aRecreateRequest } from '@kruise/testing';
import { aWeb, finalizer, later } from './testing.ts';

const kinds = (actions: readonly Action[]): readonly string[] =>
  actions.map((action) => (action.kind === 'Complete' ? `Complete: ${action.message}` : action.kind));

interface Row {
  readonly name: string;
  readonly request: ContainerRecreateRequest;
  readonly pod?: Pod | undefined;
  readonly isNodeDeleted?: boolean;
  readonly at?: number;
  readonly then: readonly string[];
  readonly again?: Milliseconds;
}

function expectPlan({ request, at = 1, then, again, ...row }: Row): void {
  const seen: Seen = { request, pod: 'pod' in row ? row.pod : aWeb(), isNodeDeleted: row.isNodeDeleted ?? false };
  const { actions, requeueAfter } = plan(seen, later(at));
  expect([kinds(actions), requeueAfter]).toStrictEqual([then, again]);
}

const withoutLabels = (request: ContainerRecreateRequest): ContainerRecreateRequest => {
  const { labels: _labels, ...metadata } = request.metadata;
  return { ...request, metadata };
};

describe('an active request', () => {
  const recreating = aRecreateRequest({ phase: 'Recreating' });
  it.each<Row>([
    { name: 'waits for an answer', request: aRecreateRequest(), then: [], again: seconds(59) },
    {
      name: 'ends without one after 60 s',
      request: aRecreateRequest(),
      at: 60,
      then: ['Complete: daemon has not responded for a long time'],
    },
    { name: 'waits for its turn without end', request: aRecreateRequest({ phase: 'Pending' }), at: 9999, then: [] },
    {
      name: 'waits for its turn until its deadline',
      request: aRecreateRequest({ phase: 'Pending', spec: { activeDeadlineSeconds: 5 } }),
      then: [],
      again: seconds(4),
    },
    {
      name: 'ends at its deadline',
      request: aRecreateRequest({ phase: 'Recreating', spec: { activeDeadlineSeconds: 5 } }),
      at: 5,
      then: ['Complete: recreating has exceeded the activeDeadlineSeconds'],
    },
    {
      name: 'ends for the answer first',
      request: aRecreateRequest({ spec: { activeDeadlineSeconds: 90 } }),
      at: 61,
      then: ['Complete: daemon has not responded for a long time'],
    },
    {
      name: 'waits for an answer no longer than until its deadline',
      request: aRecreateRequest({ spec: { activeDeadlineSeconds: 5 } }),
      then: [],
      again: seconds(4),
    },
    { name: 'ends when it does not name its Pod', request: withoutLabels(recreating), then: ['Complete: pod has gone'] },
    {
      name: 'has all the time there is',
      request: aRecreateRequest({ phase: 'Pending', spec: { activeDeadlineSeconds: 2 ** 53 } }),
      then: [],
      again: seconds(3600),
    },
    { name: 'looks at its Pod', request: recreating, then: [], again: seconds(3) },
    {
      name: 'looks no later than at its deadline',
      request: aRecreateRequest({ phase: 'Recreating', spec: { activeDeadlineSeconds: 3 } }),
      at: 1.5,
      then: [],
      again: milliseconds(1500),
    },
    { name: 'ends without its Pod', request: recreating, pod: undefined, then: ['Complete: pod has gone'] },
    { name: 'ends with another Pod of the name', request: recreating, pod: aWeb({ uid: 'other' }), then: ['Complete: pod has gone'] },
    { name: 'ends when the Pod is going', request: aRecreateRequest(), pod: aWeb({ terminating: true }), then: ['Complete: pod has gone'] },
    { name: 'ends when the node is gone', request: recreating, isNodeDeleted: true, then: ['Complete: node has gone'] },
    {
      name: 'tells of the new container',
      request: recreating,
      pod: aWeb({ containerID: 'containerd://new', startedAt: later(1) }),
      then: ['RecordSnapshot'],
      again: seconds(3),
    },
  ])('$name', expectPlan);
});

describe('the Pod out of service', () => {
  const strategy = { unreadyGracePeriodSeconds: 0 };
  const conditions = [{ type: 'PreRecreateGrace', status: 'True' as const, lastTransitionTime: 'x', reason: 'r', message: '' }];
  const another = { ...conditions[0]!, type: 'Another' };
  const { strategy: _strategy, ...spec } = aRecreateRequest().spec;
  const withoutStrategy: ContainerRecreateRequest = { ...aRecreateRequest({ phase: 'Recreating' }), spec };
  const held = addNotReadyKey(aWeb(), { userAgent: 'ContainerRecreateRequest', key: 'default/crr' }, later(0));
  const again = seconds(3);
  it.each<Row>([
    {
      name: 'is begun in three steps',
      request: aRecreateRequest({ phase: 'Recreating', strategy }),
      then: ['AddFinalizer', 'HoldPod', 'MarkHeld'],
      again,
    },
    {
      name: 'goes on after the first',
      request: aRecreateRequest({ phase: 'Recreating', strategy, finalizers: [finalizer] }),
      then: ['HoldPod', 'MarkHeld'],
      again,
    },
    {
      name: 'goes on after the second',
      request: aRecreateRequest({ phase: 'Recreating', strategy, finalizers: [finalizer] }),
      pod: held,
      then: ['MarkHeld'],
      again,
    },
    { name: 'is begun once', request: aRecreateRequest({ phase: 'Recreating', strategy, status: { conditions } }), then: [], again },
    {
      name: 'is begun once, whatever other conditions say',
      request: aRecreateRequest({ phase: 'Recreating', strategy, status: { conditions: [another, ...conditions] } }),
      then: [],
      again,
    },
    {
      name: 'is begun whatever other conditions say',
      request: aRecreateRequest({ phase: 'Recreating', strategy, status: { conditions: [another] } }),
      then: ['AddFinalizer', 'HoldPod', 'MarkHeld'],
      again,
    },
    {
      name: 'is begun after a condition that does not hold',
      request: aRecreateRequest({
        phase: 'Recreating',
        strategy,
        status: { conditions: conditions.map((one) => ({ ...one, status: 'False' as const })) },
      }),
      then: ['AddFinalizer', 'HoldPod', 'MarkHeld'],
      again,
    },
    { name: 'is not asked for without a strategy', request: withoutStrategy, then: [], again },
    {
      name: 'is only waited for without the gate',
      request: aRecreateRequest({ phase: 'Recreating', strategy }),
      pod: aWeb({ gated: false }),
      then: ['MarkHeld'],
      again,
    },
    { name: 'is not begun before its turn', request: aRecreateRequest({ phase: 'Pending', strategy }), then: [] },
    {
      name: 'ends with the request',
      request: aRecreateRequest({ phase: 'Completed', status: { completionTime: '2026-01-01T00:00:01Z' }, finalizers: [finalizer] }),
      pod: held,
      then: ['ReleasePod', 'RemoveFinalizer', 'Deactivate'],
    },
    {
      name: 'ends when the request goes',
      request: aRecreateRequest({ phase: 'Recreating', finalizers: [finalizer], deleting: true }),
      pod: held,
      then: ['ReleasePod', 'RemoveFinalizer'],
    },
    {
      name: 'ends without the Pod',
      request: aRecreateRequest({ finalizers: [finalizer], deleting: true }),
      pod: undefined,
      then: ['RemoveFinalizer'],
    },
    {
      name: 'is no business of another Pod of the name',
      request: aRecreateRequest({ finalizers: [finalizer], deleting: true }),
      pod: aWeb({ uid: 'other' }),
      then: ['RemoveFinalizer'],
    },
  ])('$name', expectPlan);
});

it.each([
  { name: 'how long the Pod is held', gated: true, because: 'Pod web is kept unready for 7 s' },
  { name: 'that it cannot be held', gated: false, because: 'Pod web has no readiness gate KruisePodReady: it stays ready' },
])('says $name', ({ gated, because }) => {
  const request = aRecreateRequest({ phase: 'Recreating', strategy: { unreadyGracePeriodSeconds: 7 } });
  expect(plan({ request, pod: aWeb({ gated }), isNodeDeleted: false }, later(1)).actions.at(-1)).toEqual({ kind: 'MarkHeld', because });
});

describe('a request that has ended', () => {
  const ended = (ttl: number | undefined, active = false): ContainerRecreateRequest =>
    aRecreateRequest({
      phase: 'Completed',
      status: { completionTime: '2026-01-01T00:00:10Z' },
      spec: ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl },
      active,
    });
  it.each<Row>([
    { name: 'is no longer active', request: ended(undefined, true), at: 11, then: ['Deactivate'] },
    { name: 'stays', request: ended(undefined), at: 9999, then: [] },
    { name: 'stays for its time', request: ended(3), at: 11, then: [], again: seconds(2) },
    { name: 'goes after its time', request: ended(3), at: 13, then: ['Delete'] },
    { name: 'stays without labels', request: withoutLabels(ended(undefined)), at: 11, then: [] },
    { name: 'goes as soon as nothing is left to be done', request: ended(0, true), at: 10, then: ['Deactivate'], again: seconds(0) },
    { name: 'goes at once', request: ended(0), at: 10, then: ['Delete'] },
    { name: 'asks for nothing while it goes', request: aRecreateRequest({ deleting: true }), pod: undefined, then: [] },
  ])('$name', expectPlan);
});

describe('how the kubelet sees the containers', () => {
  const entry = { name: 'main', ready: true, restartCount: 0, containerID: 'containerd://new' };
  const restarted = { containerID: 'containerd://new', startedAt: later(1) };
  const withoutContext = (): ContainerRecreateRequest =>
    aRecreateRequest({ phase: 'Recreating', spec: { containers: [{ name: 'main' }] } });
  const withoutId = (pod: Pod): Pod => {
    const containerStatuses = (pod.status?.containerStatuses ?? []).map(({ containerID: _id, ...status }) => status);
    return { ...pod, status: { ...pod.status, containerStatuses } };
  };
  const withState = (pod: Pod, state: object | undefined): Pod => ({
    ...pod,
    status: {
      ...pod.status,
      containerStatuses: (pod.status?.containerStatuses ?? []).map((status) => ({ ...status, state: state as never })),
    },
  });

  it.each<{ name: string; request?: ContainerRecreateRequest; pod: Pod; then: unknown }>([
    { name: 'not the one that ran', pod: aWeb(), then: undefined },
    { name: 'a new one', pod: aWeb(restarted), then: [entry] },
    { name: 'one of the same second', pod: aWeb({ ...restarted, startedAt: later(0) }), then: [entry] },
    { name: 'a new one of a slow clock', pod: aWeb({ ...restarted, startedAt: later(-30) }), then: [entry] },
    { name: 'one that says nothing of its state', pod: withState(aWeb(restarted), undefined), then: undefined },
    { name: 'one that the kubelet says nothing of', pod: { ...aWeb(restarted), status: { containerStatuses: [] } }, then: undefined },
    { name: 'a new one without an id', pod: withoutId(aWeb(restarted)), then: [{ name: 'main', ready: true, restartCount: 0 }] },
    { name: 'for a request that no agent has answered yet', request: aRecreateRequest(), pod: aWeb(restarted), then: [entry] },
    {
      name: 'one that an old request of the same second names',
      request: withoutContext(),
      pod: aWeb({ startedAt: later(0) }),
      then: [{ ...entry, containerID: 'containerd://web' }],
    },
    { name: 'not one that ran before an old request', request: withoutContext(), pod: aWeb({ startedAt: later(-1) }), then: undefined },
    { name: 'one that only waits', pod: withState(aWeb(restarted), { waiting: { reason: 'PodInitializing' } }), then: undefined },
    {
      name: 'nothing new',
      request: aRecreateRequest({ phase: 'Recreating', status: { containerStatusSnapshot: [entry] } }),
      pod: aWeb(restarted),
      then: undefined,
    },
    {
      name: 'one that is not ready any more',
      request: aRecreateRequest({ phase: 'Recreating', status: { containerStatusSnapshot: [{ ...entry, ready: false }] } }),
      pod: aWeb(restarted),
      then: [entry],
    },
    {
      name: 'nothing where there was something',
      request: aRecreateRequest({ phase: 'Recreating', status: { containerStatusSnapshot: [entry] } }),
      pod: withState(aWeb(restarted), { terminated: { exitCode: 1 } }),
      then: undefined,
    },
  ])('$name', ({ request = aRecreateRequest({ phase: 'Recreating' }), pod, then }) => {
    expect(planSnapshot(request, pod)).toEqual(then);
  });
});
