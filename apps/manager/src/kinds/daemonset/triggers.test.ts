/** The DaemonSets that a change of other objects enqueues. @see spec/daemonset.md 5.1 */
import { describe, expect, it } from '@jest/globals';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { keyOf, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { storeOf } from '@kruise/kube/testing';
import { aPod, type PodShape } from '@kruise/testing';
import { ownerReferenceTo } from '@kruise/kinds/daemonset';
import { noExecute, noSchedule } from '@kruise/kinds/daemonset/situation.testing';
import { aDaemonSet, aNode, type SetShape } from '@kruise/kinds/daemonset/testing';
import { gathered, setsOfNode, setsOfPod } from './triggers.ts';

const named = (name: string, shape: SetShape = {}, more: Partial<DaemonSet['metadata']> = {}): DaemonSet => {
  const set = aDaemonSet(shape);
  return { ...set, metadata: { ...set.metadata, name, uid: name, ...more } };
};
const choosing = (nodeSelector: Record<string, string>): SetShape => {
  const { template } = aDaemonSet().spec;
  return { spec: { template: { ...template, spec: { containers: [], nodeSelector } } } };
};
const canary = { selector: { matchLabels: { tier: 'canary' } } };
const malformed: SetShape = { spec: { template: {} } };
const sets = storeOf(daemonSets, [
  named('any'),
  named('blue', choosing({ color: 'blue' })),
  named('gray', { rollingUpdate: canary }),
  named('on-delete', { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: canary } } }),
  named('malformed', malformed),
]);
const namesOf = (keys: readonly ObjectKey[]): readonly string[] => keys.map(({ name }) => name).toSorted();
type Owners = (node: string) => readonly ObjectKey[];
const noOwners: Owners = () => [];

describe('a node', () => {
  const plain = aNode('n1');
  const blue = aNode('n1', { labels: { color: 'blue' } });
  const added = (object: Node) => namesOf(setsOfNode({ kind: 'Added', object, initial: false }, sets, noOwners));
  const deleted = (object: Node, owners = noOwners) => namesOf(setsOfNode({ kind: 'Deleted', object }, sets, owners));
  const updated = (previous: Node, object: Node, owners = noOwners) =>
    namesOf(setsOfNode({ kind: 'Updated', previous, object }, sets, owners));

  it('that comes enqueues those that must run on it', () => {
    expect([added(plain), added(blue), added(aNode('n1', { spec: noExecute }))]).toEqual([
      ['any', 'gray', 'on-delete'],
      ['any', 'blue', 'gray', 'on-delete'],
      [],
    ]);
  });

  it('that is deleted enqueues those that should run on it, because fewer Pods are desired', () => {
    expect([deleted(plain), deleted(blue)]).toEqual([
      ['any', 'gray', 'on-delete'],
      ['any', 'blue', 'gray', 'on-delete'],
    ]);
  });

  it('that is added, deleted, or lost enqueues those that have Pods on it, once', () => {
    const owners = (node: string): readonly ObjectKey[] => ['blue', 'any'].map((name) => ({ namespace: `${node}`, name }));
    const silent: Node = { ...plain, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    expect(setsOfNode({ kind: 'Deleted', object: aNode('n9', { spec: noExecute }) }, sets, owners)).toEqual(owners('n9'));
    expect(setsOfNode({ kind: 'Added', object: aNode('n9', { spec: noExecute }), initial: false }, sets, owners)).toEqual(owners('n9'));
    expect(updated(plain, silent, owners)).toEqual(['any', 'blue']);
    expect(updated(silent, plain, owners)).toEqual(['any', 'blue']);
    expect(updated(silent, { ...silent }, owners)).toEqual([]);
    const own = (): readonly ObjectKey[] => [{ namespace: 'default', name: 'any' }];
    expect(deleted(plain, own)).toEqual(['any', 'gray', 'on-delete']);
  });

  it.each<[name: string, before: Node, after: Node, expected: readonly string[]]>([
    [
      'that differs in nothing they look at enqueues nothing',
      plain,
      { ...plain, metadata: { ...plain.metadata, resourceVersion: '2' } },
      [],
    ],
    ['that becomes eligible enqueues those that select it', plain, blue, ['blue']],
    ['that is no longer eligible enqueues them, too', blue, plain, ['blue']],
    ['that gets a NoSchedule enqueues those that had to run on it', plain, aNode('n1', { spec: noSchedule }), ['any', 'gray', 'on-delete']],
    [
      'whose NoSchedule becomes NoExecute enqueues those that could stay',
      aNode('n1', { spec: noSchedule }),
      aNode('n1', { spec: noExecute }),
      ['any', 'gray', 'on-delete'],
    ],
    [
      'that is chosen for updates enqueues those with such a selector, but not with OnDelete',
      plain,
      aNode('n1', { labels: { tier: 'canary' } }),
      ['gray'],
    ],
    ['that is no longer chosen does as well', aNode('n1', { labels: { tier: 'canary' } }), plain, ['gray']],
    [
      'that is chosen and keeps Pods only enqueues it as well',
      aNode('n1', { spec: noSchedule }),
      aNode('n1', { spec: noSchedule, labels: { tier: 'canary' } }),
      ['gray'],
    ],
    [
      'that is cordoned enqueues nothing, as its Pods tolerate that',
      plain,
      aNode('n1', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } }),
      [],
    ],
    [
      'that matches no selector enqueues nothing, whatever its labels',
      aNode('n1', { spec: noExecute }),
      aNode('n1', { spec: noExecute, labels: { tier: 'canary' } }),
      [],
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(updated(before, after)).toEqual(expected);
  });

  it('is looked at for a template without a spec as for any other', () => {
    const whole = { ...named('whole'), spec: { ...aDaemonSet().spec } };
    expect(
      namesOf(
        setsOfNode({ kind: 'Added', object: plain, initial: false }, storeOf(daemonSets, [whole, named('malformed', malformed)]), noOwners),
      ),
    ).toEqual(['whole']);
  });
});

