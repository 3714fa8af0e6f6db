/** The controller against a scripted runtime over a real socket and a fake API server. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, type ContainerRecreateRequest, type ContainerRecreateState } from '@kruise/api';
import { ScriptedFailure } from '@kruise/cri/testing';
import type { Request } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import { RecreateFixture, podKey, type Agent } from './fixture.testing.ts';
import { aRequest, later, type RequestShape } from './testing.ts';

let fixture: RecreateFixture;
let agent: Agent;
afterEach(() => fixture.end());

async function begin(names: readonly string[] = ['app']): Promise<void> {
  fixture = new RecreateFixture(names);
  await fixture.start();
  agent = await fixture.agent();
}
const both = ['app', 'sidecar'];
const pending = (...names: readonly string[]): readonly ContainerRecreateState[] => names.map((name) => ({ name, phase: 'Pending' }));
/** Returns a request whose first container is stopped in the next pass. */
const readyToStop = (shape: RequestShape = {}): void =>
  fixture.add(aRequest({ states: pending(...(shape.containers ?? ['app'])), ...shape }));
const statusOf = (name = 'crr') => fixture.request(name).status;

async function passes(count: number): Promise<void> {
  for (let pass = 0; pass < count; pass++) await agent.pass();
}

describe('a request', () => {
  it('proceeds from nothing to Recreating, to its states, to a stop, to its end', async () => {
    await begin();
    fixture.add(aRequest());
    await agent.pass();
    expect(statusOf()).toEqual({ phase: 'Recreating' });
    await agent.pass();
    expect(statusOf()).toEqual({ phase: 'Recreating', containerRecreateStates: pending('app') });
    expect(fixture.stops).toEqual([]);
    await agent.pass();
    expect(fixture.stops).toEqual([{ id: 'app-1', hit: true }]);
    expect(statusOf()?.containerRecreateStates).toEqual([{ name: 'app', phase: 'Recreating', isKilled: true }]);
    expect(await agent.pass()).toEqual({ kind: 'Settled' });
    fixture.kubelet();
    fixture.manager();
    await fixture.clock.step(1000);
    await passes(2);
    expect(statusOf()).toMatchObject({
      phase: 'Completed',
      completionTime: '2026-01-01T00:00:02Z',
      containerRecreateStates: [{ name: 'app', phase: 'Succeeded', isKilled: true }],
    });
    expect(statusOf()).not.toHaveProperty('message');
  });

  it('is reported in an event that names it', async () => {
    await begin();
    readyToStop();
    await agent.pass();
    expect(agent.events).toEqual(['Killing: Stopping container app by ContainerRecreateRequest crr']);
    expect(fixture.runtime.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '30' }]);
  });

  it('runs its hook first, and subtracts its time from the grace period', async () => {
    await begin();
    const request = aRequest({ states: pending('app'), strategy: { terminationGracePeriodSeconds: 10 } });
    const containers = request.spec.containers.map((container) => ({ ...container, preStop: { exec: { command: ['wind', 'down'] } } }));
    fixture.add({ ...request, spec: { ...request.spec, containers } });
    fixture.runtime.on('ExecSync', async () => {
      await fixture.clock.step(4000);
      return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
    });
    await agent.pass();
    expect(fixture.runtime.callsOf('ExecSync')).toEqual([{ containerId: 'app-1', cmd: ['wind', 'down'], timeout: '0' }]);
    expect(fixture.runtime.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '6' }]);
  });

  it('runs no hook and stops within 2 s without a grace period', async () => {
    await begin();
    const request = aRequest({ states: pending('app'), strategy: { terminationGracePeriodSeconds: 0 } });
    const containers = request.spec.containers.map((container) => ({ ...container, preStop: { exec: { command: ['never'] } } }));
    fixture.add({ ...request, spec: { ...request.spec, containers } });
    await agent.pass();
    expect(fixture.runtime.callsOf('ExecSync')).toEqual([]);
    expect(fixture.runtime.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '2' }]);
  });

  it('waits for its grace period', async () => {
    await begin();
    const condition = {
      type: 'PreRecreateGrace',
      status: 'True' as const,
      lastTransitionTime: '2026-01-01T00:00:01Z',
      reason: 'r',
      message: '',
    };
    readyToStop({ strategy: { unreadyGracePeriodSeconds: 3 } });
    expect(await agent.pass()).toEqual({ kind: 'Settled' });
    const held = fixture.request('crr');
    fixture.api.seed(containerRecreateRequests, { ...held, status: { ...held.status, phase: 'Recreating', conditions: [condition] } });
    expect(await agent.pass()).toEqual({ kind: 'Requeue', after: milliseconds(3100) });
    expect(fixture.stops).toEqual([]);
    await fixture.clock.step(3100);
    await agent.pass();
    expect(fixture.stops).toHaveLength(1);
  });

  it.each([
    ['ahead', '2026-01-02T00:00:01Z'],
    ['behind', '2025-12-31T00:00:01Z'],
  ])("waits for its grace period when the manager's clock is %s", async (_where, lastTransitionTime) => {
    await begin();
    readyToStop({ strategy: { unreadyGracePeriodSeconds: 3 } });
    await agent.pass();
    const held = fixture.request('crr');
    const condition = { type: 'PreRecreateGrace', status: 'True' as const, lastTransitionTime, reason: 'r', message: '' };
    fixture.api.seed(containerRecreateRequests, { ...held, status: { ...held.status, phase: 'Recreating', conditions: [condition] } });
    expect(await agent.pass()).toEqual({ kind: 'Requeue', after: milliseconds(3100) });
    await fixture.clock.step(3100);
    await agent.pass();
    expect(fixture.stops).toHaveLength(1);
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('waits for its whole grace period when the wall clock of the node jumps %s', async (_direction, length) => {
    await begin();
    readyToStop({ strategy: { unreadyGracePeriodSeconds: 3 } });
    await agent.pass();
    const held = fixture.request('crr');
    const lastTransitionTime = '2026-01-01T00:00:01Z';
    const condition = { type: 'PreRecreateGrace', status: 'True' as const, lastTransitionTime, reason: 'r', message: '' };
    fixture.api.seed(containerRecreateRequests, { ...held, status: { ...held.status, phase: 'Recreating', conditions: [condition] } });
    await agent.pass();
    fixture.clock.jumpWallClock(length);
    expect(await agent.pass()).toEqual({ kind: 'Requeue', after: milliseconds(3100) });
    expect(fixture.stops).toEqual([]);
    await fixture.clock.step(3100);
    await agent.pass();
    expect(fixture.stops).toHaveLength(1);
  });

  it('does not stop what the kubelet has restarted since, and succeeds', async () => {
    await begin();
    fixture.add(aRequest());
    fixture.crash('app');
    fixture.kubelet();
    for (let turn = 0; turn < 6; turn++) {
      await agent.pass();
      fixture.manager();
      await fixture.clock.step(1000);
    }
    expect(fixture.stops).toEqual([]);
    expect(statusOf()).toMatchObject({ phase: 'Completed', containerRecreateStates: [{ phase: 'Succeeded' }] });
  });

  it('that is ended by its deadline in the middle of a stop still reports the result', async () => {
    await begin(both);
    readyToStop({ containers: both });
    fixture.meanwhile = () => {
      const request = fixture.request('crr');
      const status = { ...request.status, phase: 'Completed' as const, completionTime: '2026-01-01T00:00:03Z', message: 'deadline' };
      fixture.api.seed(containerRecreateRequests, { ...request, status });
    };
    await passes(3);
    expect(fixture.stops).toEqual([{ id: 'app-1', hit: true }]);
    expect(statusOf()).toMatchObject({
      phase: 'Completed',
      message: 'deadline',
      containerRecreateStates: [
        { name: 'app', phase: 'Recreating', isKilled: true },
        { name: 'sidecar', phase: 'Pending' },
      ],
    });
  });

  it('that has ended is not begun again because the cache is behind', async () => {
    await begin();
    fixture.add(aRequest());
    await agent.pass();
    fixture.api.holdWatches();
    const request = fixture.request('crr');
    fixture.api.seed(containerRecreateRequests, { ...request, status: { phase: 'Completed', completionTime: '2026-01-01T00:00:03Z' } });
    expect(await agent.pass()).toEqual({ kind: 'Requeue', after: milliseconds(200) });
    expect(statusOf()).toEqual({ phase: 'Completed', completionTime: '2026-01-01T00:00:03Z' });
    expect(fixture.stops).toEqual([]);
    fixture.api.releaseWatches();
  });

  it('that is replaced by another with its name in the middle of a stop leaves that one alone', async () => {
    await begin();
    readyToStop();
    const key = { namespace: 'default', name: 'crr' };
    const replaced = fixture.api
      .delete(containerRecreateRequests, key)
      .then(() => fixture.add(aRequest({ status: { phase: 'Recreating' } })));
    fixture.api.holdWatches();
    await replaced;
    await expect(agent.pass()).rejects.toMatchObject({ failure: { kind: 'Invalid' } });
    expect(statusOf()).toEqual({ phase: 'Recreating' });
  });
});

