/** Names, owners and sizes of claims. @see spec/statefulset.md 5.3.3, 5.7, 5.10 */
import { describe, expect, it } from '@jest/globals';
import { defaultGates } from '@kruise/api';
import type { OwnerReference, PersistentVolumeClaim } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import {
  claimsOf,
  isDeletedWithPod,
  hasItsSize,
  isClaimReady,
  isClaimTerminating,
  isMatched,
  isResized,
  isSameKind,
  isStale,
  lasting,
  newClaimOf,
  wantedClaimOwner,
  wantedOwners,
} from './claims.ts';
import { aClaimTemplate, aStatefulSet } from '../testing.ts';

type Policy = NonNullable<ReturnType<typeof aStatefulSet>['spec']['persistentVolumeClaimRetentionPolicy']>;

const setWith = (policy?: Policy) =>
  aStatefulSet({
    claims: [aClaimTemplate('data', '2Gi')],
    spec: policy === undefined ? {} : { persistentVolumeClaimRetentionPolicy: policy },
  });
const off = { ...defaultGates, StatefulSetAutoDeletePVC: false };

describe('who is to own a claim', () => {
  it.each<{ whenDeleted: string; whenScaled: string; inRange: string; outOfRange: string }>([
    { whenDeleted: 'Retain', whenScaled: 'Retain', inRange: 'Nobody', outOfRange: 'Nobody' },
    { whenDeleted: 'Delete', whenScaled: 'Retain', inRange: 'StatefulSet', outOfRange: 'StatefulSet' },
    { whenDeleted: 'Retain', whenScaled: 'Delete', inRange: 'Nobody', outOfRange: 'Pod' },
    { whenDeleted: 'Delete', whenScaled: 'Delete', inRange: 'StatefulSet', outOfRange: 'Pod' },
    { whenDeleted: 'Whatever', whenScaled: 'Else', inRange: 'Nobody', outOfRange: 'Nobody' },
  ])('with $whenDeleted/$whenScaled: $inRange, out of range $outOfRange', ({ inRange, outOfRange, ...policy }) => {
    const set = setWith(policy as Policy);
    expect([wantedClaimOwner(set, true, defaultGates), wantedClaimOwner(set, false, defaultGates)]).toEqual([inRange, outOfRange]);
    expect([wantedClaimOwner(set, true, off), wantedClaimOwner(set, false, off)]).toEqual(['Untouched', 'Untouched']);
    expect([isDeletedWithPod(set, defaultGates), isDeletedWithPod(set, off)]).toEqual([policy.whenScaled === 'Delete', false]);
  });

  it('is none without a policy', () => {
    expect(wantedClaimOwner(setWith(), false, defaultGates)).toBe('Nobody');
    expect(isDeletedWithPod(setWith(), defaultGates)).toBe(false);
  });
});

describe('the owners of a claim', () => {
  const set = setWith();
  const pod = { ...aPod({ name: 'web-0' }), metadata: { ...aPod({ name: 'web-0' }).metadata, uid: 'pod-uid' } };
  const ofSet = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web', uid: 'set-uid' };
  const ofPod = { apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'pod-uid' };
  const foreign = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: 'theirs' };

  it.each<{ name: string; held: readonly OwnerReference[]; wanted: Parameters<typeof wantedOwners>[1]; then: readonly OwnerReference[] }>([
    { name: 'the StatefulSet, without control and without holding it up', held: [], wanted: 'StatefulSet', then: [ofSet] },
    { name: 'the Pod', held: [], wanted: 'Pod', then: [ofPod] },
    { name: 'the Pod in place of the StatefulSet', held: [foreign, ofSet], wanted: 'Pod', then: [foreign, ofPod] },
    { name: 'the StatefulSet in place of the Pod', held: [ofPod, foreign], wanted: 'StatefulSet', then: [foreign, ofSet] },
    { name: 'none in place of both', held: [ofPod, foreign, ofSet], wanted: 'Nobody', then: [foreign] },
  ])('become $name', ({ held, wanted, then }) => {
    expect(wantedOwners(held, wanted, { set, pod })).toEqual(then);
  });

  it.each<{ wanted: Parameters<typeof wantedOwners>[1]; held: readonly OwnerReference[] }>([
    { wanted: 'StatefulSet', held: [foreign, ofSet] },
    { wanted: 'Pod', held: [ofPod, foreign] },
    { wanted: 'Nobody', held: [foreign] },
    { wanted: 'Nobody', held: [] },
    { wanted: 'Untouched', held: [ofPod, ofSet] },
  ])('are the very list that is right for $wanted', ({ wanted, held }) => {
    expect(wantedOwners(held, wanted, { set, pod })).toBe(held);
  });

  it('are not a Pod that is not there yet', () => {
    expect(wantedOwners([foreign], 'Pod', { set })).toEqual([foreign]);
  });
});

describe('a claim of a former Pod', () => {
  const owned = (over: Partial<OwnerReference>): PersistentVolumeClaim => ({
    metadata: { name: 'data-web-0', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'former', ...over }] },
  });
  it.each([
    { name: 'is stale', claim: owned({}), then: true },
    { name: 'of the Pod itself is not', claim: owned({ uid: 'now' }), then: false },
    { name: 'of another Pod is not', claim: owned({ name: 'web-1' }), then: false },
    { name: 'of another kind is not', claim: owned({ kind: 'Job' }), then: false },
    { name: 'of another group is not', claim: owned({ apiVersion: 'example.com/v1' }), then: false },
    { name: 'without an owner is not', claim: { metadata: { name: 'data-web-0' } }, then: false },
  ])('$name', ({ claim, then }) => {
    expect(isStale(claim, 'web-0', 'now')).toBe(then);
  });
});