describe('a Pod', () => {
  const other = { app: 'other' };
  const all = storeOf(daemonSets, [
    named('any'),
    named('other', { spec: { selector: { matchLabels: other }, template: { metadata: { labels: other }, spec: { containers: [] } } } }),
    named('far', {}, { namespace: 'far' }),
    named('malformed', { spec: { ...malformed.spec, selector: { matchLabels: { app: 'agent' } } } }),
    named('selects-all', { spec: { selector: {} } }),
  ]);
  const any = named('any');
  const podOf = (shape: PodShape = {}): Pod => aPod({ name: 'p', labels: { app: 'agent' }, ...shape });
  const owned = podOf({ owner: ownerReferenceTo(any) });
  const orphan = podOf();
  const added = (object: Pod) => namesOf(setsOfPod({ kind: 'Added', object, initial: false }, all));
  const updated = (previous: Pod, object: Pod) => namesOf(setsOfPod({ kind: 'Updated', previous, object }, all));
  const deleted = (object: Pod) => namesOf(setsOfPod({ kind: 'Deleted', object }, all));

  it('enqueues its DaemonSet when it is created, changed, and deleted', () => {
    expect([
      added(owned),
      updated(owned, { ...owned }),
      deleted(owned),
      added({ ...owned, metadata: { ...owned.metadata, deletionTimestamp: 'now' } }),
    ]).toEqual(Array.from({ length: 4 }, () => ['any']));
  });

  it('enqueues its DaemonSet by group, kind and name, in any version', () => {
    const by = (apiVersion: string, kind = 'DaemonSet') => added(podOf({ owner: { ...ownerReferenceTo(any), apiVersion, kind } }));
    expect([by('apps.kruise.io/v1alpha1'), by('apps.kruise.io/v2'), by('apps/v1'), by('apps.kruise.io/v1beta1', 'CloneSet')]).toEqual([
      ['any'],
      ['any'],
      [],
      [],
    ]);
  });

  it('that changes its owner enqueues the old one and the new one', () => {
    const others = podOf({ owner: ownerReferenceTo(named('other')) });
    expect(updated(owned, others)).toEqual(['any', 'other']);
  });

  it('without a controller enqueues those of its namespace that select it', () => {
    expect([added(orphan), added(podOf({ labels: { app: 'other' } })), added(podOf({ labels: { app: 'third' } }))]).toEqual([
      ['any'],
      ['other'],
      [],
    ]);
  });

  it('without a controller enqueues them again only when labels or owners change', () => {
    const running: Pod = { ...orphan, status: { phase: 'Running' } };
    const relabelled = podOf({ labels: { app: 'other' } });
    expect([updated(orphan, running), updated(orphan, relabelled), updated(relabelled, orphan), updated(owned, orphan)]).toEqual([
      [],
      ['other'],
      ['any'],
      ['any'],
    ]);
  });

  it('without a controller that is being deleted, or is deleted, enqueues nothing', () => {
    expect([added(podOf({ terminating: true })), updated(relabelledFrom(orphan), podOf({ terminating: true })), deleted(orphan)]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('in no namespace is none of anybody', () => {
    const { namespace: _namespace, ...metadata } = orphan.metadata;
    expect(added({ ...orphan, metadata })).toEqual([]);
  });
});

const relabelledFrom = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: {} } });

describe('changes that come in swarms', () => {
  it.each<[number | undefined, number]>([
    [undefined, 20],
    [500, 20],
    [5000, 200],
    [100_000, 500],
  ])('are gathered for longer when a pass looks at more nodes: %p', (desiredNumberScheduled, after) => {
    const status = desiredNumberScheduled === undefined ? {} : { status: { desiredNumberScheduled } as never };
    const set = named('any', status);
    expect(gathered([keyOf(set)], storeOf(daemonSets, [set]))).toEqual([{ key: keyOf(set), after }]);
  });

  it('are also gathered for a deleted DaemonSet', () => {
    const key = { namespace: 'default', name: 'gone' };
    expect(gathered([key], sets)).toEqual([{ key, after: 20 }]);
  });
});
