/** What a pass sees of the stores. @see spec/statefulset.md 5.3 */
import { describe, expect, it } from '@jest/globals';
import { imagePullJobs, statefulSets, type ImagePullJob } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import {
  controllerRevisions,
  labelMatcherOrNothing,
  nodes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  type ControllerRevision,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
} from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { byController } from '@kruise/workloads';
import { ownerReferenceTo } from '@kruise/kinds/statefulset';
import { observe, orphansByParent, type Stores } from './observe.ts';
import { aStatefulSet } from '@kruise/kinds/statefulset/testing';

const set = aStatefulSet();
const owner = ownerReferenceTo(set);
const other = { ...owner, name: 'other', uid: 'other' };
const index = { [byController.name]: byController.valuesOf };
const elsewhere = { namespace: 'elsewhere' };

interface Held {
  readonly pods?: readonly Pod[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly revisions?: readonly ControllerRevision[];
  readonly nodes?: readonly Node[];
  readonly classes?: readonly StorageClass[];
  readonly jobs?: readonly ImagePullJob[];
}

function seen(held: Held) {
  const stores: Stores = {
    sets: storeOf(statefulSets, [set]),
    pods: storeOf(pods, held.pods ?? [], { ...index, [orphansByParent.name]: orphansByParent.valuesOf }),
    claims: storeOf(persistentVolumeClaims, held.claims ?? []),
    revisions: storeOf(controllerRevisions, held.revisions ?? [], index),
    nodes: storeOf(nodes, held.nodes ?? []),
    ...(held.classes === undefined ? {} : { classes: storeOf(storageClasses, held.classes) }),
    ...(held.jobs === undefined ? {} : { imagePullJobs: storeOf(imagePullJobs, held.jobs, index) }),
  };
  return observe(stores, set, labelMatcherOrNothing(set.spec.selector));
}

const pod = (name: string, shape: PodShape = {}): Pod => aPod({ name, owner, ...shape });
/** The builder adds an owner by default; this Pod has no controller. */
const alone = (name: string, shape: PodShape = {}): Pod => {
  const { ownerReferences: _none, ...metadata } = aPod({ name, ...shape }).metadata;
  return { ...aPod({ name, ...shape }), metadata };
};

describe('a pass sees', () => {
  it('the Pods that the StatefulSet controls and those without a controller that have names of its members, by name', () => {
    const held = [pod('web-1'), alone('web-0'), pod('anything'), pod('web-2', { owner: other }), alone('other-0'), alone('web')];
    const foreign = [pod('web-3', elsewhere), alone('web-4', elsewhere)];
    expect(seen({ pods: [...held, ...foreign] }).pods.map(({ metadata }) => metadata.name)).toEqual(['anything', 'web-0', 'web-1']);
  });

  it('every Pod of its namespace by name, with any controller', () => {
    const { podNamed } = seen({ pods: [pod('web-2', { owner: other }), alone('web-4', elsewhere)] });
    expect([podNamed.get('web-2')?.metadata.name, podNamed.get('web-4')]).toEqual(['web-2', undefined]);
  });

  it('the nodes of its Pods that are known', () => {
    const node = (name: string): Node => ({ metadata: { name } });
    const { nodes: found } = seen({
      pods: [pod('web-0', { node: 'a' }), pod('web-1', { node: 'a' }), pod('web-2', { node: 'gone' }), pod('web-3', { node: '' })],
      nodes: [node('a'), node('b')],
    });
    expect([...found]).toEqual([['a', node('a')]]);
  });

  it('claims of its namespace by name, and classes where claims are resized', () => {
    const claim = (namespace: string): PersistentVolumeClaim => ({ metadata: { name: 'data-web-0', namespace } });
    const fast: StorageClass = { metadata: { name: 'fast' } };
    const found = seen({ claims: [claim('elsewhere'), claim('default')], classes: [fast] });
    expect([found.claims.get('data-web-0'), found.claims.get('data-web-1')]).toEqual([claim('default'), undefined]);
    expect([found.classes.get('fast'), found.classes.get('slow')]).toEqual([fast, undefined]);
    expect(seen({}).classes.get('fast')).toBeUndefined();
  });

  it('the history that it controls or may adopt, the oldest first, and every revision of the namespace by name', () => {
    const revision = (name: string, number: number, more: object = {}): ControllerRevision => ({
      metadata: { name, namespace: 'default', labels: { app: 'web' }, ownerReferences: [owner], ...more },
      revision: number,
    });
    const held = [
      revision('new', 3),
      revision('orphan', 1, { ownerReferences: [] }),
      revision('strange', 2, { ownerReferences: [], labels: { app: 'x' } }),
      revision('others', 2, { ownerReferences: [other] }),
      revision('far', 2, elsewhere),
    ];
    const found = seen({ revisions: held });
    expect(found.revisions.map(({ metadata }) => metadata.name)).toEqual(['orphan', 'new']);
    expect(found.heldRevisions.get('others')?.metadata.name).toBe('others');
    expect(found.heldRevisions.get('far')).toBeUndefined();
  });

  it('its ImagePullJobs that do not go, by name, where images are pulled ahead', () => {
    const job = (name: string, more: object = {}): ImagePullJob => ({
      metadata: { name, namespace: 'default', ownerReferences: [owner], ...more },
      spec: { image: 'app:1', completionPolicy: {} },
    });
    const jobs = [
      job('b'),
      job('a'),
      job('going', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      job('others', { ownerReferences: [other] }),
      job('far', elsewhere),
    ];
    expect(seen({ jobs }).imagePullJobs?.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(seen({})).not.toHaveProperty('imagePullJobs');
  });
});
