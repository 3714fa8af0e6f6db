import { describe, expect, it } from '@jest/globals';
import { nominalShard, statefulSetOf } from './nominal-shard.ts';

const pod = (...ownerReferences: readonly object[]) => ({
  metadata: { name: 'ksm-1', namespace: 'n', ownerReferences: ownerReferences as never },
});
const set = (spec: object) => ({ metadata: { name: 'ksm' }, spec });

describe('the StatefulSet of a Pod', () => {
  it('is its controller of apps/v1', () => {
    expect(statefulSetOf(pod({ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'ksm', uid: '1', controller: true }))).toEqual({
      kind: 'Found',
      name: 'ksm',
    });
  });

  it.each([
    ['no controller', pod(), /no controller/],
    [
      'a StatefulSet of another group',
      pod({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'k', uid: '1', controller: true }),
      /not by a StatefulSet of apps\/v1/,
    ],
    ['a ReplicaSet', pod({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'k', uid: '1', controller: true }), /a ReplicaSet/],
  ])('is none: %s', (_, of, why) => {
    expect(statefulSetOf(of)).toEqual({ kind: 'None', why: expect.stringMatching(why) });
  });
});

describe('the shard of a Pod', () => {
  it.each([
    ['its ordinal, of as many as there are replicas', 'ksm-2', set({ replicas: 3 }), { shard: 2, totalShards: 3 }],
    ['its ordinal of one, without replicas', 'ksm-0', set({}), { shard: 0, totalShards: 1 }],
    ['counted from the first ordinal', 'ksm-7', set({ replicas: 3, ordinals: { start: 5 } }), { shard: 2, totalShards: 3 }],
    ['none for a Pod of another name', 'other-2', set({ replicas: 3 }), undefined],
    ['none for a Pod without an ordinal', 'ksm-x', set({ replicas: 3 }), undefined],
    ['none below the first ordinal', 'ksm-1', set({ replicas: 3, ordinals: { start: 5 } }), undefined],
  ])('is %s', (_, name, of, then) => {
    expect(nominalShard(name, of)).toEqual(then);
  });
});
