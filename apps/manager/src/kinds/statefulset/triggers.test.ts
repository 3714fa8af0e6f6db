/** The objects that events of Pods and claims enqueue. @see spec/statefulset.md 5.1 */
import { describe, expect, it } from '@jest/globals';
import { statefulSets, type StatefulSet } from '@kruise/api';
import type { StoreEvent, StoreReader } from '@kruise/kube';
import { storeOf } from '@kruise/kube/testing';
import { formatKey, type KubeObject, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { ownerReferenceTo } from '@kruise/kinds/statefulset';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';
import { gathered, setsOfClaim, setsOfPod } from './triggers.ts';

const named = (name: string, shape: SetShape = {}): StatefulSet => {
  const set = aStatefulSet({ claims: [aClaimTemplate('data')], ...shape });
  return { ...set, metadata: { ...set.metadata, name, uid: `${name}-uid`, resourceVersion: '1' } };
};
const web = named('web');
const other = named('other');
const elsewhere: StatefulSet = { ...web, metadata: { ...web.metadata, namespace: 'elsewhere', uid: 'elsewhere' } };
const holding = (...sets: readonly StatefulSet[]): StoreReader<StatefulSet> => storeOf(statefulSets, sets);
const sets = holding(web, other, elsewhere);

const updated = <T extends KubeObject>(previous: T, object: T): StoreEvent<T> => ({ kind: 'Updated', previous, object });
const added = <T extends KubeObject>(object: T): StoreEvent<T> => ({ kind: 'Added', object, initial: false });
const deleted = <T extends KubeObject>(object: T): StoreEvent<T> => ({ kind: 'Deleted', object });

describe('a Pod', () => {
  const labels = { app: 'web' };
  const pod = (shape: PodShape = {}): Pod => aPod({ name: 'web-0', labels, ...shape });
  const owned = pod({ owner: ownerReferenceTo(web) });
  it.each<{ name: string; event: StoreEvent<Pod>; then: readonly string[] }>([
    { name: 'enqueues its owner', event: added(owned), then: ['default/web'] },
    { name: 'that lost its owner enqueues the one that lost it', event: updated(owned, pod({ labels: {} })), then: ['default/web'] },
    {
      name: 'that has another owner enqueues both',
      event: updated(owned, pod({ owner: ownerReferenceTo(other) })),
      then: ['default/other', 'default/web'],
    },
    {
      name: 'of an owner of an older version enqueues it as well',
      event: added(pod({ owner: { ...ownerReferenceTo(web), apiVersion: 'apps.kruise.io/v1alpha1' } })),
      then: ['default/web'],
    },
    {
      name: 'of the built-in kind enqueues none',
      event: added(pod({ owner: { ...ownerReferenceTo(web), apiVersion: 'apps/v1' } })),
      then: [],
    },
    { name: 'without a controller enqueues the one whose member it is by its name', event: added(pod()), then: ['default/web'] },
    { name: 'that no object controls or selects enqueues none', event: added(pod({ labels: { app: 'x' } })), then: [] },
    { name: 'without a controller and an ordinal enqueues none', event: added(pod({ name: 'web-x' })), then: [] },
    { name: 'without a controller, whose parent does not exist, enqueues none', event: added(pod({ name: 'gone-0' })), then: [] },
    { name: 'whose labels came back enqueues it', event: updated(pod({ labels: {} }), pod()), then: ['default/web'] },
    {
      name: 'of another owner that is deleted enqueues the one that waits for its name',
      event: deleted(pod({ labels: {}, owner: { ...ownerReferenceTo(web), apiVersion: 'batch/v1', kind: 'Job', name: 'job' } })),
      then: ['default/web'],
    },
    { name: 'that is deleted and had no ordinal enqueues none', event: deleted(pod({ name: 'alone' })), then: [] },
    { name: 'that is deleted and whose parent does not exist enqueues none', event: deleted(pod({ name: 'gone-0' })), then: [] },
  ])('$name', ({ event, then }) => {
    expect(
      setsOfPod(event, sets)
        .map((key) => formatKey(key))
        .toSorted(),
    ).toEqual(then);
  });

  it('enqueues none whose selector cannot be read', () => {
    const strange = named('web', { spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['x'] }] } } });
    expect(setsOfPod(added(pod()), holding(strange))).toEqual([]);
  });
});