describe('a new claim', () => {
  it('has what its template has, the labels that the StatefulSet selects by, and the owner of a Pod in its slot', () => {
    const plain = aClaimTemplate('data', '2Gi');
    const template = { ...plain, metadata: { ...plain.metadata, labels: { app: 'x', tier: 'db' }, annotations: { a: 'b' } } };
    const set = setWith({ whenDeleted: 'Delete', whenScaled: 'Delete' });
    expect(newClaimOf({ template, name: 'data-web-0' }, set, defaultGates)).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: 'data-web-0',
        namespace: 'default',
        labels: { app: 'web', tier: 'db' },
        annotations: { a: 'b' },
        ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web', uid: 'set-uid' }],
      },
      spec: template.spec,
    });
    expect(newClaimOf({ template, name: 'data-web-0' }, set, off).metadata.ownerReferences).toBeUndefined();
  });
});

describe('a claim beside its template', () => {
  const template = aClaimTemplate('data', '2Gi');
  const claim = (asks: string | undefined, has: string | undefined, over: object = {}): PersistentVolumeClaim => ({
    metadata: { name: 'data-web-0' },
    spec: { ...template.spec, resources: asks === undefined ? {} : { requests: { storage: asks } }, ...over },
    ...(has === undefined ? {} : { status: { capacity: { storage: has } } }),
  });
  const pending = (status: 'True' | 'False', type = 'FileSystemResizePending'): PersistentVolumeClaim => ({
    ...claim('2Gi', undefined),
    status: { capacity: { storage: '1Gi' }, conditions: [{ type, status }] },
  });
  const facts = (one: PersistentVolumeClaim): readonly boolean[] => [
    isSameKind(one, template),
    isMatched(one, template),
    hasItsSize(one),
    isClaimReady(one, template),
    isResized(one, template),
  ];
  it.each<{ name: string; given: PersistentVolumeClaim; then: readonly boolean[] }>([
    { name: 'as it asks for', given: claim('2Gi', '2Gi'), then: [true, true, true, true, true] },
    { name: 'in other units', given: claim('2048Mi', '2147483648'), then: [true, true, true, true, true] },
    { name: 'that is larger', given: claim('3Gi', '4Gi'), then: [true, true, true, true, true] },
    { name: 'that is smaller', given: claim('1Gi', '1Gi'), then: [true, false, true, true, false] },
    { name: 'that is not resized yet', given: claim('2Gi', '1Gi'), then: [true, true, false, false, false] },
    { name: 'without a status', given: claim('2Gi', undefined), then: [true, true, false, false, false] },
    { name: 'of a size that cannot be read', given: claim('2Gi', 'much'), then: [true, true, false, false, false] },
    { name: 'that asks for nothing', given: claim(undefined, '1Gi'), then: [true, false, true, true, false] },
    { name: 'whose file system waits for its Pod', given: pending('True'), then: [true, true, false, false, true] },
    { name: 'whose file system waits no more', given: pending('False'), then: [true, true, false, false, false] },
    { name: 'with another condition', given: pending('True', 'Resizing'), then: [true, true, false, false, false] },
    { name: 'of another class', given: claim('2Gi', '2Gi', { storageClassName: 'slow' }), then: [false, false, true, false, false] },
    { name: 'without a class', given: claim('2Gi', '2Gi', { storageClassName: undefined }), then: [true, true, true, true, true] },
    {
      name: 'with other access modes',
      given: claim('2Gi', '2Gi', { accessModes: ['ReadWriteMany'] }),
      then: [false, false, true, false, false],
    },
    { name: 'without access modes', given: claim('2Gi', '2Gi', { accessModes: undefined }), then: [false, false, true, false, false] },
  ])('$name', ({ given, then }) => {
    expect(facts(given)).toEqual(then);
  });

  it('of no class follows a template of any, and one without access modes one without', () => {
    const bare = { metadata: { name: 'data' }, spec: {} };
    expect(isSameKind({ metadata: { name: 'data-web-0' }, spec: { storageClassName: 'slow' } }, bare)).toBe(true);
    expect(isMatched({ metadata: { name: 'data-web-0' } }, bare)).toBe(true);
  });

  it('is looked up by template, set and ordinal, and lasts unless it is going', () => {
    const held = claim('2Gi', '2Gi');
    const going = { ...held, metadata: { ...held.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const set = setWith();
    const of = (one: PersistentVolumeClaim | undefined) => claimsOf(set, 3, new Map(one === undefined ? [] : [['data-web-3', one]]));
    expect(of(held)).toEqual([{ template: set.spec.volumeClaimTemplates?.[0], name: 'data-web-3', claim: held }]);
    expect(of(undefined)).toEqual([{ template: set.spec.volumeClaimTemplates?.[0], name: 'data-web-3' }]);
    expect([held, going, undefined].map(isClaimTerminating)).toEqual([false, true, false]);
    expect([held, going, undefined].map((one) => lasting(of(one)).length)).toEqual([1, 0, 0]);
  });
});
