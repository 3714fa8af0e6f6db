import { describe, expect, it } from '@jest/globals';
import { cloneSets, type CloneSet } from '@kruise/api';
import { ObjectStore, SystemClock, type Informer } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { pods as podType, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { ownerReferenceTo } from '@kruise/kinds/cloneset';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';
import { VanishedPods } from './vanished-pods.ts';

/** An informer whose reflector says, when asked, which one was waited for. */
function informerOf<T extends KubeObject>(type: ResourceType<T>, waited: string[], errors: unknown[]): Informer<T> {
  const logger = { ...silentLogger(), error: (about: unknown) => void errors.push(about) };
  const store = new ObjectStore<T>({ type, clock: new SystemClock(), logger });
  const reflector = { waitForSync: async () => void waited.push(type.kind) };
  return { store, reflector } as unknown as Informer<T>;
}

function fixtureOf(errors: unknown[] = []): {
  readonly vanished: VanishedPods;
  readonly sets: ObjectStore<CloneSet>;
  readonly pods: ObjectStore<Pod>;
  readonly synced: () => Promise<readonly string[]>;
} {
  const waited: string[] = [];
  const [sets, pods] = [informerOf(cloneSets, waited, errors), informerOf(podType, waited, errors)];
  const vanished = new VanishedPods(sets);
  const watches = vanished.watches(pods);
  const { signal } = new AbortController();
  for (const watch of watches)
    watch.start(
      () => undefined,
      () => undefined,
    );
  const synced = async (): Promise<readonly string[]> => {
    for (const watch of watches) await watch.waitForSync(signal);
    return waited;
  };
  return { vanished, sets: sets.store, pods: pods.store, synced };
}

let version = 100;
/** As the API server would show it next. */
const next = <T extends KubeObject>(object: T): T => ({ ...object, metadata: { ...object.metadata, resourceVersion: `${++version}` } });
/** The Pod appears and is deleted. */
function passes(pods: ObjectStore<Pod>, pod: Pod): void {
  pods.observeWatched(next(pod));
  pods.observeDeleted(next(pod));
}

const cloneSet = aCloneSet();
const memberOf = (set: CloneSet, name: string, more: object = {}): Pod => aPod({ name, owner: { ...ownerReferenceTo(set), ...more } });

describe('the Pod that vanished last', () => {
  it('is absent before a deletion, and never a Pod that exists or changes', () => {
    const { vanished, sets, pods } = fixtureOf();
    sets.observeWatched(next(cloneSet));
    const pod = memberOf(cloneSet, 'sample-a');
    pods.observeWatched(next(pod));
    pods.observeWatched(next({ ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } }));
    expect(vanished.lastOf('set-uid')).toBe('');
  });

  it('is the last of those that went', () => {
    const { vanished, sets, pods } = fixtureOf();
    sets.observeWatched(next(cloneSet));
    for (const name of ['sample-a', 'sample-b']) {
      passes(pods, memberOf(cloneSet, name));
      expect(vanished.lastOf('set-uid')).toBe(`uid-${name}`);
    }
  });

  const orphan = aPod({ name: 'sample-o' });
  it.each<{ name: string; pod: Pod; sets?: readonly CloneSet[] }>([
    { name: 'without an owner', pod: orphan },
    { name: 'of another kind of the same name', pod: memberOf(cloneSet, 'sample-a', { kind: 'StatefulSet' }) },
    { name: 'of an earlier CloneSet of the same name', pod: memberOf(cloneSet, 'sample-a', { uid: 'earlier' }) },
    { name: 'of a CloneSet that is already deleted', pod: memberOf(cloneSet, 'sample-a'), sets: [] },
    {
      name: 'of a CloneSet of the name in another namespace',
      pod: { ...memberOf(cloneSet, 'sample-a'), metadata: { ...memberOf(cloneSet, 'sample-a').metadata, namespace: 'other' } },
    },
  ])('is none $name', ({ pod, sets: held = [cloneSet] }) => {
    const errors: unknown[] = [];
    const { vanished, sets, pods } = fixtureOf(errors);
    for (const set of held) sets.observeWatched(next(set));
    passes(pods, pod);
    expect(['set-uid', 'earlier'].map((uid) => vanished.lastOf(uid))).toEqual(['', '']);
    expect(errors).toEqual([]);
  });

  it('is forgotten with its CloneSet, and only with that', () => {
    const { vanished, sets, pods } = fixtureOf();
    const other: CloneSet = { ...cloneSet, metadata: { ...cloneSet.metadata, name: 'other', uid: 'other-uid' } };
    for (const set of [cloneSet, other]) {
      sets.observeWatched(next(set));
      passes(pods, memberOf(set, `${set.metadata.name}-a`));
    }
    sets.observeWatched(next(cloneSet));
    expect(vanished.lastOf('set-uid')).toBe('uid-sample-a');
    sets.observeDeleted(next(cloneSet));
    expect([vanished.lastOf('set-uid'), vanished.lastOf('other-uid')]).toEqual(['', 'uid-other-a']);
  });

  it('is known once both Pods and CloneSets are', async () => {
    expect([...(await fixtureOf().synced())].sort()).toEqual(['CloneSet', 'Pod']);
  });
});
