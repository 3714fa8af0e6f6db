/** On which version of an object a pass that has written it before writes its status. */
import { describe, expect, it } from '@jest/globals';
import { broadcastJobs, type BroadcastJob } from '@kruise/api';
import { FakeApi, storeOf } from '@kruise/kube/testing';
import { keyOf } from '@kruise/objects';
import { newestOf, writeNewestStatus } from './status-writes.ts';

const { signal } = new AbortController();
const job: BroadcastJob = {
  metadata: { name: 'a', namespace: 'default' },
  spec: { template: { spec: { containers: [] } } },
  status: { active: 1 },
};
const key = keyOf(job);
const conflict = { failure: { kind: 'Conflict' } };

const write = (api: FakeApi, seen: BroadcastJob, status: BroadcastJob['status'] = { active: 2 }): Promise<BroadcastJob | undefined> =>
  writeNewestStatus(
    broadcastJobs,
    { object: seen, status: status ?? {} },
    { client: api, store: storeOf(broadcastJobs, api.peekAll(broadcastJobs, 'default')) },
    signal,
  );

describe('a status that follows from an object', () => {
  it('is written on the version that the own writes of its metadata have led to', async () => {
    const api = new FakeApi();
    const seen = api.seed(broadcastJobs, job);
    await api.patch(broadcastJobs, key, { metadata: { finalizers: ['example.org/a'] } }, { type: 'merge' });
    expect(await write(api, seen)).toEqual(api.peek(broadcastJobs, key));
    expect(api.peek(broadcastJobs, key)?.status).toEqual({ active: 2 });
  });

  it('is not written over one that another client has written meanwhile', async () => {
    const api = new FakeApi();
    const seen = api.seed(broadcastJobs, job);
    await api.patch(broadcastJobs, key, { status: { failed: 3 } }, { type: 'merge', subresource: 'status' });
    await expect(write(api, seen)).rejects.toMatchObject(conflict);
    expect(api.peek(broadcastJobs, key)?.status).toEqual({ active: 1, failed: 3 });
  });

  it('is not written to another object that has got the name', async () => {
    const api = new FakeApi();
    const seen = api.seed(broadcastJobs, job);
    await api.delete(broadcastJobs, key);
    const successor = api.seed(broadcastJobs, job);
    await expect(write(api, seen)).rejects.toMatchObject(conflict);
    expect(api.peek(broadcastJobs, key)).toEqual(successor);
  });

  it('is not written when it says the same', async () => {
    const api = new FakeApi();
    const seen = api.seed(broadcastJobs, job);
    expect(await write(api, seen, { active: 1 })).toEqual(seen);
    expect(api.calls).toEqual([]);
  });
});

it('an object that has left the cache is used as it was read', () => {
  expect(newestOf(storeOf(broadcastJobs, []), job)).toBe(job);
});
