/** Which Pods belong to a workload. @see spec/inplace-update.md 12 */
import { describe, expect, it } from '@jest/globals';
import type { OwnerReference, Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { claimPods } from './claim-pods.ts';
import { owner } from '../workload.testing.ts';

const other: OwnerReference = { ...owner, uid: 'other' };
const bystander: OwnerReference = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node' };
const own = { labels: { app: 'web' } };
const stray = { labels: { app: 'other' } };
const claimed = (pods: readonly Pod[], isBeingDeleted = false) => {
  const { owned, adopted, released } = claimPods(pods, {
    uid: owner.uid,
    isBeingDeleted,
    selects: ({ metadata }) => metadata.labels?.['app'] === 'web',
  });
  return {
    owned: owned.map(({ metadata }) => metadata.name),
    adopted: adopted.map(({ metadata }) => metadata.name),
    released: released.map(({ pod, ownerReferences }) => [pod.metadata.name, ownerReferences]),
  };
};
const nothing = { owned: [], adopted: [], released: [] };

describe('a Pod', () => {
  it.each<{ name: string; shape: PodShape; then: Partial<ReturnType<typeof claimed>>; goes?: Partial<ReturnType<typeof claimed>> }>([
    { name: 'that it controls and selects is its own', shape: { ...own, owner }, then: { owned: ['p'] }, goes: { owned: ['p'] } },
    {
      name: 'that it controls and selects stays its own while it is being deleted',
      shape: { ...own, owner, terminating: true },
      then: { owned: ['p'] },
      goes: { owned: ['p'] },
    },
    {
      name: 'that it controls and no longer selects is released, but not when the workload is being deleted',
      shape: { ...stray, owner },
      then: { released: [['p', []]] },
      goes: { owned: ['p'] },
    },
    {
      name: 'without a controller that it selects is adopted, but not when the workload is being deleted',
      shape: own,
      then: { adopted: ['p'] },
    },
    { name: 'without a controller that is being deleted is left alone', shape: { ...own, terminating: true }, then: {} },
    { name: 'without a controller that it does not select is left alone', shape: stray, then: {} },
    { name: 'of another controller is left alone', shape: { ...own, owner: other }, then: {} },
    { name: 'of another controller that it does not select is left alone', shape: { ...stray, owner: other }, then: {} },
  ])('$name', ({ shape, then, goes = {} }) => {
    const pods = [aPod({ ...shape, name: 'p' })];
    expect([claimed(pods), claimed(pods, true)]).toEqual([
      { ...nothing, ...then },
      { ...nothing, ...goes },
    ]);
  });

  it('that is released keeps its other owners', () => {
    const pod = aPod({ ...stray, name: 'p', owner });
    const shared = { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner, bystander] } };
    expect(claimed([shared]).released).toEqual([['p', [bystander]]]);
  });

  it('with owners of which none controls it has no controller', () => {
    const pod = aPod({ ...own, name: 'p' });
    expect(claimed([{ ...pod, metadata: { ...pod.metadata, ownerReferences: [bystander] } }]).adopted).toEqual(['p']);
  });
});

it('Pods keep the given order', () => {
  const pods = ['c', 'a', 'b'].flatMap((name) => [
    aPod({ ...own, name, owner }),
    aPod({ ...own, name: `new-${name}` }),
    aPod({ ...stray, name: `old-${name}`, owner }),
  ]);
  expect(claimed(pods)).toEqual({
    owned: ['c', 'a', 'b'],
    adopted: ['new-c', 'new-a', 'new-b'],
    released: [
      ['old-c', []],
      ['old-a', []],
      ['old-b', []],
    ],
  });
  expect(claimed([])).toEqual(nothing);
});