describe('a claim', () => {
  const claim = (over: Partial<PersistentVolumeClaim> = {}, metadata: object = {}): PersistentVolumeClaim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    spec: { resources: { requests: { storage: '1Gi' } } },
    status: { capacity: { storage: '1Gi' } },
    ...over,
    metadata: { name: 'data-web-0', namespace: 'default', ...metadata },
  });
  const resizing = { annotations: { 'apps.kruise.io/owned-by-asts': 'other' } };
  it.each<{ name: string; event: StoreEvent<PersistentVolumeClaim>; then: readonly string[] }>([
    { name: 'that is new enqueues none', event: added(claim()), then: [] },
    { name: 'that is deleted enqueues the one whose template gives it its name', event: deleted(claim()), then: ['default/web'] },
    { name: 'of no template enqueues none', event: deleted(claim({}, { name: 'logs-web-0' })), then: [] },
    { name: 'without an ordinal enqueues none', event: deleted(claim({}, { name: 'data-web' })), then: [] },
    { name: 'without a relevant change enqueues none', event: updated(claim(), claim({}, { labels: { a: 'b' } })), then: [] },
    {
      name: 'that is being deleted enqueues the one',
      event: updated(claim(), claim({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })),
      then: ['default/web'],
    },
    {
      name: 'with other owners enqueues the one',
      event: updated(claim(), claim({}, { ownerReferences: [ownerReferenceTo(web)] })),
      then: ['default/web'],
    },
    { name: 'that asks for more enqueues the one', event: updated(claim(), claim({ spec: {} })), then: ['default/web'] },
    {
      name: 'that has more enqueues the one',
      event: updated(claim(), claim({ status: { capacity: { storage: '2Gi' } } })),
      then: ['default/web'],
    },
    {
      name: 'whose file system must be resized enqueues the one',
      event: updated(
        claim(),
        claim({ status: { capacity: { storage: '1Gi' }, conditions: [{ type: 'FileSystemResizePending', status: 'True' }] } }),
      ),
      then: ['default/web'],
    },
    {
      name: 'enqueues the one that has resized it',
      event: updated(claim({}, { ...resizing, name: 'any' }), claim({ spec: {} }, { ...resizing, name: 'any' })),
      then: ['default/other'],
    },
    {
      name: 'enqueues each once',
      event: deleted(claim({}, { annotations: { 'apps.kruise.io/owned-by-asts': 'web' } })),
      then: ['default/web'],
    },
  ])('$name', ({ event, then }) => {
    expect(
      setsOfClaim(event, sets)
        .map((key) => formatKey(key))
        .toSorted(),
    ).toEqual(then);
  });

  it('whose name is that of two enqueues both', () => {
    const both = holding(named('b', { claims: [aClaimTemplate('a-a')] }), named('a-b', { claims: [aClaimTemplate('a')] }));
    expect(setsOfClaim(deleted(claim({}, { name: 'a-a-b-0' })), both).map(({ name }) => name)).toEqual(['b', 'a-b']);
  });
});

describe('events in swarms', () => {
  it('are handled together with Parallel, each immediately when ordered, and for a deleted one', () => {
    const key = { namespace: 'default', name: 'web' };
    const many = named('web', { parallel: true, replicas: 500 });
    expect(gathered([key], holding(web))).toEqual([key]);
    expect(gathered([key], holding())).toEqual([key]);
    expect(gathered([key], holding(many))).toEqual([{ key, after: expect.any(Number) }]);
  });
});
