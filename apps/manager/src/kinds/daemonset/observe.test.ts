/** What a pass sees of the stores. @see spec/daemonset.md 5.2 */
import { describe, expect, it } from '@jest/globals';
import { daemonSets, imagePullJobs, type ImagePullJob } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeClock, storeOf } from '@kruise/kube/testing';
import {
  controllerRevisions,
  labelMatcherOrNothing,
  nodes,
  pods,
  type ControllerRevision,
  type KubeObject,
  type Pod,
} from '@kruise/objects';
import { boundByScheduler } from '@kruise/pods';
import { aPod, type PodShape } from '@kruise/testing';
import { byController } from '@kruise/workloads';
import { FailedPods, ownerReferenceTo, type Snapshot } from '@kruise/kinds/daemonset';
import { RefusedObjects } from '../../workloads/refusals/refused-objects.ts';
import { DeletedPods } from './deleted-pods.ts';
import { observe, type Known } from './observe.ts';
import { aRevision, now } from '@kruise/kinds/daemonset/situation.testing';
import { aDaemonSet, aNode } from '@kruise/kinds/daemonset/testing';

const set = { ...aDaemonSet(), status: { observedGeneration: 3 } as never };
const owner = ownerReferenceTo(set);
const other = { ...owner, uid: 'other' };
const index = { [byController.name]: byController.valuesOf };

interface Held {
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly string[];
  readonly revisions?: readonly ControllerRevision[];
  readonly jobs?: readonly ImagePullJob[];
}

const failedPods = new FailedPods();
const deletedPods = new DeletedPods();
const refusals = new RefusedObjects(new FakeClock());
const sourcesOf = ({ jobs, ...held }: Held): Known => ({
  sets: storeOf(daemonSets, [set]),
  pods: storeOf(pods, held.pods ?? [], index),
  nodes: storeOf(
    nodes,
    (held.nodes ?? []).map((name) => aNode(name)),
  ),
  revisions: storeOf(controllerRevisions, (held.revisions ?? []).map(stored), index),
  ...(jobs === undefined ? {} : { imagePullJobs: storeOf(imagePullJobs, jobs, index) }),
  failedPods,
  deletedPods,
});
const seenIn = (held: Held): Snapshot =>
  observe(sourcesOf(held), set, { selector: labelMatcherOrNothing(set.spec.selector), refusals, now });
const namesOf = (objects: readonly KubeObject[] = []): readonly string[] => objects.map(({ metadata }) => metadata.name);

function stored<T extends KubeObject>(object: T): T {
  const { name, namespace = 'default' } = object.metadata;
  return { ...object, metadata: { ...object.metadata, namespace, uid: `uid-${namespace}-${name}`, resourceVersion: '1' } };
}
const podOf = (name: string, shape: PodShape = {}): Pod =>
  aPod({ name, labels: { app: 'agent' }, uid: `${shape.namespace ?? ''}${name}`, ...shape });
const revisionOf = (name: string, revision: number, change: Partial<ControllerRevision['metadata']> = {}): ControllerRevision => {
  const made = aRevision(revision);
  return { ...made, metadata: { ...made.metadata, name, ...change } };
};

describe('a pass sees', () => {
  it('its Pods with any labels, and selected Pods without a controller, by name', () => {
    const held = [
      podOf('d', { owner }),
      podOf('a', { owner, labels: { app: 'else' } }),
      podOf('c'),
      podOf('b', { labels: { app: 'else' } }),
      podOf('e', { owner: other }),
      podOf('f', { owner, namespace: 'far' }),
      podOf('g', { namespace: 'far' }),
    ];
    expect(namesOf(seenIn({ pods: held }).pods)).toEqual(['a', 'c', 'd']);
  });

  it('every node, by name', () => {
    expect(namesOf(seenIn({ nodes: ['n3', 'n1', 'n10', 'n2'] }).nodes)).toEqual(['n1', 'n10', 'n2', 'n3']);
  });

  it('the history, oldest first, and any revision of its namespace by name', () => {
    const held = [
      revisionOf('own', 3),
      revisionOf('orphan', 2, { ownerReferences: [] }),
      revisionOf('stray', 4, { ownerReferences: [], labels: {} }),
      revisionOf('others', 1, { ownerReferences: [other] }),
      revisionOf('far', 1, { namespace: 'far' }),
      revisionOf('far-orphan', 1, { namespace: 'far', ownerReferences: [] }),
    ];
    const { revisions, heldRevisions } = seenIn({ revisions: held });
    expect(namesOf(revisions)).toEqual(['orphan', 'own']);
    expect(['others', 'stray', 'far', 'none'].map((name) => heldRevisions.get(name)?.metadata.name)).toEqual([
      'others',
      'stray',
      undefined,
      undefined,
    ]);
  });

  it('which names of Pods are taken, by whomsoever', () => {
    const { takenNames } = seenIn({ pods: [podOf('a', { owner: other }), podOf('b', { namespace: 'far' })] });
    expect(['a', 'b', 'c'].map((name) => takenNames.has(name))).toEqual([true, false, false]);
  });

  it('its ImagePullJobs that do not go, by name', () => {
    const jobOf = (name: string, change: Partial<ImagePullJob['metadata']> = {}): ImagePullJob =>
      stored({
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ImagePullJob',
        metadata: { name, ownerReferences: [owner], ...change },
        spec: { image: 'app:1', completionPolicy: { type: 'Always' } },
      });
    const jobs = [
      jobOf('b'),
      jobOf('a'),
      jobOf('going', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      jobOf('others', { ownerReferences: [other] }),
      jobOf('far', { namespace: 'far' }),
    ];
    expect(namesOf(seenIn({ jobs }).imagePullJobs)).toEqual(['a', 'b']);
    expect(seenIn({ jobs: [] }).imagePullJobs).toEqual([]);
    expect(seenIn({})).not.toHaveProperty('imagePullJobs');
  });

  it('on which nodes the API server has refused a write', async () => {
    const denied = new ApiError('denied', { kind: 'Forbidden' });
    await expect(refusals.attempt('set-uid', ['n2'], () => Promise.reject(denied))).rejects.toBe(denied);
    const { refused } = seenIn({ nodes: ['n1', 'n2'] });
    expect([refused.has('n1'), refused.has('n2'), refused.size]).toEqual([false, true, 1]);
  });

  it('what the controller remembers of its nodes, for the generation that it has observed', () => {
    failedPods.note({ uid: 'set-uid', generation: 3, node: 'n1' }, now);
    const deleted = podOf('gone', { owner, uid: 'gone-uid', node: '' });
    const stores = { sets: storeOf(daemonSets, [set]), nodes: storeOf(nodes, [aNode('n2')]) };
    deletedPods.note({ kind: 'Deleted', object: { ...deleted, spec: boundByScheduler(deleted.spec, 'n2') } }, stores);
    const { failedPodStays, lastDeletedFrom } = seenIn({});
    expect([failedPodStays('n1'), failedPodStays('n2'), lastDeletedFrom('n1'), lastDeletedFrom('n2')]).toEqual([1000, 0, '', 'gone-uid']);
    const { status: _status, ...fresh } = set;
    failedPods.note({ uid: 'set-uid', generation: 0, node: 'n3' }, now);
    expect(observe(sourcesOf({}), fresh, { selector: labelMatcherOrNothing(set.spec.selector), refusals, now }).failedPodStays('n3')).toBe(
      1000,
    );
  });
});