describe('requests for one Pod', () => {
  it('are processed one after the other, and the end of one enqueues the next', async () => {
    await begin();
    fixture.add(aRequest({ name: 'b', createdAt: '2026-01-01T00:00:05Z' }));
    fixture.add(aRequest({ name: 'a' }));
    const enqueued: Request[] = [];
    const stop = agent.controller.definition().watches[0]?.start(
      (requests) => void enqueued.push(...requests),
      () => undefined,
    );
    await agent.pass();
    expect([statusOf('a'), statusOf('b')]).toEqual([{ phase: 'Recreating' }, { phase: 'Pending' }]);
    for (let turn = 0; turn < 12; turn++) {
      await agent.pass();
      fixture.kubelet();
      const phases = fixture.requests().map(({ status }) => status?.phase);
      expect(phases.filter((phase) => phase === 'Recreating').length).toBeLessThan(2);
      enqueued.splice(0);
      fixture.manager();
      await fixture.clock.step(1000);
    }
    expect([statusOf('a')?.phase, statusOf('b')?.phase]).toEqual(['Completed', 'Completed']);
    expect(fixture.stops).toEqual([{ id: 'app-1', hit: true }]);
    fixture.add(aRequest({ name: 'c' }));
    await agent.pass();
    enqueued.splice(0);
    await fixture.api.delete(containerRecreateRequests, { namespace: 'default', name: 'c' });
    await agent.pass();
    expect(enqueued).toContainEqual(podKey);
    stop?.();
  });
});

