/** Containers restarted in place on real nodes; each scenario has a Pod of its own, and all go on at once. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, containerRecreateRequestsV1Alpha1 } from '@kruise/api';
import { podCondition, isPodReady, pods } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { endedAt, RecreationFixture, restartsOf, startedAt, statusOf } from '../../support/recreation.ts';
import { kubectl } from '../../support/programs.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const both = [{ name: 'app' }, { name: 'sidecar' }];
const postStart = { postStart: { exec: { command: ['sleep', '5'] } } };
/** Far longer than a container takes to end, on a slow machine as well. */
const longPostStart = { postStart: { exec: { command: ['sleep', '20'] } } };
const preStop = { preStop: { exec: { command: ['sleep', '8'] } } };
const killed = (name: string, phase = 'Succeeded') => ({ name, phase, isKilled: true });

let cloneSets: CloneSetFixture;
let fixture: RecreationFixture;
/** Begun together, as most of their time is spent waiting. */
const begun = new Map<string, Promise<void>>();
const scenarios: (readonly [name: string, body: () => Promise<void>])[] = [];

function scenario(name: string, body: () => Promise<void>): void {
  scenarios.push([name, body]);
  it(name, () => begun.get(name));
}

beforeAll(async () => {
  cloneSets = await openFixture('recreate');
  fixture = new RecreationFixture(cloneSets);
  for (const [name, body] of scenarios) {
    const promise = body();
    promise.catch(() => undefined); // its test awaits it
    begun.set(name, promise);
  }
});
afterAll(async () => {
  await Promise.allSettled(begun.values());
  await closeFixture(cloneSets);
});

