import { describe, expect, it } from '@jest/globals';
import type { OwnerReference } from '@kruise/objects';
import { decideClaim } from './claim.ts';
import { aPod, owner } from './testdata/build.ts';

const owned = (...ownerReferences: OwnerReference[]) => ({ ...aPod(), metadata: { ...aPod().metadata, ownerReferences } });
const other: OwnerReference = { ...owner, uid: 'u2' };
const plain: OwnerReference = { ...owner, uid: 'u3', controller: false };
const claimant = (selected: boolean, isBeingDeleted = false) => ({ uid: 'u1', isBeingDeleted, selects: () => selected });

describe('decideClaim', () => {
  it.each([
    ["another controller's", owned(other), claimant(true), 'Ignored'],
    ['ours and selected', owned(owner), claimant(true), 'Claimed'],
    [
      'ours, selected and terminating',
      { ...owned(owner), metadata: { ...owned(owner).metadata, deletionTimestamp: 't' } },
      claimant(true),
      'Claimed',
    ],
    ['ours, no longer selected', owned(owner), claimant(false), 'Release'],
    ['ours and selected, workload being deleted', owned(owner), claimant(true, true), 'Claimed'],
    ["another controller's, workload being deleted", owned(other), claimant(true, true), 'Ignored'],
    ['ours, no longer selected, workload being deleted', owned(owner), claimant(false, true), 'Ignored'],
    ["nobody's and selected", owned(plain), claimant(true), 'Adopt'],
    ["nobody's and not selected", aPod(), claimant(false), 'Ignored'],
    ["nobody's and terminating", aPod({ deleting: true }), claimant(true), 'Ignored'],
    ["nobody's, workload being deleted", aPod(), claimant(true, true), 'Ignored'],
  ])('%s', (_name, object, by, kind) => {
    expect(decideClaim(object, by).kind).toBe(kind);
  });

  it('releases by removing only our reference', () => {
    expect(decideClaim(owned(plain, owner), claimant(false))).toEqual({ kind: 'Release', ownerReferences: [plain] });
  });
});
