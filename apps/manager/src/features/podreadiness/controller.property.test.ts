/** With any Pods and any concurrent writers, the controller writes each Pod that lacks the condition once, and no other Pod. */
import { describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, defaultGates, labels } from '@kruise/api';
import { ApiError, CachingClient, ControllerRunner, Informers } from '@kruise/kube';
import { FakeClock, silentLogger, type FakeApi, type FakeCall } from '@kruise/kube/testing';
import { keyOf, milliseconds, podCondition, pods as podType, type ObjectKey, type Pod, type PodCondition } from '@kruise/objects';
import { parseFlags } from '@kruise/process';
import { aPod, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { managerFlags } from '../../options/flags.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { podReadinessController } from './controller.ts';
import { newFakeApi } from '../../module/controller-process.testing.ts';
import { defineController } from '../../module/kind-module.ts';
import { Caches } from '../../caches/caches.ts';

const parsed = parseFlags(managerFlags, []);
if (parsed.kind !== 'Parsed') throw new Error('the default flags do not parse');
const flags = parsed.values;

interface Shape {
  readonly gated: boolean;
  readonly condition: 'True' | 'False' | 'absent';
  readonly running: boolean;
  readonly terminating: boolean;
}
const shapes: fc.Arbitrary<Shape> = fc.record({
  gated: fc.constantFrom(true, true, false),
  condition: fc.constantFrom('True', 'False', 'absent', 'absent'),
  running: fc.boolean(),
  terminating: fc.constantFrom(true, false, false),
});

function podOf({ gated, condition, running, terminating }: Shape, index: number): Pod {
  const { metadata, spec, status } = aPod({ name: `pod-${index}`, terminating });
  const { uid: _uid, resourceVersion: _version, ...named } = metadata;
  const conditions: readonly PodCondition[] = [
    { type: 'PodScheduled', status: 'True' },
    ...(condition === 'absent' ? [] : [{ type: 'KruisePodReady', status: condition, message: '[{"userAgent":"x","key":"y"}]' }]),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...named, ...(terminating ? { finalizers: ['example.com/held'] } : {}) },
    spec: { ...spec, readinessGates: gated ? [{ conditionType: 'Other' }, { conditionType: 'KruisePodReady' }] : [] },
    status: { phase: 'Pending', conditions, ...(running ? { containerStatuses: status?.containerStatuses ?? [] } : {}) },
  };
}

/** Runs the controller until `done` holds, and a little longer; `beforeWrite` is what happens on the way of each patch to the server. */
async function run(
  api: FakeApi,
  done: () => boolean,
  beforeWrite: (call: FakeCall) => void = () => undefined,
  atMostSeconds = 60,
): Promise<void> {
  const clock = new FakeClock();
  const logger = silentLogger();
  const connection = api.connect('manager', { before: (call) => (call.verb === 'patch' ? beforeWrite(call) : undefined) });
  const informers = new Informers({ client: connection, clock, logger });
  const dependencies: ControllerDependencies = {
    client: new CachingClient(connection, informers),
    caches: new Caches(informers, ''),
    recorderFor: () => ({ event: () => undefined }),
    clock,
    logger,
    gates: defaultGates,
    flags,
    installed: () => true,
    podNamespace: 'kruise-system',
    daemonConfigNamespace: 'kruise-daemon-config',
    resourceWriting: 'Ignored',
  };
  const runner = new ControllerRunner(defineController(podReadinessController, dependencies), {
    clock,
    logger,
    cacheSyncTimeout: milliseconds(5000),
  });
  const [stop, cachesDone] = [new AbortController(), new AbortController()];
  const running = [runner.run(stop.signal), informers.run(cachesDone.signal)];
  await clock.settle();
  for (let second = 0; !done() && second < atMostSeconds; second++) await clock.step(1000);
  await clock.step(1000);
  stop.abort();
  await running[0];
  cachesDone.abort();
  await running[1];
}

const patched = (api: FakeApi): readonly ObjectKey[] => api.calls.filter(({ verb }) => verb === 'patch').map(({ key }) => key);
const conditionOf = (api: FakeApi, name: string): PodCondition | undefined =>
  podCondition(api.peek(podType, { namespace: 'default', name }) as Pod, 'KruisePodReady');