describe('a request', () => {
  scenario('restarts a container: same Pod, address and volumes, restarts + 1, and is deleted after its time to live', async () => {
    const before = await fixture.createPod({ name: 'plain' });
    const exec = (...command: readonly string[]): Promise<string> =>
      kubectl('-n', fixture.namespace, 'exec', 'plain', '-c', 'app', '--', 'sh', '-c', ...command);
    await exec('echo kept > /data/file; echo lost > /tmp/file');
    const made = await fixture.request('plain', 'plain', { strategy: { minStartedSeconds: 5 }, ttlSecondsAfterFinished: 5 });
    expect(made.metadata.labels).toEqual({
      'crr.apps.kruise.io/active': 'true',
      'crr.apps.kruise.io/node-name': before.spec.nodeName,
      'crr.apps.kruise.io/pod-uid': before.metadata.uid,
    });
    expect(made.spec).toMatchObject({
      strategy: { failurePolicy: 'Fail', terminationGracePeriodSeconds: 30, minStartedSeconds: 5 },
      containers: [{ name: 'app', statusContext: { containerID: statusOf(before, 'app').containerID, restartCount: 0 } }],
    });
    const { status } = await fixture.untilCompleted('plain');
    const after = await fixture.untilRestarted('plain', { app: 1 });
    expect(status?.containerRecreateStates).toEqual([killed('app')]);
    expect(Date.parse(status?.completionTime ?? '') - startedAt(after, 'app')).toBeGreaterThan(4000);
    expect(restartsOf(after)).toEqual({ app: 1, sidecar: 0 });
    expect([after.metadata.uid, after.status?.podIP, after.spec.nodeName]).toEqual([
      before.metadata.uid,
      before.status?.podIP,
      before.spec.nodeName,
    ]);
    expect(await exec('cat /data/file; ls /tmp')).toBe('kept\n');
    await fixture.untilDeleted('plain');
    expect(Date.now() - Date.parse(status?.completionTime ?? '')).toBeGreaterThanOrEqual(5000);
    const { items } = await cloneSets.client.list(
      { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
      { namespace: fixture.namespace },
    );
    expect(items).toContainEqual(
      expect.objectContaining({
        reason: 'Killing',
        message: 'Stopping container app by ContainerRecreateRequest plain',
        source: expect.objectContaining({ component: 'kruise-daemon-crr' }),
      }),
    );
  });

  scenario('stops the containers one right after the other', async () => {
    await fixture.createPod({ name: 'together', lifecycle: longPostStart });
    await fixture.request('together', 'together', { containers: both });
    const { status } = await fixture.untilCompleted('together');
    const pod = await fixture.untilRestarted('together', { app: 1, sidecar: 1 });
    expect(status?.containerRecreateStates).toEqual([killed('app'), killed('sidecar')]);
    expect(restartsOf(pod)).toEqual({ app: 1, sidecar: 1 });
    expect(endedAt(pod, 'sidecar')).toBeLessThan(startedAt(pod, 'app') + 20_000); // when app's postStart hook ends
  });

  scenario('stops them in order when asked to', async () => {
    await fixture.createPod({ name: 'ordered', lifecycle: postStart });
    await fixture.request('ordered', 'ordered', { containers: both, strategy: { orderedRecreate: true } });
    await fixture.untilCompleted('ordered');
    const pod = await fixture.untilRestarted('ordered', { app: 1, sidecar: 1 });
    expect(restartsOf(pod)).toEqual({ app: 1, sidecar: 1 });
    expect(endedAt(pod, 'sidecar') - endedAt(pod, 'app')).toBeGreaterThanOrEqual(5000);
  });

  scenario('runs the preStop hook', async () => {
    await fixture.createPod({ name: 'hook', lifecycle: preStop });
    const { metadata, spec } = await fixture.request('hook', 'hook', { containers: both });
    expect(spec.containers[0]?.preStop).toEqual(preStop.preStop);
    await fixture.untilCompleted('hook');
    const pod = await fixture.untilRestarted('hook', { app: 1, sidecar: 1 });
    expect(endedAt(pod, 'sidecar') - Date.parse(metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(8000);
    expect(restartsOf(pod)).toEqual({ app: 1, sidecar: 1 });
  });

  scenario('ends at its deadline: what was begun is done, what was not stays', async () => {
    // Long enough for an agent that is slow to begin, and far shorter than the hook.
    await fixture.createPod({ name: 'deadline', lifecycle: { preStop: { exec: { command: ['sleep', '16'] } } } });
    await fixture.request('deadline', 'deadline', { containers: both, activeDeadlineSeconds: 8 });
    const { status } = await fixture.untilCompleted('deadline');
    expect(status).toMatchObject({ message: 'recreating has exceeded the activeDeadlineSeconds' });
    expect(status?.containerRecreateStates).toEqual([
      { name: 'app', phase: 'Pending' },
      { name: 'sidecar', phase: 'Pending' },
    ]);
    await fixture.until('deadline', (seen) => seen.status?.containerRecreateStates?.[0]?.isKilled === true, 'has stopped app');
    const pod = await fixture.untilPod('deadline', (seen) => restartsOf(seen)['app'] === 1, 'has a new app');
    expect(restartsOf(pod)).toEqual({ app: 1, sidecar: 0 });
    expect((await fixture.get('deadline')).status?.containerRecreateStates).toEqual([
      killed('app', 'Recreating'),
      { name: 'sidecar', phase: 'Pending' },
    ]);
  });

  scenario('takes the Pod out of service before, also when made as v1alpha1', async () => {
    await fixture.createPod({ name: 'unready' });
    const { namespace, client } = fixture;
    const key = { namespace, name: 'unready' };
    await using history = await PodHistory.begin(client, namespace);
    const alpha = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'ContainerRecreateRequest',
      metadata: key,
      spec: { podName: 'unready', containers: [{ name: 'app' }], strategy: { unreadyGracePeriodSeconds: 1 } },
    };
    await client.create(containerRecreateRequestsV1Alpha1, alpha);
    const { metadata, status } = await fixture.untilCompleted('unready');
    const { moments } = await history.untilNow();
    const held = moments
      .flatMap((moment) => moment.get('unready') ?? [])
      .find((pod) => podCondition(pod, 'KruisePodReady')?.status === 'False');
    if (held === undefined) throw new Error('the Pod was not held');
    expect(podCondition(held, 'KruisePodReady')?.message).toBe(`[{"userAgent":"ContainerRecreateRequest","key":"${namespace}/unready"}]`);
    expect(isPodReady(held)).toBe(false);
    expect(status?.conditions).toMatchObject([{ type: 'PreRecreateGrace', status: 'True' }]);
    expect(status?.containerStatusSnapshot).toMatchObject([{ name: 'app', ready: true, restartCount: 1 }]);
    expect(Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith('crr.'))).toEqual([]);
    const old = await client.get(containerRecreateRequestsV1Alpha1, key);
    expect(old.metadata.annotations?.['crr.apps.kruise.io/unready-acquired']).toBe(status?.conditions?.[0]?.lastTransitionTime);
    const ready = await fixture.untilPod('unready', isPodReady, 'is ready again');
    expect(podCondition(ready, 'KruisePodReady')).toMatchObject({ status: 'True', message: '[]' });
    expect(restartsOf(ready)).toEqual({ app: 1, sidecar: 0 });
    await fixture.until('unready', (seen) => (seen.metadata.finalizers ?? []).length === 0, 'has no finalizer');
  });

  scenario('restarts what is just starting when forced to', async () => {
    await fixture.createPod({ name: 'forced', lifecycle: postStart });
    await fixture.request('forced-1', 'forced');
    await fixture.until('forced-1', ({ status }) => status?.containerRecreateStates?.[0]?.isKilled === true, 'has stopped app');
    await fixture.untilPod('forced', (pod) => restartsOf(pod)['app'] === 1, 'has a new app');
    await fixture.request('forced-2', 'forced', { strategy: { forceRecreate: true } });
    const first = await fixture.untilCompleted('forced-1');
    const second = await fixture.untilCompleted('forced-2');
    expect([first.status?.containerRecreateStates, second.status?.containerRecreateStates]).toEqual([[killed('app')], [killed('app')]]);
    expect(restartsOf(await fixture.untilRestarted('forced', { app: 2 }))).toEqual({ app: 2, sidecar: 0 });
  });

  scenario('waits for another one of its Pod, and does not restart again what that one did', async () => {
    await fixture.createPod({ name: 'twice' });
    await Promise.all(['twice-a', 'twice-b'].map((name) => fixture.request(name, 'twice')));
    await cloneSets.eventually(async () => {
      const { items } = await fixture.client.list(containerRecreateRequests, { namespace: fixture.namespace });
      const phases = items.filter(({ spec }) => spec.podName === 'twice').map(({ status }) => status?.phase);
      expect(phases.filter((phase) => phase === 'Recreating').length).toBeLessThan(2);
      return phases.length === 2 && phases.every((phase) => phase === 'Completed');
    }, 'both are completed');
    expect(restartsOf(await fixture.untilRestarted('twice', { app: 1 }))).toEqual({ app: 1, sidecar: 0 });
  });

  scenario('ends with its Pod', async () => {
    await fixture.createPod({ name: 'gone', lifecycle: preStop });
    await fixture.request('gone', 'gone');
    await fixture.client.delete(pods, { namespace: fixture.namespace, name: 'gone' }, { gracePeriodSeconds: 1 });
    expect((await fixture.untilCompleted('gone')).status?.message).toBe('pod has gone');
  });

  scenario('is refused when it cannot be done, and cannot be aimed anew', async () => {
    await fixture.createPod({ name: 'refused' });
    const refusal = (spec: Readonly<Record<string, unknown>>, podName = 'refused'): Promise<unknown> =>
      fixture.request('refused', podName, spec).catch((error: unknown) => error);
    const answer = (code: number, text: string): unknown => expect.objectContaining({ code, message: expect.stringContaining(text) });
    expect(await refusal({ containers: [{ name: 'app', preStop: { exec: { command: ['x'] } } }] })).toEqual(
      answer(400, 'ready-only fields'),
    );
    expect(await refusal({ containers: [{ name: 'nope' }] })).toEqual(answer(400, 'container nope not found in Pod'));
    expect(await refusal({ activeDeadlineSeconds: 2 })).toEqual(answer(400, 'must be at least 3'));
    expect(await refusal({}, 'nowhere')).toEqual(answer(400, 'no found Pod named nowhere'));
    await fixture.request('refused', 'refused');
    const change = (patch: object): Promise<unknown> =>
      fixture.client
        .patch(containerRecreateRequests, { namespace: fixture.namespace, name: 'refused' }, patch, { type: 'merge' })
        .catch((error: unknown) => error);
    expect(await change({ spec: { activeDeadlineSeconds: 9 } })).toEqual(answer(403, 'is immutable'));
    expect(await change({ metadata: { labels: { 'crr.apps.kruise.io/pod-uid': 'other' } } })).toEqual(answer(403, 'immutable label'));
    expect((await fixture.untilCompleted('refused')).status?.containerRecreateStates).toEqual([killed('app')]);
  });
});