describe('a container that cannot be stopped', () => {
  const refuse = (code: number): void =>
    fixture.runtime.on('StopContainer', () => {
      throw new ScriptedFailure(code, 'device busy');
    });

  it('fails, and the request ends', async () => {
    await begin(both);
    refuse(2);
    readyToStop({ containers: both });
    await passes(2);
    expect(statusOf()).toMatchObject({
      phase: 'Completed',
      containerRecreateStates: [
        { name: 'app', phase: 'Failed', message: 'kill container error: StopContainer: device busy' },
        { name: 'sidecar', phase: 'Pending' },
      ],
    });
  });

  it('fails, and the others are recreated when failures are ignored', async () => {
    await begin(both);
    refuse(2);
    readyToStop({ containers: both, strategy: { failurePolicy: 'Ignore' } });
    await agent.pass();
    fixture.runtime.on('StopContainer');
    for (let turn = 0; turn < 5; turn++) {
      await agent.pass();
      fixture.kubelet();
      fixture.manager();
      await fixture.clock.step(1000);
    }
    expect(statusOf()).toMatchObject({
      phase: 'Completed',
      containerRecreateStates: [
        { name: 'app', phase: 'Failed' },
        { name: 'sidecar', phase: 'Succeeded', isKilled: true },
      ],
    });
  });

  it('is retried when the runtime is unreachable', async () => {
    await begin();
    refuse(14);
    readyToStop();
    await expect(agent.pass()).rejects.toThrow('device busy');
    expect([agent.missed, statusOf()?.containerRecreateStates]).toEqual([1, pending('app')]);
    await fixture.runtime.stop();
    await expect(agent.pass()).rejects.toThrow('there is no socket');
    await fixture.runtime.start();
    fixture.runtime.on('StopContainer');
    await agent.pass();
    expect(statusOf()?.containerRecreateStates).toEqual([{ name: 'app', phase: 'Recreating', isKilled: true }]);
  });

  it('fails when its sandbox is of another Pod', async () => {
    await begin();
    const id = `sandbox-${fixture.pod.metadata.uid}`;
    fixture.runtime.sandboxes.set(id, { id, name: 'other', namespace: 'default', uid: 'other' });
    readyToStop();
    await agent.pass();
    expect(fixture.runtime.callsOf('StopContainer')).toEqual([]);
    expect(statusOf()?.containerRecreateStates).toEqual([
      { name: 'app', phase: 'Failed', message: 'kill container error: its sandbox is of another Pod' },
    ]);
  });

  it('does not exist: it is searched again', async () => {
    await begin();
    fixture.runtime.containers.clear();
    fixture.add(aRequest({ status: { phase: 'Recreating' } }));
    await agent.pass();
    expect(statusOf()?.containerRecreateStates).toEqual([{ name: 'app', phase: 'Pending', message: 'not found container on Node' }]);
    expect(await agent.pass()).toEqual({ kind: 'Requeue', after: milliseconds(5000) });
  });
});

