/** What a pass sees of the stores. @see spec/sidecarset.md 5.1, 5.5 step 1 */
import { describe, expect, it } from '@jest/globals';
import { sidecarSetAnnotations, sidecarSetLabels } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import { controllerRevisions, namespaces, pods, type ControllerRevision, type KubeObject, type Pod } from '@kruise/objects';
import { byInjected, bySidecarSetName, observe } from './observe.ts';
import type { Snapshot } from '@kruise/kinds/sidecarset';
import { anInjectedPod, aSidecarSet } from '@kruise/kinds/sidecarset/testing';

const sidecarSet = aSidecarSet();
const managerNamespace = 'kruise-system';

interface Held {
  readonly pods?: readonly Pod[];
  readonly namespaces?: readonly KubeObject[];
  readonly revisions?: readonly ControllerRevision[];
}

const seenIn = (held: Held): Snapshot =>
  observe(
    {
      pods: storeOf(pods, held.pods ?? [], { [byInjected.name]: byInjected.valuesOf }),
      namespaces: storeOf(namespaces, held.namespaces ?? []),
      revisions: storeOf(controllerRevisions, held.revisions ?? [], { [bySidecarSetName.name]: bySidecarSetName.valuesOf }),
    },
    sidecarSet,
    managerNamespace,
  );

const podIn = (namespace: string, name: string, more: object = {}): Pod => {
  const pod = anInjectedPod(sidecarSet, { namespace, name, ...more });
  return { ...pod, metadata: { ...pod.metadata, uid: `uid-${namespace}-${name}` } };
};
const aNamespace = (name: string, held?: Readonly<Record<string, string>>): KubeObject => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', ...(held === undefined ? {} : { labels: held }) },
});
const aRevision = (name: string, revision: number, more: object = {}): ControllerRevision => ({
  metadata: {
    name,
    namespace: managerNamespace,
    uid: `uid-${name}`,
    resourceVersion: '1',
    labels: { [sidecarSetLabels.name]: 'set' },
    ...more,
  },
  revision,
});
const namesOf = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);

describe('the Pods of a SidecarSet', () => {
  const mine = [podIn('a', 'y'), podIn('a', 'z'), podIn('b', 'x'), podIn('b', 'y'), podIn('c', 'a')];
  const keys = ['a/y', 'a/z', 'b/x', 'b/y', 'c/a'];

  it.each<{ name: string; order: readonly number[] }>([
    { name: 'in order', order: [0, 1, 2, 3, 4] },
    { name: 'backwards', order: [4, 3, 2, 1, 0] },
    { name: 'from all sides', order: [3, 0, 4, 1, 2] },
  ])('are sorted by namespace, then by name, from any order: $name', ({ order }) => {
    const seen = seenIn({ pods: order.flatMap((index) => mine[index] ?? []) });
    expect(seen.pods.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)).toEqual(keys);
  });

  it('are those that say so, ended and terminating ones included', () => {
    const held = [
      podIn('a', 'ended', { phase: 'Failed' }),
      podIn('a', 'leaving', { terminating: true }),
      podIn('a', 'other', { annotations: { [sidecarSetAnnotations.injectedList]: 'other,settle' } }),
      podIn('a', 'shared', { annotations: { [sidecarSetAnnotations.injectedList]: 'other,set' } }),
    ];
    expect(namesOf(seenIn({ pods: held }).pods)).toEqual(['ended', 'leaving', 'shared']);
  });

  it('bring the labels of their namespaces, as far as those are known', () => {
    const held = [podIn('b', 'x'), podIn('a', 'x'), podIn('a', 'y'), podIn('gone', 'x')];
    const known = [aNamespace('a', { team: 'a' }), aNamespace('b'), aNamespace('empty', { team: 'e' })];
    expect(seenIn({ pods: held, namespaces: known }).namespaceLabels).toEqual(
      new Map([
        ['a', { team: 'a' }],
        ['b', {}],
      ]),
    );
  });
});

describe('the history of a SidecarSet', () => {
  it('is the revisions of its name in the namespace of the manager, oldest first, without those of a former owner', () => {
    const owner = (uid: string): object => ({
      ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', name: 'set', uid, controller: true }],
    });
    const held = [
      aRevision('set-b', 2, owner('uid-set')),
      aRevision('set-a', 1),
      aRevision('former', 3, owner('uid-former')),
      aRevision('other', 4, { labels: { [sidecarSetLabels.name]: 'other' } }),
      aRevision('elsewhere', 5, { namespace: 'default' }),
      aRevision('unnamed', 6, { labels: { app: 'demo' } }),
      aRevision('bare', 7, { labels: undefined }),
    ];
    const seen = seenIn({ revisions: held });
    expect(namesOf(seen.revisions)).toEqual(['set-a', 'set-b']);
    expect(seen).toMatchObject({ sidecarSet, revisionNamespace: managerNamespace });
  });

  it('is found by the name that the label says, and by none without it', () => {
    expect(bySidecarSetName.valuesOf(aRevision('r', 1))).toEqual(['set']);
    expect(bySidecarSetName.valuesOf(aRevision('r', 1, { labels: {} }))).toEqual([]);
    expect(bySidecarSetName.valuesOf(aRevision('r', 1, { labels: undefined }))).toEqual([]);
  });
});
