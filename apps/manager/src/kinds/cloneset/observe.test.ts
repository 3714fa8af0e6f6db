/** What a pass sees of the stores. @see spec/cloneset.md 5.2 steps 3 and 6 */
import { describe, expect, it } from '@jest/globals';
import { cloneSets, imagePullJobs, labels, type CloneSet, type ImagePullJob } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import {
  controllerRevisions,
  labelMatcherOrNothing,
  nodes,
  persistentVolumeClaims,
  pods,
  type ControllerRevision,
  type KubeObject,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { ownerReferenceTo, type Snapshot } from '@kruise/kinds/cloneset';
import { byController, byOwner } from '@kruise/workloads';
import { observe, type Stores } from './observe.ts';
import { aNode } from '@kruise/kinds/cloneset/situation.testing';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

const cloneSet = aCloneSet();
const ours = ownerReferenceTo(cloneSet);
const theirs: OwnerReference = { apiVersion: 'v1', kind: 'Thing', name: 'other', uid: 'other-uid', controller: true };
const { controller: _controller, ...besideOthers } = ours;

let uids = 0;
const aThing = (name: string, more: object = {}): KubeObject => ({
  metadata: { name, namespace: 'default', uid: `uid-${++uids}`, resourceVersion: '1', ownerReferences: [ours], ...more },
});
const aRevisionNamed = (name: string, revision: number, more: object = {}): ControllerRevision => ({
  ...aThing(name, { labels: { app: 'sample' }, ...more }),
  revision,
});

interface Held {
  readonly pods?: readonly Pod[];
  readonly claims?: readonly KubeObject[];
  readonly revisions?: readonly ControllerRevision[];
  readonly nodes?: readonly string[];
  readonly jobs?: readonly KubeObject[];
  readonly vanished?: Stores['vanished'];
}

function seenIn(held: Held, set: CloneSet = cloneSet): Snapshot {
  const owned = { [byOwner.name]: byOwner.valuesOf };
  const stores: Stores = {
    cloneSets: storeOf(cloneSets, [set]),
    pods: storeOf(pods, held.pods ?? [], owned),
    claims: storeOf<PersistentVolumeClaim>(persistentVolumeClaims, held.claims ?? [], owned),
    revisions: storeOf(controllerRevisions, held.revisions ?? [], { [byController.name]: byController.valuesOf }),
    nodes: storeOf(
      nodes,
      (held.nodes ?? []).map((name) => aNode(name)),
    ),
    ...(held.jobs === undefined ? {} : { imagePullJobs: storeOf<ImagePullJob>(imagePullJobs, held.jobs, owned) }),
    ...(held.vanished === undefined ? {} : { vanished: held.vanished }),
  };
  return observe(stores, set, labelMatcherOrNothing(set.spec.selector));
}

const namesOf = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);
/** The same of another namespace, whose owner happens to have the uid. */
const elsewhere = { namespace: 'elsewhere' };

describe('the Pods of a CloneSet', () => {
  it('are all that have an owner reference to it, by name, finished and terminating ones included', () => {
    const mine = [
      aPod({ name: 'c', owner: ours }),
      aPod({ name: 'a', owner: ours, terminating: true }),
      aPod({ name: 'd', owner: ours, phase: 'Failed' }),
      aPod({ name: 'b', owner: besideOthers }),
    ];
    const others = [aPod({ name: 'e' }), aPod({ name: 'f', owner: theirs }), aPod({ name: 'a', uid: 'x', owner: ours, ...elsewhere })];
    expect(namesOf(seenIn({ pods: [...others, ...mine] }).pods)).toEqual(['a', 'b', 'c', 'd']);
    expect(namesOf(seenIn({ pods: mine.toReversed() }).pods)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('leave names that another owner uses', () => {
    const held = [
      aPod({ name: 'mine', owner: ours }),
      aPod({ name: 'theirs', owner: theirs }),
      aPod({ name: 'orphan' }),
      aPod({ name: 'away', owner: theirs, ...elsewhere }),
    ];
    const { takenNames } = seenIn({ pods: held });
    expect(['mine', 'theirs', 'orphan', 'away', 'free'].map((name) => takenNames.has(name))).toEqual([false, true, true, false, false]);
  });

  it('bring the nodes they run on, as far as those are known', () => {
    const held = ['n2', 'n1', 'n2', 'gone', ''].map((node, index) => aPod({ name: `p${index}`, owner: ours, node }));
    const { nodes: known } = seenIn({ pods: [...held, aPod({ name: 'x', owner: theirs, node: 'n3' })], nodes: ['n1', 'n2', 'n3'] });
    expect([...known].map(([name, node]) => [name, node.metadata.name])).toEqual([
      ['n2', 'n2'],
      ['n1', 'n1'],
    ]);
  });
});

describe('the claims and jobs of a CloneSet', () => {
  const mine = [aThing('c'), aThing('a'), aThing('b')];
  const others = [
    aThing('going', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    aThing('beside', { ownerReferences: [besideOthers, theirs] }),
    aThing('theirs', { ownerReferences: [theirs] }),
    aThing('orphan', { ownerReferences: undefined }),
    aThing('a', elsewhere),
  ];

  it('are those that it controls and that do not go, by name', () => {
    const seen = seenIn({ claims: [...others, ...mine], jobs: [...others, ...mine] });
    expect(namesOf(seen.claims)).toEqual(['a', 'b', 'c']);
    expect(namesOf(seen.imagePullJobs ?? [])).toEqual(['a', 'b', 'c']);
    expect(namesOf(seenIn({ claims: mine.toReversed() }).claims)).toEqual(['a', 'b', 'c']);
  });

  it('there is no list of jobs where images are not pulled ahead', () => {
    expect(seenIn({})).not.toHaveProperty('imagePullJobs');
    expect(seenIn({ jobs: [] }).imagePullJobs).toEqual([]);
  });
});

describe('the history of a CloneSet', () => {
  it('is what it controls and what has no controller, if the selector matches, oldest first', () => {
    const held = [
      aRevisionNamed('third', 3),
      aRevisionNamed('first', 1),
      aRevisionNamed('orphan', 2, { ownerReferences: undefined }),
      aRevisionNamed('theirs', 4, { ownerReferences: [theirs] }),
      aRevisionNamed('unlike', 5, { labels: { app: 'other' } }),
      aRevisionNamed('away', 6, elsewhere),
      aRevisionNamed('orphan-away', 7, { ownerReferences: undefined, ...elsewhere }),
    ];
    expect(namesOf(seenIn({ revisions: held }).revisions)).toEqual(['first', 'orphan', 'third']);
  });
});

describe('the rest of what is seen', () => {
  it('is the CloneSet itself, its selector, and the Pod of it that vanished last', () => {
    const seen = seenIn({ vanished: { lastOf: (uid) => `last of ${uid}` } });
    expect(seen.cloneSet).toBe(cloneSet);
    expect(seen.selector.matches({ app: 'sample' })).toBe(true);
    expect(seen.lastVanished).toBe('last of set-uid');
    expect(seenIn({}).lastVanished).toBe('');
  });

  it('of Pods without labels and owners is nothing', () => {
    const bare = aPod({ name: 'bare' });
    const { [labels.lifecycleState]: _state, ...carried } = bare.metadata.labels ?? {};
    expect(seenIn({ pods: [{ ...bare, metadata: { ...bare.metadata, labels: carried } }] }).pods).toEqual([]);
  });
});
