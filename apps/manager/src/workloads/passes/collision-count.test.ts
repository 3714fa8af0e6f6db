import { describe, expect, it } from '@jest/globals';
import { cloneSets, type CloneSet } from '@kruise/api';
import { FakeApi } from '@kruise/kube/testing';
import { rememberCollisions } from './collision-count.ts';

const { signal } = new AbortController();
const key = { namespace: 'default', name: 'web' };
const required = { replicas: 0, readyReplicas: 0 };

const aCloneSet = (status: object | undefined): CloneSet =>
  ({ metadata: key, spec: {}, ...(status === undefined ? {} : { status }) }) as unknown as CloneSet;

describe('the count of taken names', () => {
  it.each([
    {
      name: 'is written with the counters that a first status needs',
      status: undefined,
      count: 1,
      then: { ...required, collisionCount: 1 },
    },
    {
      name: 'is written alone into a status that is there',
      status: { replicas: 3, readyReplicas: 2 },
      count: 1,
      then: { replicas: 3, readyReplicas: 2, collisionCount: 1 },
    },
    { name: 'grows', status: { replicas: 3, collisionCount: 1 }, count: 2, then: { replicas: 3, collisionCount: 2 } },
    { name: 'is left alone where it is known', status: { collisionCount: 2 }, count: 2, then: { collisionCount: 2 } },
    { name: 'never shrinks', status: { collisionCount: 3 }, count: 2, then: { collisionCount: 3 } },
    { name: 'is not written while it is 0', status: undefined, count: 0, then: undefined },
  ])('$name', async ({ status, count, then }) => {
    const api = new FakeApi();
    const object = api.seed(cloneSets, aCloneSet(status));
    await rememberCollisions(api, cloneSets, { object, collisionCount: count, required }, signal);
    const held = api.peek(cloneSets, key);
    expect(held?.status).toEqual(then);
    expect(held?.metadata.resourceVersion === object.metadata.resourceVersion).toBe(count <= (object.status?.collisionCount ?? 0));
  });

  it('is never written into another object of the name', async () => {
    const api = new FakeApi();
    const { metadata, ...rest } = api.seed(cloneSets, aCloneSet({ replicas: 3 }));
    const earlier = { ...rest, metadata: { ...metadata, uid: 'earlier' } };
    await expect(rememberCollisions(api, cloneSets, { object: earlier, collisionCount: 1, required }, signal)).rejects.toThrow();
    expect(api.peek(cloneSets, key)?.status).toEqual({ replicas: 3 });
  });
});
