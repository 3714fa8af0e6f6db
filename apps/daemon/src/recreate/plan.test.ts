import { describe, expect, it } from '@jest/globals';
import type { ContainerRecreateRequest, ContainerRecreateState } from '@kruise/api';
import { milliseconds, seconds } from '@kruise/objects';
import type { Waited } from './grace-watch.ts';
import { planQueue } from './plan-queue.ts';
import { computeStates, type ContainerInstance, type Instances } from './plan-states.ts';
import { planGrace, planStep, type Step } from './plan-step.ts';
import { runtimeOfRequest, termsOfRequest } from './plan-terms.ts';
import { aNewInstance, anInstance, aRequest, later, type RequestShape } from './testing.ts';

const instances = (of: Readonly<Record<string, ContainerInstance | undefined>>): Instances =>
  new Map(Object.entries(of).filter((entry): entry is [string, ContainerInstance] => entry[1] !== undefined));
const snapshot = (ready: boolean, containerID = 'containerd://app-2') => ({
  containerStatusSnapshot: [{ name: 'app', ready, restartCount: 1, containerID }],
});
const state = (phase: string, more: Partial<ContainerRecreateState> = {}): ContainerRecreateState => ({
  name: 'app',
  phase: phase as ContainerRecreateState['phase'],
  ...more,
});

describe('the queue of a Pod', () => {
  const names = (requests: readonly ContainerRecreateRequest[]): unknown => {
    const { picked, unaware } = planQueue(requests);
    return [picked?.metadata.name, unaware.map(({ metadata }) => metadata.name)];
  };
  const phase = (name: string, value: string, more: RequestShape = {}): ContainerRecreateRequest =>
    aRequest({ name, ...more, ...(value === '' ? {} : { status: { phase: value as 'Pending' } }) });

  it.each<{ name: string; requests: readonly ContainerRecreateRequest[]; then: unknown }>([
    { name: 'nobody', requests: [], then: [undefined, []] },
    { name: 'the oldest first', requests: [phase('b', '', { createdAt: '2026-01-01T00:00:01Z' }), phase('a', '')], then: ['a', ['b']] },
    {
      name: 'the oldest first, whatever its name',
      requests: [phase('a', '', { createdAt: '2026-01-01T00:00:01Z' }), phase('b', '')],
      then: ['b', ['a']],
    },
    { name: 'of one second by name', requests: [phase('b', ''), phase('c', ''), phase('a', '')], then: ['a', ['b', 'c']] },
    {
      name: 'begun ones before older ones',
      requests: [phase('old', 'Pending'), phase('begun', 'Recreating', { createdAt: '2026-01-01T00:00:09Z' }), phase('new', '')],
      then: ['begun', ['new']],
    },
    { name: 'waiting ones before new ones', requests: [phase('a', ''), phase('b', 'Pending')], then: ['b', ['a']] },
    {
      name: 'without ended or terminating ones',
      requests: [phase('a', 'Completed'), phase('b', 'Recreating', { deleting: true }), phase('c', '')],
      then: ['c', []],
    },
    {
      name: 'without those that have a time of completion',
      requests: [aRequest({ name: 'a', status: { phase: 'Recreating', completionTime: '2026-01-01T00:00:01Z' } })],
      then: [undefined, []],
    },
  ])('selects $name', ({ requests, then }) => {
    expect(names(requests)).toEqual(then);
    expect(names([...requests].reverse())).toEqual(then);
  });
});