describe('the pod-readiness controller', () => {
  it('writes each Pod that lacks the condition exactly once and touches no other', async () => {
    const seen = new Occurrences();
    await fc.assert(
      fc.asyncProperty(
        fc.array(shapes, { minLength: 1, maxLength: 12, size: 'max' }),
        fc.integer({ min: 0, max: 12 }),
        async (given, late) => {
          const api = newFakeApi(new FakeClock());
          const all = given.map(podOf);
          const lacking = given.flatMap((shape, index) =>
            shape.gated && shape.condition === 'absent' && !shape.terminating ? [`pod-${index}`] : [],
          );
          const isEarly = (index: number): boolean => index < late || given[index]?.terminating === true;
          const before = new Map<string, Pod>();
          for (const pod of all.filter((_, index) => isEarly(index))) before.set(pod.metadata.name, api.seed(podType, pod));
          for (const pod of before.values()) if (pod.metadata.finalizers !== undefined) await api.delete(podType, keyOf(pod));
          for (const name of before.keys()) before.set(name, api.peek(podType, { namespace: 'default', name }) as Pod);
          const rest = all.filter((_, index) => !isEarly(index));
          const isDone = (): boolean => {
            for (const pod of rest.splice(0)) before.set(pod.metadata.name, api.seed(podType, pod));
            return lacking.every((name) => conditionOf(api, name) !== undefined);
          };
          seen.note('Pods that lack it and others', lacking.length > 0 && lacking.length < all.length);
          seen.note(
            'a Pod that lacks it comes late',
            rest.some(({ metadata }) => lacking.includes(metadata.name)),
          );
          await run(api, isDone);
          expect(
            patched(api)
              .map(({ name }) => name)
              .sort(),
          ).toEqual([...lacking].sort());
          for (const pod of before.values()) {
            const after = api.peek(podType, keyOf(pod)) as Pod;
            if (!lacking.includes(pod.metadata.name)) expect(after).toEqual(pod);
            else expect(podCondition(after, 'PodScheduled')?.status).toBe('True');
          }
        },
      ),
      { numRuns: 25 },
    );
    seen.expectAtLeast({ 'Pods that lack it and others': 5, 'a Pod that lacks it comes late': 1 });
  }, 60_000);

  it('yields to a writer that takes a running Pod out of service at the same moment', async () => {
    const api = newFakeApi(new FakeClock());
    api.seed(podType, podOf({ gated: true, condition: 'absent', running: true, terminating: false }, 0));
    const key = { namespace: 'default', name: 'pod-0' };
    const takeOut = (): void => {
      const held = api.peek(podType, key) as Pod;
      if (podCondition(held, 'KruisePodReady') !== undefined) return;
      const message = '[{"userAgent":"x","key":"y"}]';
      const conditions = [...(held.status?.conditions ?? []), { type: 'KruisePodReady', status: 'False', message }];
      api.seed(podType, { ...held, status: { ...held.status, conditions } });
    };
    await run(api, () => patched(api).length > 0, takeOut);
    expect(conditionOf(api, 'pod-0')?.status).toBe('False');
    expect(patched(api)).toHaveLength(1);
  });

  it('tries again after an error of the server', async () => {
    const api = newFakeApi(new FakeClock());
    api.seed(podType, podOf({ gated: true, condition: 'absent', running: false, terminating: false }, 0));
    let failures = 2;
    const fail = (): void => {
      if (failures-- > 0) throw new ApiError('down', { kind: 'Unreachable', cause: undefined });
    };
    await run(api, () => conditionOf(api, 'pod-0') !== undefined, fail);
    expect(conditionOf(api, 'pod-0')?.status).toBe('True');
  });

  it('takes the key of a hook from a Pod in whose state it is not, and no other', async () => {
    const api = newFakeApi(new FakeClock());
    const pod = podOf({ gated: true, condition: 'absent', running: true, terminating: false }, 0);
    const [stale, other] = ['{"userAgent":"Lifecycle","key":"preDeleteHook"}', '{"userAgent":"x","key":"y"}'];
    const hold = (keys: string): void => {
      const conditions = [{ type: 'KruisePodReady', status: 'False', message: keys } as const];
      api.seed(podType, { ...pod, status: { ...pod.status, conditions } });
    };
    hold(`[${stale},${other}]`);
    await run(api, () => conditionOf(api, 'pod-0')?.message === `[${other}]`);
    expect(conditionOf(api, 'pod-0')?.status).toBe('False');
    hold(`[${stale}]`);
    await run(api, () => conditionOf(api, 'pod-0')?.status === 'True');
    expect(conditionOf(api, 'pod-0')).toMatchObject({ status: 'True', message: '[]' });
  });

  it('turns on again a condition that no user holds off, once no request recreates containers of the Pod', async () => {
    const api = newFakeApi(new FakeClock());
    const pod = podOf({ gated: true, condition: 'absent', running: true, terminating: false }, 0);
    const conditions = [{ type: 'KruisePodReady', status: 'False', message: 'edited by hand' } as const];
    const { metadata } = api.seed(podType, { ...pod, status: { ...pod.status, conditions } });
    const named = { name: 'held', namespace: 'default' };
    const request = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ContainerRecreateRequest',
      metadata: { ...named, labels: { [labels.recreatePodUid]: metadata.uid ?? '', [labels.recreateActive]: 'true' } },
    };
    api.seed(containerRecreateRequests, request as never);
    await run(api, () => false, undefined, 5);
    expect(conditionOf(api, 'pod-0')?.status).toBe('False');
    await api.delete(containerRecreateRequests, named);
    await run(api, () => conditionOf(api, 'pod-0')?.status === 'True');
    expect(conditionOf(api, 'pod-0')).toMatchObject({ status: 'True', message: '[]' });
  });
});
