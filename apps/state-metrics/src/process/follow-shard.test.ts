import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { pods, type KubeObject, type ResourceType } from '@kruise/objects';
import type { Sharding } from '../sharding/shard-of.ts';
import { followShard } from './follow-shard.ts';

const sets: ResourceType = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };
const set = (replicas: number) => ({ metadata: { namespace: 'n', name: 'ksm' }, spec: { replicas } }) as KubeObject;
const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'ksm', uid: '1', controller: true };

const stop = new AbortController();
afterEach(() => stop.abort());

describe('automatic sharding', () => {
  it('follows the replicas of the StatefulSet, and says each shard once', async () => {
    const clock = new FakeClock();
    const api = new FakeApi({ clock });
    api.seed(pods, { metadata: { namespace: 'n', name: 'ksm-1', ownerReferences: [owner] } } as never);
    api.seed(sets, set(2));
    api.seed(sets, { metadata: { namespace: 'n', name: 'other' }, spec: { replicas: 9 } } as KubeObject);
    const seen: Sharding[] = [];
    const pod = { namespace: 'n', name: 'ksm-1' };
    const running = followShard({ client: api, clock, logger: silentLogger(), pod, onShard: (one) => seen.push(one) }, stop.signal);
    await clock.settle();
    expect(seen).toEqual([{ shard: 1, totalShards: 2 }]);
    api.seed(sets, { ...set(2), metadata: { namespace: 'n', name: 'ksm', labels: { a: 'b' } } });
    api.seed(sets, set(3));
    await clock.settle();
    expect(seen).toEqual([
      { shard: 1, totalShards: 2 },
      { shard: 1, totalShards: 3 },
    ]);
    stop.abort();
    await running;
  });

  it('ends with the reason of a stop before it began', async () => {
    const clock = new FakeClock();
    const parts = {
      client: new FakeApi({ clock }),
      clock,
      logger: silentLogger(),
      pod: { namespace: 'n', name: 'ksm-1' },
      onShard: () => undefined,
    };
    await expect(followShard(parts, AbortSignal.abort(new Error('received SIGTERM')))).rejects.toThrow(/^received SIGTERM$/);
  });

  it('is a fault of the start without a Pod or its StatefulSet', async () => {
    const clock = new FakeClock();
    const api = new FakeApi({ clock });
    const parts = { client: api, clock, logger: silentLogger(), pod: { namespace: 'n', name: 'ksm-1' }, onShard: () => undefined };
    const signal = new AbortController().signal;
    await expect(followShard(parts, signal)).rejects.toThrow(/^automatic sharding: Pod n\/ksm-1 cannot be read/);
    api.seed(pods, { metadata: { namespace: 'n', name: 'ksm-1' } } as never);
    await expect(followShard(parts, signal)).rejects.toThrow(/^automatic sharding: Pod ksm-1 has no controller/);
  });
});