describe('the state of a container', () => {
  it.each<{
    name: string;
    given?: RequestShape;
    instance: ContainerInstance | undefined;
    at?: number;
    then: ContainerRecreateState;
  }>([
    {
      name: '1: failed before',
      given: { states: [state('Failed', { message: 'x' })] },
      instance: aNewInstance(),
      then: state('Failed', { message: 'x' }),
    },
    {
      name: '1: succeeded before',
      given: { states: [state('Succeeded', { isKilled: true })] },
      instance: undefined,
      then: state('Succeeded', { isKilled: true }),
    },
    { name: '2: nowhere', instance: undefined, then: state('Pending', { message: 'not found container on Node' }) },
    {
      name: '2: nowhere, after a stop',
      given: { states: [state('Recreating', { isKilled: true })] },
      instance: undefined,
      then: state('Pending', { isKilled: true, message: 'not found container on Node' }),
    },
    { name: '3: ended', instance: anInstance({ state: 'Exited' }), then: state('Recreating') },
    {
      name: '3: ended by us',
      given: { states: [state('Pending', { isKilled: true })] },
      instance: anInstance({ state: 'Exited' }),
      then: state('Recreating', { isKilled: true }),
    },
    { name: '4: force, whatever runs', given: { strategy: { forceRecreate: true } }, instance: aNewInstance(), then: state('Pending') },
    {
      name: '4: force, decided on this instance',
      given: { strategy: { forceRecreate: true }, states: [state('Pending', { message: 'stopping containerd://app-2' })] },
      instance: aNewInstance(),
      then: state('Pending', { message: 'stopping containerd://app-2' }),
    },
    {
      name: '4: force, decided on an instance that has ended',
      given: { strategy: { forceRecreate: true }, states: [state('Pending', { message: 'stopping containerd://app-1' })] },
      instance: aNewInstance(),
      then: state('Recreating', { isKilled: true }),
    },
    {
      name: '4: force, decided on an instance that no longer exists',
      given: { strategy: { forceRecreate: true }, states: [state('Pending', { message: 'stopping containerd://app-1' })] },
      instance: undefined,
      then: state('Pending', { isKilled: true, message: 'not found container on Node' }),
    },
    {
      name: '5: force, stopped before',
      given: { strategy: { forceRecreate: true }, states: [state('Recreating', { isKilled: true })] },
      instance: aNewInstance(),
      then: state('Recreating', { isKilled: true }),
    },
    {
      name: '4: force, decided on this instance, which has ended',
      given: { strategy: { forceRecreate: true }, states: [state('Pending', { message: 'stopping containerd://app-1' })] },
      instance: anInstance({ state: 'Exited' }),
      then: state('Recreating', { isKilled: true }),
    },
    {
      name: '5: another instance, whatever its count of restarts',
      instance: aNewInstance({ restartCount: 0 }),
      then: state('Recreating'),
    },
    {
      name: '5: any instance, when the request does not know which one ran',
      given: { spec: { containers: [{ name: 'app' }] } },
      instance: anInstance(),
      then: state('Recreating'),
    },
    {
      name: '5: ready, restarted by others before there was time to record it',
      given: { states: [state('Recreating')], status: snapshot(true) },
      instance: aNewInstance(),
      at: 2,
      then: state('Succeeded', { isKilled: true }),
    },
    {
      name: '5: ready, stopped before and never seen while starting',
      given: { states: [state('Pending', { isKilled: true })], status: snapshot(true) },
      instance: aNewInstance(),
      at: 2,
      then: state('Succeeded', { isKilled: true }),
    },
    {
      name: '5: ready, whatever the kubelet reports of others',
      given: {
        status: {
          phase: 'Recreating',
          containerStatusSnapshot: [
            { name: 'other', ready: false, restartCount: 0, containerID: 'containerd://x' },
            ...snapshot(true).containerStatusSnapshot,
          ],
        },
      },
      instance: aNewInstance(),
      at: 2,
      then: state('Succeeded'),
    },
    {
      name: '5: ready, of a request without a strategy',
      given: { spec: { strategy: undefined } as object, status: { phase: 'Recreating', ...snapshot(true) } },
      instance: aNewInstance(),
      at: 2,
      then: state('Succeeded'),
    },
    { name: '5: another instance', instance: aNewInstance(), then: state('Recreating') },
    { name: '5: the same id, restarted more often', instance: anInstance({ restartCount: 1 }), then: state('Recreating') },
    {
      name: '5: ready, for longer than 0 s',
      given: { status: { phase: 'Recreating', ...snapshot(true) } },
      instance: aNewInstance(),
      at: 2,
      then: state('Succeeded'),
    },
    {
      name: 'does not wait for one that seems to start in the future, because the clock was set back',
      given: { strategy: { minStartedSeconds: 5 }, states: [state('Recreating', { isKilled: true })], status: snapshot(true) },
      instance: aNewInstance({ startedAt: later(3600) }),
      then: state('Succeeded', { isKilled: true }),
    },
    {
      name: '5: ready, for 5 s of 5',
      given: { strategy: { minStartedSeconds: 5 }, status: { phase: 'Recreating', ...snapshot(true) } },
      instance: aNewInstance(),
      at: 6,
      then: state('Recreating'),
    },
    {
      name: '5: ready, for more than 5 s of 5',
      given: { strategy: { minStartedSeconds: 5 }, states: [state('Recreating', { isKilled: true })], status: snapshot(true) },
      instance: aNewInstance(),
      at: 6.001,
      then: state('Succeeded', { isKilled: true }),
    },
    {
      name: '5: running, not ready',
      given: { status: { phase: 'Recreating', ...snapshot(false) } },
      instance: aNewInstance(),
      at: 9,
      then: state('Recreating'),
    },
    {
      name: '5: ready, but that was another',
      given: { status: { phase: 'Recreating', ...snapshot(true, 'containerd://app-3') } },
      instance: aNewInstance(),
      at: 9,
      then: state('Recreating'),
    },
    {
      name: '5: made, not started',
      given: { status: { phase: 'Recreating', ...snapshot(true) } },
      instance: aNewInstance({ state: 'Created', startedAt: undefined }),
      at: 9,
      then: state('Recreating'),
    },
    { name: '6: the one that ran', instance: anInstance(), then: state('Pending') },
  ])('$name', ({ given = {}, instance, at = 1, then }) => {
    expect(computeStates(aRequest(given), instances({ app: instance }), later(at))).toEqual([then]);
  });
});

