/** What writes of Pods make of the answers they get. @see spec/inplace-update.md 6.1, 6.2 */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { FakeApi, FakeClock, type FakeFaults } from '@kruise/kube/testing';
import { keyOf, podCondition, pods, type Pod } from '@kruise/objects';
import type { PodAction } from '@kruise/workloads';
import { newClock, newFakeApi } from '../../module/controller-process.testing.ts';
import { writePodAction } from './pod-action-writes.ts';

const { signal } = new AbortController();
const bare: Pod = { metadata: { name: 'web-1', namespace: 'default' }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };

/** A later batch of an update in place, which resizes the Pod. */
const nextBatch = (pod: Pod): PodAction => ({
  kind: 'RefreshPod',
  pod,
  because: 'the containers of the previous batch are ready',
  step: {
    kind: 'NextBatch',
    because: 'the containers of the previous batch are ready',
    update: {
      pod,
      state: { revision: 'web-2', updateTimestamp: '2026-01-01T00:00:00Z', lastContainerStatuses: null },
      resize: { spec: { containers: [{ name: 'main', resources: { limits: { cpu: '2' } } }] } },
    },
  },
});

describe('a later batch that resizes', () => {
  const failed: string[] = [];
  const write = (api: FakeApi, pod: Pod, answer?: ApiError): Promise<void> => {
    failed.length = 0;
    const client = api.connect('manager', {
      before: ({ subresource }) => {
        if (subresource === 'resize' && answer !== undefined) throw answer;
      },
    });
    const reportOf = (error: unknown): void => void failed.push((error as Error).message);
    const events = {
      updatedInPlace: () => undefined,
      failedUpdateInPlace: reportOf,
      markedForRecreation: () => undefined,
      failedMarkForRecreation: reportOf,
    };
    const adapter = { podTemplateHash: true, equality: 'ShortHash' } as never;
    return writePodAction(nextBatch(pod), { client, clock: new FakeClock(), events, adapter, resources: 'BySubresource' }, signal);
  };
  /** A 404 that names no object says nothing about the Pod. */
  const notServed = new ApiError('the server could not find the requested resource', { kind: 'ServerError', status: 404 }, { code: 404 });
  const notFound = new ApiError('pods "web-1" not found', { kind: 'NotFound' }, { code: 404 });

  it('is not done, and says so, when the subresource is not served (404)', async () => {
    const api = new FakeApi();
    const pod = api.seed(pods, bare);
    await expect(write(api, pod, notServed)).rejects.toThrow('the server could not find the requested resource');
    expect(failed).toEqual(['the server could not find the requested resource']);
    expect(api.peek(pods, keyOf(pod))).toEqual(pod);
  });

  it('is complete when the Pod is deleted (404)', async () => {
    const api = new FakeApi();
    const pod = api.seed(pods, bare);
    await write(api, pod, notFound);
    expect(failed).toEqual([]);
  });

  it('leaves a Pod alone that has taken the name since', async () => {
    const api = newFakeApi(newClock());
    const pod = api.seed(pods, bare);
    await api.delete(pods, keyOf(pod), { gracePeriodSeconds: 0 });
    const successor = api.seed(pods, bare);
    expect(successor.metadata.uid).not.toBe(pod.metadata.uid);
    await expect(write(api, pod)).rejects.toThrow('UID in precondition');
    expect(api.peek(pods, keyOf(pod))).toEqual(successor);
    expect(failed).toEqual([]);
    await write(api, successor);
    expect(api.peek(pods, keyOf(pod))?.spec.containers[0]?.resources).toEqual({ limits: { cpu: '2' } });
  });
});

