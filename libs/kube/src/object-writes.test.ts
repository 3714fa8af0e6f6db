import { describe, expect, it } from '@jest/globals';
import { pods, type Pod, type PodStatus } from '@kruise/objects';
import { setFinalizer, writeStatus, type StatusWrite } from './object-writes.ts';
import { FakeApi } from './testing/fake-api.ts';

const key = { namespace: 'ns', name: 'a' };
const signal = new AbortController().signal;
const never: FakeApi['calls'] = [];

function seeded(api: FakeApi, status?: PodStatus, finalizers: readonly string[] = []): Pod {
  return api.seed(pods, { metadata: { ...key, finalizers }, spec: { containers: [] }, ...(status === undefined ? {} : { status }) });
}
/** Replaces the Pod with another one of its name. */
async function replaced(api: FakeApi): Promise<Pod> {
  await api.delete(pods, key);
  return seeded(api, { phase: 'Pending' });
}
const touch = (api: FakeApi): Promise<Pod> => api.patch(pods, key, { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
const write = (api: FakeApi, object: Pod, status: PodStatus, how: StatusWrite<Pod>['how']): Promise<Pod | undefined> =>
  writeStatus(api, pods, { object, status, how }, signal);

describe.each(['Replace', 'Merge'] as const)('a status that is written by %s', (how) => {
  it('is stored and returned', async () => {
    const api = new FakeApi();
    const after = await write(api, seeded(api), { phase: 'Running' }, how);
    expect(api.peek(pods, key)?.status).toEqual({ phase: 'Running' });
    expect(after).toEqual(api.peek(pods, key));
  });

  it('loses the fields that it no longer has', async () => {
    const api = new FakeApi();
    await write(api, seeded(api, { phase: 'Running', reason: 'x' }), { phase: 'Failed' }, how);
    expect(api.peek(pods, key)?.status).toEqual({ phase: 'Failed' });
  });

  it('is not written when it is the same', async () => {
    const api = new FakeApi();
    const seen = seeded(api, { phase: 'Running' });
    expect(await write(api, seen, { phase: 'Running' }, how)).toBe(seen);
    expect(api.calls).toEqual(never);
  });

  it('is not written to a deleted object', async () => {
    const api = new FakeApi();
    const seen = seeded(api);
    await api.delete(pods, key);
    expect(await write(api, seen, { phase: 'Running' }, how)).toBeUndefined();
  });

  it('is not written to another object with that name', async () => {
    const api = new FakeApi();
    const seen = seeded(api);
    await replaced(api);
    await expect(write(api, seen, { phase: 'Running' }, how)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect(api.peek(pods, key)?.status).toEqual({ phase: 'Pending' });
  });

  it('throws what the server refuses', async () => {
    const api = new FakeApi();
    const seen = seeded(api);
    const refusing = api.connect('manager', {
      before: () => {
        throw new Error('no');
      },
    });
    await expect(write(refusing, seen, { phase: 'Running' }, how)).rejects.toThrow('no');
  });
});

describe('a status of an object that another client changed meanwhile', () => {
  it('is not replaced', async () => {
    const api = new FakeApi();
    const seen = seeded(api);
    await touch(api);
    await expect(write(api, seen, { phase: 'Running' }, 'Replace')).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect(api.peek(pods, key)?.status?.phase).toBeUndefined();
  });

  it('is merged, and keeps what others wrote into it', async () => {
    const api = new FakeApi();
    const seen = seeded(api, { phase: 'Pending' });
    await api.patch(pods, key, { status: { podIP: '10.0.0.1' } }, { type: 'merge', subresource: 'status' });
    await write(api, seen, { phase: 'Running' }, 'Merge');
    expect(api.peek(pods, key)?.status).toEqual({ phase: 'Running', podIP: '10.0.0.1' });
  });
});

describe('a finalizer', () => {
  const set = (api: FakeApi, object: Pod, present: boolean): Promise<Pod | undefined> =>
    setFinalizer(api, pods, { object, finalizer: 'example.com/mine', present }, signal);
  const held = (api: FakeApi): readonly string[] => api.peek(pods, key)?.metadata.finalizers ?? [];

  it('is added to those of others, and returned', async () => {
    const api = new FakeApi();
    const after = await set(api, seeded(api, undefined, ['other']), true);
    expect(held(api)).toEqual(['other', 'example.com/mine']);
    expect(after).toEqual(api.peek(pods, key));
  });

  it('is removed, those of others are kept', async () => {
    const api = new FakeApi();
    await set(api, seeded(api, undefined, ['example.com/mine', 'other']), false);
    expect(held(api)).toEqual(['other']);
  });

  it.each([true, false])('is not written when it is as desired already (present: %s)', async (present) => {
    const api = new FakeApi();
    const seen = seeded(api, undefined, present ? ['example.com/mine'] : ['other']);
    expect(await set(api, seen, present)).toBe(seen);
    expect(api.calls).toEqual(never);
  });

  it('is not changed on a version that was not read', async () => {
    const api = new FakeApi();
    const seen = seeded(api);
    await touch(api);
    await expect(set(api, seen, true)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect(held(api)).toEqual([]);
  });

  it('is not changed on another object with that name', async () => {
    const api = new FakeApi();
    const seen = seeded(api);
    await replaced(api);
    await expect(set(api, seen, true)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect(held(api)).toEqual([]);
  });

  it('is not written to a deleted object', async () => {
    const api = new FakeApi();
    const seen = seeded(api);
    await api.delete(pods, key);
    expect(await set(api, seen, true)).toBeUndefined();
  });
});