describe('the next step', () => {
  const both = { containers: ['app', 'sidecar'] };
  const sidecar = (phase: string, more: Partial<ContainerRecreateState> = {}): ContainerRecreateState => ({
    ...state(phase, more),
    name: 'sidecar',
  });
  const running = { app: anInstance(), sidecar: anInstance({ containerID: 'containerd://sidecar-1' }) };
  const killed = { isKilled: true };

  it.each<{ name: string; given: RequestShape; found: Readonly<Record<string, ContainerInstance | undefined>>; at?: number; then: Step }>([
    {
      name: 'shows the states first',
      given: both,
      found: running,
      then: { kind: 'Record', states: [state('Pending'), sidecar('Pending')] },
    },
    {
      name: 'then stops the first',
      given: { ...both, states: [state('Pending'), sidecar('Pending')] },
      found: running,
      then: { kind: 'Stop', container: 'app', states: [state('Pending'), sidecar('Pending')] },
    },
    {
      name: 'treats equivalent writes of others as equal',
      given: { ...both, states: [state('Pending', { isKilled: false, message: '' }), sidecar('Pending')] },
      found: running,
      then: { kind: 'Stop', container: 'app', states: [state('Pending'), sidecar('Pending')] },
    },
    {
      name: 'continues with the second immediately',
      given: { ...both, states: [state('Recreating', killed), sidecar('Pending')] },
      found: { ...running, app: anInstance({ state: 'Exited' }) },
      then: { kind: 'Stop', container: 'sidecar', states: [state('Recreating', killed), sidecar('Pending')] },
    },
    {
      name: 'waits for the first when in order',
      given: { ...both, strategy: { orderedRecreate: true }, states: [state('Recreating', killed), sidecar('Pending')] },
      found: { ...running, app: anInstance({ state: 'Exited' }) },
      then: { kind: 'Wait' },
    },
    {
      name: 'counts one that was restarted by others as stopped',
      given: { states: [state('Recreating')] },
      found: { app: aNewInstance() },
      then: { kind: 'Record', states: [state('Recreating', killed)] },
    },
    {
      name: 'ends at a failure',
      given: { ...both, states: [state('Failed'), sidecar('Pending')] },
      found: running,
      then: { kind: 'Complete' },
    },
    {
      name: 'continues after a failure that is ignored',
      given: { ...both, strategy: { failurePolicy: 'Ignore' }, states: [state('Failed'), sidecar('Pending')] },
      found: running,
      then: { kind: 'Stop', container: 'sidecar', states: [state('Failed'), sidecar('Pending')] },
    },
    {
      name: 'ends when all is reported',
      given: { ...both, strategy: { failurePolicy: 'Ignore' }, states: [state('Failed'), sidecar('Succeeded', killed)] },
      found: running,
      then: { kind: 'Complete' },
    },
    {
      name: 'requeues for a container that does not exist',
      given: { ...both, states: [state('Pending', { message: 'not found container on Node' }), sidecar('Pending')] },
      found: { sidecar: running.sidecar },
      then: { kind: 'Wait', after: seconds(5) },
    },
    {
      name: 'requeues after the same time when another has settled, or when the kubelet knows it already',
      given: {
        ...both,
        states: [state('Succeeded', killed), sidecar('Pending', { message: 'not found container on Node' })],
        status: {
          containerStatusSnapshot: [
            ...snapshot(true).containerStatusSnapshot,
            { name: 'sidecar', ready: true, restartCount: 0, containerID: 'containerd://sidecar-1' },
          ],
        },
      },
      found: { app: aNewInstance() },
      at: 9,
      then: { kind: 'Wait', after: seconds(5) },
    },
    {
      name: 'lets a container start before it is stopped',
      given: { strategy: { forceRecreate: true }, states: [state('Pending')] },
      found: { app: aNewInstance({ state: 'Created', startedAt: undefined }) },
      then: { kind: 'Wait', after: milliseconds(500) },
    },
    {
      name: 'never stops again what the runtime did not stop',
      given: { states: [state('Pending', killed)] },
      found: { app: anInstance() },
      then: { kind: 'Wait', after: milliseconds(500) },
    },
    {
      name: 'records what it is about to stop by force',
      given: { strategy: { forceRecreate: true }, states: [state('Pending')] },
      found: { app: aNewInstance() },
      then: { kind: 'Record', states: [state('Pending', { message: 'stopping containerd://app-2' })] },
    },
    {
      name: 'stops by force what it recorded',
      given: { strategy: { forceRecreate: true }, states: [state('Pending', { message: 'stopping containerd://app-2' })] },
      found: { app: aNewInstance() },
      then: { kind: 'Stop', container: 'app', states: [state('Pending', { message: 'stopping containerd://app-2' })] },
    },
    {
      name: 'waits until a new container has run long enough',
      given: { strategy: { minStartedSeconds: 5 }, states: [state('Recreating', killed)], status: snapshot(true) },
      found: { app: aNewInstance() },
      at: 2,
      then: { kind: 'Wait', after: milliseconds(4001) },
    },
    {
      name: 'waits for the first of two containers to have run long enough',
      given: {
        ...both,
        strategy: { minStartedSeconds: 5 },
        states: [state('Recreating', killed), sidecar('Recreating', killed)],
        status: {
          containerStatusSnapshot: [
            ...snapshot(true).containerStatusSnapshot,
            { name: 'sidecar', ready: true, restartCount: 1, containerID: 'containerd://sidecar-2' },
          ],
        },
      },
      found: { app: aNewInstance(), sidecar: aNewInstance({ containerID: 'containerd://sidecar-2', startedAt: later(0) }) },
      at: 2,
      then: { kind: 'Wait', after: milliseconds(3001) },
    },
    {
      name: 'waits a moment more when a container has run for exactly as long as it must',
      given: { strategy: { minStartedSeconds: 5 }, states: [state('Recreating', killed)], status: snapshot(true) },
      found: { app: aNewInstance() },
      at: 6,
      then: { kind: 'Wait', after: milliseconds(1) },
    },
    {
      name: 'requeues for a missing container no later than another has run long enough',
      given: {
        ...both,
        strategy: { minStartedSeconds: 5 },
        states: [state('Recreating', killed), sidecar('Pending', { message: 'not found container on Node' })],
        status: snapshot(true),
      },
      found: { app: aNewInstance() },
      at: 5,
      then: { kind: 'Wait', after: milliseconds(1001) },
    },
    {
      name: 'records what it is about to stop by force, and nothing else',
      given: { ...both, strategy: { forceRecreate: true, failurePolicy: 'Ignore' }, states: [state('Failed'), sidecar('Pending')] },
      found: { ...running },
      then: { kind: 'Record', states: [state('Failed'), sidecar('Pending', { message: 'stopping containerd://sidecar-1' })] },
    },
    {
      name: 'stops by force what it recorded beside others',
      given: {
        ...both,
        strategy: { forceRecreate: true, failurePolicy: 'Ignore' },
        states: [state('Failed'), sidecar('Pending', { message: 'stopping containerd://sidecar-1' })],
      },
      found: running,
      then: {
        kind: 'Stop',
        container: 'sidecar',
        states: [state('Failed'), sidecar('Pending', { message: 'stopping containerd://sidecar-1' })],
      },
    },
    {
      name: 'stops in a request without a strategy',
      given: { spec: { strategy: undefined } as object, states: [state('Pending')] },
      found: running,
      then: { kind: 'Stop', container: 'app', states: [state('Pending')] },
    },
    {
      name: 'is complete immediately without containers',
      given: { spec: { containers: [] } },
      found: {},
      then: { kind: 'Complete' },
    },
    {
      name: 'waits for a new container to be ready',
      given: { strategy: { minStartedSeconds: 5 }, states: [state('Recreating', killed)], status: snapshot(false) },
      found: { app: aNewInstance() },
      at: 2,
      then: { kind: 'Wait' },
    },
  ])('$name', ({ given, found, at = 1, then }) => {
    expect(planStep(aRequest(given), instances(found), later(at))).toEqual(then);
  });
});

