import { describe, expect, it } from '@jest/globals';
import { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
import type { OwnerReference, ResourceType } from './kube-object.ts';
import {
  controllerOf,
  groupOf,
  isControlledBy,
  isOwnedBy,
  newControllerRef,
  refersToKind,
  withOwner,
  withoutOwner,
} from './owner-references.ts';

const cloneSets: ResourceType = { group: 'apps.kruise.io', version: 'v1beta1', kind: 'CloneSet', plural: 'clonesets', namespaced: true };
const owner: OwnerReference = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'c', uid: 'u1', controller: true };
const other: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'm', uid: 'u2' };
const object = { metadata: { ownerReferences: [other, owner] } };

describe('owners', () => {
  it('are distinguished by uid', () => {
    expect(controllerOf(object)).toBe(owner);
    expect([isControlledBy(object, 'u1'), isControlledBy(object, 'u2'), isControlledBy({ metadata: {} }, undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([isOwnedBy(object, 'u2'), isOwnedBy(object, 'u3'), isOwnedBy(object, undefined)]).toEqual([true, false, false]);
    const bare = { metadata: {} };
    expect([controllerOf(bare), isControlledBy(bare, 'u1'), isOwnedBy(bare, 'u1')]).toEqual([undefined, false, false]);
    const unnamed = { metadata: { ownerReferences: [{ ...other, uid: undefined as never }] } };
    expect(isOwnedBy(unnamed, undefined)).toBe(false);
  });

  it('match a kind in any version', () => {
    expect(refersToKind(owner, cloneSets)).toBe(true);
    expect(refersToKind(other, { group: '', kind: 'ConfigMap' })).toBe(true);
    expect(refersToKind({ ...owner, apiVersion: 'example.com/v1' }, cloneSets)).toBe(false);
    expect(refersToKind({ ...owner, kind: 'DaemonSet' }, cloneSets)).toBe(false);
    expect([groupOf('apps/v1'), groupOf('v1')]).toEqual(['apps', '']);
  });

  it('are referred to in the version of the controller', () => {
    const reference = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      name: 'c',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    };
    expect(newControllerRef({ metadata: { name: 'c', uid: 'u1' } }, cloneSets)).toEqual(reference);
    expect(() => newControllerRef({ metadata: { name: 'c' } }, cloneSets)).toThrow('CloneSet c has no uid');
    expect(() => newControllerRef({ metadata: { name: 'c', uid: '' } }, cloneSets)).toThrow('CloneSet c has no uid');
  });

  it('are added once and removed', () => {
    expect(withOwner(undefined, owner)).toEqual([owner]);
    expect(withOwner([other, { ...owner, controller: false }], owner)).toEqual([other, owner]);
    expect(withOwner([{ ...owner, controller: false }, other], owner)).toEqual([owner, other]);
    expect([withOwner([other], owner), withoutOwner(undefined, 'u1')]).toEqual([[other, owner], []]);
    const list = [other];
    expect(withoutOwner(list, 'u1')).toBe(list);
    expect(withoutOwner([other, owner], 'u1')).toEqual([other]);
  });
});

describe('finalizers', () => {
  it('are added once and removed', () => {
    const list = ['a'];
    expect(hasFinalizer({ metadata: { finalizers: list } }, 'a')).toBe(true);
    expect(hasFinalizer({ metadata: {} }, 'a')).toBe(false);
    expect(withoutFinalizer(undefined, 'a')).toEqual([]);
    expect([withFinalizer(list, 'a'), withoutFinalizer(list, 'b')].every((same) => same === list)).toBe(true);
    expect([withFinalizer(list, 'b'), withFinalizer(undefined, 'b'), withoutFinalizer(['a', 'b'], 'a')]).toEqual([
      ['a', 'b'],
      ['b'],
      ['b'],
    ]);
  });
});