describe('a runtime', () => {
  it('that is unreachable is waited for', async () => {
    await begin();
    agent.hasRuntime = false;
    readyToStop();
    expect(await agent.pass()).toMatchObject({ kind: 'Retry' });
    expect([agent.missed, statusOf()?.phase]).toEqual([1, 'Recreating']);
    agent.hasRuntime = true;
    await agent.pass();
    expect(fixture.stops).toHaveLength(1);
  });

  const withIds = (...ids: readonly string[]): ContainerRecreateRequest => {
    const request = aRequest({ status: { phase: 'Recreating' } });
    const containers = ids.map((containerID, i) => ({ name: `c${i}`, statusContext: { containerID, restartCount: 0 } }));
    return { ...request, spec: { ...request.spec, containers } };
  };
  it.each<{ name: string; ids: readonly string[]; message: string }>([
    { name: 'that this node does not have', ids: ['docker://1'], message: 'no runtime docker on this node' },
    { name: 'of two kinds', ids: ['containerd://1', 'docker://1'], message: 'containers of several runtimes: containerd, docker' },
    { name: 'that is not named', ids: [''], message: 'no containerID of c0 in its statusContext' },
  ])('$name ends the request', async ({ ids, message }) => {
    await begin();
    fixture.add(withIds(...ids));
    await agent.pass();
    expect(statusOf()).toMatchObject({ phase: 'Completed', message: `failed to find runtime service: ${message}` });
    expect(fixture.clock.now()).toBe(later(1));
  });
});

describe('a request past admission', () => {
  it('without the UID of a Pod touches no container', async () => {
    await begin();
    readyToStop({ podUid: '' });
    await passes(3);
    expect(fixture.stops).toEqual([]);
  });

  it('with malformed members affects only itself', async () => {
    await begin();
    const broken = aRequest({ name: 'a-broken', podName: 'other', status: { phase: 'Recreating' } });
    fixture.add({ ...broken, spec: { podName: 'other', containers: [{ name: '' }] } });
    fixture.add(aRequest());
    await passes(3);
    expect(fixture.stops).toHaveLength(1);
  });
});