/** Of a grace period that this process did not see before. */
const unseen: Waited = { measured: milliseconds(0), isWhole: false };

describe('the grace period before the first stop', () => {
  const conditions = [
    { type: 'PreRecreateGrace', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:02Z', reason: 'r', message: '' },
  ];
  it.each<{ name: string; grace?: number; held?: boolean; at: number; waited?: Waited; then: unknown }>([
    { name: 'is not requested', at: 0, then: 'Over' },
    { name: 'has not begun', grace: 3, at: 9, then: { kind: 'Wait' } },
    { name: 'has begun', grace: 3, held: true, at: 3, then: { kind: 'Wait', after: milliseconds(2100) } },
    { name: 'is over', grace: 3, held: true, at: 5, then: 'Over' },
    { name: 'is 0 s long', grace: 0, held: true, at: 2, then: 'Over' },
    {
      name: 'is shown with a time of the future',
      grace: 3,
      held: true,
      at: -3600,
      then: { kind: 'Wait', after: milliseconds(3100) },
    },
    {
      name: 'is shown with a time of the future, and has been seen for its length',
      grace: 3,
      held: true,
      at: -3600,
      waited: { measured: milliseconds(3000), isWhole: false },
      then: 'Over',
    },
    {
      name: 'is shown with a time long ago, and was seen to begin',
      grace: 3,
      held: true,
      at: 3600,
      waited: { measured: milliseconds(1000), isWhole: true },
      then: { kind: 'Wait', after: milliseconds(2100) },
    },
    { name: 'is unlimited', grace: 2 ** 53, held: true, at: 5, then: { kind: 'Wait', after: seconds(3600) } },
  ])('$name', ({ grace, held = false, at, waited = unseen, then }) => {
    const strategy = grace === undefined ? {} : { unreadyGracePeriodSeconds: grace };
    const request = aRequest({ strategy, status: { phase: 'Recreating', ...(held ? { conditions } : {}) } });
    expect(planGrace(request, later(at), waited)).toEqual(then);
  });
});

describe('the grace period before the first stop of a request', () => {
  const strategy = { unreadyGracePeriodSeconds: 3 };
  const condition = (type: string, status: 'True' | 'False') => ({
    type,
    status,
    lastTransitionTime: '2026-01-01T00:00:02Z',
    reason: 'r',
    message: '',
  });

  it('is over without a strategy', () => {
    expect(planGrace(aRequest({ spec: { strategy: undefined } as object }), later(0), unseen)).toBe('Over');
  });

  it('has not begun without a status', () => {
    expect(planGrace(aRequest({ strategy }), later(9), unseen)).toEqual({ kind: 'Wait' });
  });

  it.each([
    { name: 'another condition', conditions: [condition('Other', 'True')] },
    { name: 'a condition that is false', conditions: [condition('PreRecreateGrace', 'False')] },
  ])('has not begun with $name', ({ conditions }) => {
    expect(planGrace(aRequest({ strategy, status: { phase: 'Recreating', conditions } }), later(9), unseen)).toEqual({ kind: 'Wait' });
  });

  it('begins with its condition, whatever the others are', () => {
    const conditions = [condition('Other', 'True'), condition('PreRecreateGrace', 'True')];
    expect(planGrace(aRequest({ strategy, status: { phase: 'Recreating', conditions } }), later(5), unseen)).toBe('Over');
  });
});

describe('how a container is stopped', () => {
  const written = { graceSeconds: 7, preStop: { sleep: { seconds: 3 } }, ports: [] };
  const withContainer = (container: object, strategy = {}): ContainerRecreateRequest => {
    const request = aRequest({ strategy });
    return { ...request, spec: { ...request.spec, containers: [{ name: 'app', ...container }] } };
  };
  const hook = { exec: { command: ['true'] } };

  it.each<{ name: string; request: ContainerRecreateRequest; then: object }>([
    { name: '30 s by default', request: withContainer({}), then: { graceSeconds: 30, preStop: undefined } },
    { name: 'as requested', request: withContainer({}, { terminationGracePeriodSeconds: 0 }), then: { graceSeconds: 0 } },
    { name: 'unlimited', request: withContainer({}, { terminationGracePeriodSeconds: 2 ** 53 }), then: { graceSeconds: 1_000_000 } },
    { name: 'past admission', request: withContainer({}, { terminationGracePeriodSeconds: -5 }), then: { graceSeconds: 0 } },
    { name: 'with its hook', request: withContainer({ preStop: hook }), then: { preStop: hook } },
    { name: 'with the hook that the schema cut out', request: withContainer({ preStop: {} }), then: { preStop: written.preStop } },
    {
      name: 'with the hook of which the schema left nulls',
      request: withContainer({ preStop: { exec: null } }),
      then: { preStop: written.preStop },
    },
    { name: 'without ports when it names none', request: withContainer({}), then: { ports: [] } },
    {
      name: 'by default in a request without a strategy',
      request: aRequest({ spec: { strategy: undefined } as object }),
      then: { graceSeconds: 30 },
    },
    {
      name: 'with its own hook, not that of another container',
      request: aRequest({
        spec: {
          containers: [
            { name: 'other', preStop: { exec: { command: ['false'] } } },
            { name: 'app', preStop: hook },
          ],
        },
      }),
      then: { preStop: hook },
    },
    {
      name: 'without hook and ports when the request does not name it',
      request: aRequest({ spec: { containers: [{ name: 'other', preStop: hook }] } }),
      then: { graceSeconds: 30, preStop: undefined, ports: [] },
    },
    {
      name: 'with its ports',
      request: withContainer({ ports: [{ name: 'web', containerPort: 80 }, { containerPort: 1 }] }),
      then: {
        ports: [
          { name: 'web', containerPort: 80 },
          { name: '', containerPort: 1 },
        ],
      },
    },
  ])('$name', ({ request, then }) => {
    expect(termsOfRequest(request, 'app', written)).toMatchObject(then);
  });

  it.each<{ name: string; ids: readonly (string | undefined)[]; then: object }>([
    { name: 'one runtime', ids: ['cri-o://1', 'cri-o://2'], then: { kind: 'Found', name: 'cri-o' } },
    { name: 'two', ids: ['cri-o://1', 'docker://2'], then: { kind: 'Unclear', why: 'containers of several runtimes: cri-o, docker' } },
    {
      name: 'something before the scheme',
      ids: ['x/cri-o://1'],
      then: { kind: 'Unclear', why: 'no containerID of c0 in its statusContext' },
    },
    { name: 'one runtime, of ids of any length', ids: ['cri-o://0123456789abcdef'], then: { kind: 'Found', name: 'cri-o' } },
    { name: 'no scheme', ids: ['1'], then: { kind: 'Unclear', why: 'no containerID of c0 in its statusContext' } },
    { name: 'no id', ids: ['cri-o://1', undefined], then: { kind: 'Unclear', why: 'no containerID of c1 in its statusContext' } },
    { name: 'nothing', ids: [], then: { kind: 'Unclear', why: 'no containers' } },
  ])('in $name', ({ ids, then }) => {
    const request = aRequest();
    const containers = ids.map((containerID, i) => ({
      name: `c${i}`,
      ...(containerID === undefined ? {} : { statusContext: { containerID, restartCount: 0 } }),
    }));
    expect(runtimeOfRequest({ ...request, spec: { ...request.spec, containers } })).toEqual(then);
  });
});