describe('a Pod that gets its first InPlaceUpdateReady', () => {
  const lagging = { status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'StartInPlaceUpdate', message: 'web-2' };
  const type = 'InPlaceUpdateReady';

  const condition = { type, status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' } as const;

  /** The process has not seen any condition of `held`, nor what its annotations say. @returns the condition as it is then */
  async function opened(held: Pod): Promise<ReturnType<typeof podCondition>> {
    const clock = newClock();
    const api = newFakeApi(clock);
    const stored = api.seed(pods, held);
    const { annotations: _unseen, ...metadata } = stored.metadata;
    const seen: Pod = { ...stored, metadata, status: {} };
    const action: PodAction = {
      kind: 'RefreshPod',
      pod: seen,
      because: 'every container runs what it should',
      step: { kind: 'SetReady', pod: { ...seen, status: { conditions: [condition] } } },
    };
    const writer = { client: api.connect('manager'), clock, events: {} as never, adapter: {} as never, resources: 'Ignored' } as const;
    await writePodAction(action, writer, signal);
    return podCondition(api.peek(pods, keyOf(stored)) as Pod, type);
  }

  it('keeps no reason and no message of a condition that this process has not seen', async () => {
    const after = await opened({ ...bare, status: { conditions: [{ type, ...lagging }] } });
    expect(after).toMatchObject(condition);
    expect([after?.reason ?? '', after?.message ?? '']).toEqual(['', '']);
  });

  it('leaves service again when an update has begun that this process has not seen', async () => {
    const state = JSON.stringify({ revision: 'web-2', updateTimestamp: '2026-01-01T00:00:00Z', lastContainerStatuses: {} });
    const metadata = { ...bare.metadata, annotations: { 'apps.kruise.io/inplace-update-state': state } };
    const after = await opened({ ...bare, metadata, status: { conditions: [{ type, ...lagging }] } });
    expect(after?.status).toBe('False');
  });
});

describe('a lifecycle step that takes a Pod out of service, or gives it back', () => {
  const key = { userAgent: 'Lifecycle', key: 'preDeleteHook' };
  const patch = { metadata: { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' }, annotations: {} } };
  const gated: Pod = { ...bare, spec: { ...bare.spec, readinessGates: [{ conditionType: 'KruisePodReady' }] } };

  /** @returns the Pod's state and keys after each write, up to the one that is refused */
  async function steps(kind: 'AddKey' | 'RemoveKey', pod: Pod, refused?: string): Promise<readonly (readonly string[])[]> {
    const clock = newClock();
    const api = newFakeApi(clock);
    const seen = api.seed(pods, pod);
    const after: (readonly string[])[] = [];
    api.onWrite((write) => {
      const held = write.after as Pod;
      after.push([held.metadata.labels?.['lifecycle.apps.kruise.io/state'] ?? '', podCondition(held, 'KruisePodReady')?.message ?? '']);
    });
    const client = api.connect('manager', {
      before: ({ verb, subresource }) => {
        if (verb === 'patch' && subresource === refused) throw new ApiError('refused', { kind: 'Forbidden' });
      },
    });
    const to = kind === 'AddKey' ? 'PreparingDelete' : 'PreparingNormal';
    const transition = { to, patch, readiness: { kind, key }, because: 'a hook' } as const;
    const writer = { client, clock, events: {} as never, adapter: {} as never, resources: 'Ignored' } as const;
    const written = writePodAction({ kind: 'SetLifecycle', pod: seen, transition, because: 'a hook' }, writer, signal);
    await (refused === undefined ? written : expect(written).rejects.toThrow('refused'));
    return after;
  }
  const held = '[{"userAgent":"Lifecycle","key":"preDeleteHook"}]';
  const holding: Pod = { ...gated, status: { conditions: [{ type: 'KruisePodReady', status: 'False', message: held }] } };

  it('writes the state first and the key second on the way in', async () => {
    expect(await steps('AddKey', gated)).toEqual([
      ['PreparingDelete', ''],
      ['PreparingDelete', held],
    ]);
    expect(await steps('AddKey', gated, '')).toEqual([]);
    expect(await steps('AddKey', gated, 'status')).toEqual([['PreparingDelete', '']]);
  });

  it('removes the key first and writes the state second on the way out', async () => {
    expect(await steps('RemoveKey', holding)).toEqual([
      ['', '[]'],
      ['PreparingDelete', '[]'],
    ]);
    expect(await steps('RemoveKey', holding, '')).toEqual([['', '[]']]);
    expect(await steps('RemoveKey', holding, 'status')).toEqual([]);
  });
});

describe('an update in place', () => {
  const type = 'InPlaceUpdateReady';
  const ready = { type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  const spec = { revision: 'web-2', containerImages: { main: 'app:2' } } as never;
  const serving: Pod = {
    ...bare,
    spec: { ...bare.spec, readinessGates: [{ conditionType: type }] },
    status: { conditions: [ready] },
  };
  const stateOf = (pod: Pod): string => `${pod.spec.containers[0]?.image} ${podCondition(pod, type)?.status}`;

  /** @returns each state of the Pod while it is updated, the first included, and what the events say */
  async function states(pod: Pod, faults: FakeFaults, triesFirst = false): Promise<readonly string[]> {
    const clock = newClock();
    const api = newFakeApi(clock);
    const seen = api.seed(pods, pod);
    const all = [stateOf(seen)];
    api.onWrite(({ after }) => {
      const state = stateOf(after as Pod);
      if (all.at(-1) !== state) all.push(state);
    });
    const events = {
      updatedInPlace: () => void all.push('updated'),
      failedUpdateInPlace: (error: unknown) => void all.push((error as Error).message),
    };
    const adapter = { podTemplateHash: false, equality: 'ShortHash' } as never;
    const writer = { client: api.connect('manager', faults), clock, events, adapter, resources: 'Ignored', triesFirst } as const;
    const action: PodAction = { kind: 'UpdatePodInPlace', pod: seen, spec, because: 'it is to be of another revision' };
    await writePodAction(action, writer, signal).catch(() => undefined);
    return all;
  }
  const refusing = (...subresources: readonly string[]): FakeFaults => ({
    before: ({ verb, subresource }) => {
      if (verb === 'patch' && subresources.includes(subresource)) throw new ApiError('refused', { kind: 'Forbidden' });
    },
  });

  it('takes the Pod out of service before it changes it', async () => {
    expect(await states(serving, {})).toEqual(['app:1 True', 'app:1 False', 'app:2 False', 'updated']);
    expect(await states(serving, {}, true)).toEqual(['app:1 True', 'app:1 False', 'app:2 False', 'updated']);
  });

  it('that is refused puts the Pod back into service', async () => {
    expect(await states(serving, refusing(''))).toEqual(['app:1 True', 'app:1 False', 'app:1 True', 'refused']);
  });

  it('that is refused after another one was takes the Pod out of service no more', async () => {
    expect(await states(serving, refusing(''), true)).toEqual(['app:1 True', 'refused']);
  });

  it('whose answer is lost leaves the Pod out of service, as it has begun', async () => {
    const lost: FakeFaults = {
      after: ({ verb, subresource }) => {
        if (verb === 'patch' && subresource === '') throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    };
    expect(await states(serving, lost)).toEqual(['app:1 True', 'app:1 False', 'app:2 False', 'no answer']);
  });

  it('that is refused leaves a Pod out of service that an earlier update is not through with', async () => {
    const lastContainerStatuses = { main: { imageID: 'sha256:app:1' } };
    const state = JSON.stringify({ revision: 'web-1', updateTimestamp: '2026-01-01T00:00:00Z', updateImages: true, lastContainerStatuses });
    const metadata = { ...bare.metadata, annotations: { 'apps.kruise.io/inplace-update-state': state } };
    const status = { conditions: [{ ...ready, status: 'False' as const }], containerStatuses: [] };
    expect(await states({ ...serving, metadata, status }, refusing(''))).toEqual(['app:1 False', 'refused']);
  });
});

describe('amounts that a Pod gets back', () => {
  const sized = (cpu: string): Pod => ({
    ...bare,
    spec: { containers: [{ name: 'main', image: 'app:1', resources: { limits: { cpu } } }] },
  });
  const resources = { main: { limits: { cpu: '1' } } };

  async function undo(held: Pod, seen: (stored: Pod) => Pod = (stored) => stored, answer?: ApiError): Promise<readonly string[]> {
    const clock = newClock();
    const api = newFakeApi(clock);
    const calls: string[] = [];
    const pod = api.seed(pods, held);
    const client = api.connect('manager', {
      before: ({ verb, subresource }) => {
        calls.push(`${verb} ${subresource}`.trim());
        if (subresource === 'resize' && answer !== undefined) throw answer;
      },
    });
    const failedUpdateInPlace = (error: unknown, name: string, revision: string): void =>
      void calls.push(`event about ${name} and ${revision}: ${(error as Error).message}`);
    const writer = { client, clock, events: { failedUpdateInPlace } as never, adapter: {} as never, resources: 'BySubresource' } as const;
    const action: PodAction = { kind: 'ResizePod', pod: seen(pod), revision: 'web-1', resources, because: 'rolled back' };
    const writing = writePodAction(action, writer, signal).catch(() => undefined);
    await clock.step(1000);
    await writing;
    return [...calls, api.peek(pods, keyOf(pod))?.spec.containers[0]?.resources?.limits?.['cpu'] ?? ''];
  }

  it('are written to the resize subresource', async () => {
    expect(await undo(sized('2'))).toEqual(['patch resize', '1']);
  });

  it('are not written when the Pod has them by now', async () => {
    expect(await undo(sized('1'))).toEqual(['1']);
  });

  it('are written to the Pod as it is after a conflict', async () => {
    const older = (stored: Pod): Pod => ({ ...stored, metadata: { ...stored.metadata, resourceVersion: '0' } });
    expect(await undo(sized('2'), older)).toEqual(['patch resize', 'get', 'patch resize', '1']);
  });

  it('are an event about the Pod when the API server refuses them', async () => {
    const refusal = new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
    expect(await undo(sized('2'), undefined, refusal)).toEqual(['patch resize', 'event about web-1 and web-1: no', '2']);
  });
});
