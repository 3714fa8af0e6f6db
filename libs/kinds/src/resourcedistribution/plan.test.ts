/** @see spec/resourcedistribution.md 5.2, 6, 8 */
import { describe, expect, it } from '@jest/globals';
import { distributionReasons, resourceDistributionAnnotations, type ResourceDistributionTargets } from '@kruise/api';
import { deepFreeze, type KubeObject } from '@kruise/objects';
import { slimCopyOf, type Copy } from './copy.ts';
import { isOf, judgeCopy } from './judge-copy.ts';
import { changedCopy, newCopy } from './new-copy.ts';
import { plan, type Action, type Snapshot } from './plan.ts';
import { aDistribution, aNamespace, configMap, foreignCopy, heldCopy, list, madeCopy, secret, wantedOf } from './testing.ts';

const wanted = wantedOf(aDistribution({ includedNamespaces: list('a', 'b', 'c') }));
const copiesOf = (...copies: readonly Copy[]): ReadonlyMap<string, Copy> =>
  new Map(copies.map((copy) => [copy.metadata.namespace ?? '', copy]));
const cluster = ['a', 'b', 'c', 'd'].map((name) => aNamespace(name));
const seen = (more: Partial<Snapshot> = {}): Snapshot => ({ wanted, namespaces: cluster, copies: new Map(), ...more });
const reportOf = (actions: readonly Action[]): readonly string[] => actions.map(({ kind, because }) => `${kind}: ${because}`);

describe('a plan', () => {
  it('makes what is missing, in the order of names', () => {
    const { distribute, clean, desired, problems } = plan(seen());
    expect(reportOf(distribute)).toEqual(['a', 'b', 'c'].map((name) => `Create: namespace ${name} has no copy`));
    expect([clean, desired, problems]).toEqual([[], 3, []]);
  });

  it('is empty when everything is in line', () => {
    const copies = copiesOf(...['a', 'b', 'c'].map((name) => heldCopy(wanted, name)));
    expect(plan(seen({ copies }))).toEqual({ distribute: [], clean: [], desired: 3, problems: [] });
  });

  it('changes what differs, deletes what is no target any more, and leaves others unchanged (6, 9)', () => {
    const edited = slimCopyOf('ConfigMap')({ ...madeCopy(wanted, 'a'), data: { color: 'red' } } as KubeObject);
    const copies = copiesOf(edited, heldCopy(wanted, 'b'), foreignCopy(wanted, 'c'), heldCopy(wanted, 'd'));
    const { distribute, clean, desired, problems } = plan(seen({ copies }));
    expect(reportOf(distribute)).toEqual(['Update: in namespace a its contents are not those of the resource']);
    expect(reportOf(clean)).toEqual(['Delete: namespace d is not a target']);
    expect(desired).toBe(3);
    expect(problems).toEqual([{ namespace: 'c', condition: 'ConflictOccurred', reason: distributionReasons.conflict }]);
  });

  it('never adopts, changes or deletes an object of another owner, even of another distribution or with its annotation', () => {
    const other = wantedOf(aDistribution({}, configMap, { name: 'other', uid: 'other-uid' }));
    const annotated: Copy = {
      ...foreignCopy(wanted, 'b'),
      metadata: { ...foreignCopy(wanted, 'b').metadata, annotations: { [resourceDistributionAnnotations.from]: 'dist' } },
    };
    const copies = copiesOf(heldCopy(other, 'a'), annotated, foreignCopy(wanted, 'd'));
    const { distribute, clean, problems } = plan(seen({ copies }));
    expect(reportOf([...distribute, ...clean])).toEqual(['Create: namespace c has no copy']);
    expect(problems.map(({ namespace, condition }) => `${namespace} ${condition}`)).toEqual(['a ConflictOccurred', 'b ConflictOccurred']);
  });

  it('tries nothing in a namespace that is missing or going (5)', () => {
    const namespaces = [
      aNamespace('a'),
      aNamespace('b', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      aNamespace('d', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    ];
    const { distribute, clean, desired, problems } = plan(
      seen({ namespaces, copies: copiesOf(heldCopy(wanted, 'b'), heldCopy(wanted, 'd')) }),
    );
    expect(reportOf([...distribute, ...clean])).toEqual(['Create: namespace a has no copy']);
    expect(desired).toBe(3);
    expect(problems).toEqual(
      ['b', 'c'].map((namespace) => ({ namespace, condition: 'NamespaceNotExists', reason: distributionReasons.missing })),
    );
  });

  it('does not push a copy twice that is going', () => {
    const going = heldCopy(wanted, 'd', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(plan(seen({ copies: copiesOf(going) })).clean).toEqual([]);
  });

  it('works in one namespace alone where the manager does', () => {
    const { distribute, clean, desired } = plan(seen({ scope: 'b', copies: copiesOf(heldCopy(wanted, 'd')) }));
    expect([reportOf(distribute), clean, desired]).toEqual([['Create: namespace b has no copy'], [], 1]);
  });

  it('does not depend on the order of namespaces and copies', () => {
    const copies = [heldCopy(wanted, 'd'), foreignCopy(wanted, 'c'), heldCopy(wanted, 'a')];
    expect(plan(seen({ namespaces: cluster.toReversed(), copies: copiesOf(...copies.toReversed()) }))).toEqual(
      plan(seen({ copies: copiesOf(...copies) })),
    );
  });
});

describe('a copy', () => {
  const labelled = wantedOf(
    aDistribution({}, { ...configMap, metadata: { name: 'settings', labels: { team: 'x' }, annotations: { note: 'y' } } }),
  );

  it.each<{ name: string; held: Partial<KubeObject['metadata']>; why: string | undefined }>([
    { name: 'a label is missing', held: { labels: {} }, why: 'its label team is not that of the resource' },
    { name: 'a label is another', held: { labels: { team: 'z' } }, why: 'its label team is not that of the resource' },
    { name: 'an annotation is another', held: { annotations: { note: 'z' } }, why: 'its annotation note is not that of the resource' },
    {
      name: 'labels and annotations of others',
      held: { labels: { team: 'x', more: '1' }, annotations: { note: 'y', more: '1' } },
      why: undefined,
    },
    { name: 'finalizers and owners of others', held: { finalizers: ['example.org/f'] }, why: undefined },
    {
      name: 'the hash, which is for readers',
      held: { annotations: { note: 'y', [resourceDistributionAnnotations.hash]: 'old' } },
      why: undefined,
    },
  ])('differs when $name: $why', ({ held, why }) => {
    const copy = heldCopy(labelled, 'a', held);
    expect(judgeCopy(labelled, copy)).toEqual(why === undefined ? { kind: 'InLine' } : { kind: 'Differs', why });
  });

  it('whose label was taken away from the resource is in line: keys are not removed from copies', () => {
    const copy = heldCopy(labelled, 'a');
    expect(judgeCopy(wanted, copy)).toEqual({ kind: 'InLine' });
  });

  it('of a Secret without type is in line as the API server stores it (16)', () => {
    const of = wantedOf(aDistribution({}, secret));
    const made = madeCopy(of, 'a') as KubeObject & { stringData?: unknown };
    const { stringData: _stringData, ...stored } = made;
    const data = { password: Buffer.from('hunter2').toString('base64') };
    expect(judgeCopy(of, slimCopyOf('Secret')({ ...stored, type: 'Opaque', data } as KubeObject))).toEqual({ kind: 'InLine' });
  });

  it('is ours by uid; by kind and name where a uid is missing', () => {
    const { distribution } = wanted;
    const copy = heldCopy(wanted, 'a');
    const withOwner = (owner: object): Copy => ({
      ...copy,
      metadata: { ...copy.metadata, ownerReferences: [{ ...copy.metadata.ownerReferences![0]!, ...owner }] },
    });
    expect(isOf(distribution, copy)).toBe(true);
    expect(isOf(distribution, withOwner({ uid: 'former' }))).toBe(false);
    expect(isOf(distribution, withOwner({ controller: false }))).toBe(false);
    expect(isOf(distribution, withOwner({ name: 'renamed' }))).toBe(true);
    expect(isOf(distribution, withOwner({ uid: '' }))).toBe(true);
    expect(isOf(distribution, withOwner({ uid: '', name: 'other' }))).toBe(false);
    const { uid: _uid, ...metadata } = distribution.metadata;
    expect(isOf({ metadata }, withOwner({ kind: 'CloneSet' }))).toBe(false);
    expect(isOf({ metadata }, withOwner({}))).toBe(true);
    expect(isOf(distribution, foreignCopy(wanted, 'a'))).toBe(false);
  });

  it('holds no contents, and hardly anything of the object of another owner', () => {
    const text = JSON.stringify(slimCopyOf('Secret')({ ...madeCopy(wantedOf(aDistribution({}, secret)), 'a') }));
    expect(text).not.toContain('hunter2');
    const foreign = {
      metadata: { name: 'token', namespace: 'a', uid: 'u', resourceVersion: '7', labels: { a: 'b' }, annotations: { c: 'd' } },
      data: { x: 'eQ==' },
    };
    const identity = { name: 'token', namespace: 'a', uid: 'u', resourceVersion: '7' };
    expect(slimCopyOf('Secret')(foreign)).toStrictEqual({ metadata: identity, contents: '' });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'pod', controller: true }];
    const owned = { ...foreign, metadata: { ...foreign.metadata, ownerReferences } };
    expect(slimCopyOf('Secret')(owned)).toStrictEqual({ metadata: { ...identity, ownerReferences }, contents: '' });
    expect(slimCopyOf('Secret')({ metadata: { name: 'token' } })).toStrictEqual({ metadata: { name: 'token' }, contents: '' });
  });
});

describe('what is written', () => {
  const given = {
    ...configMap,
    metadata: {
      name: 'settings',
      namespace: 'ignored',
      labels: { team: 'x' },
      annotations: { note: 'y' },
      finalizers: ['b.example.org/f'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node' }],
    },
    immutable: false,
  };
  const of = wantedOf(deepFreeze(aDistribution({}, given)));
  const owner = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    name: 'dist',
    uid: 'dist-uid',
    controller: true,
    blockOwnerDeletion: true,
  };
  const annotations = { note: 'y', [resourceDistributionAnnotations.from]: 'dist', [resourceDistributionAnnotations.hash]: of.hash };

  it('is the resource as it was given, with the namespace, both annotations and our owner reference (15)', () => {
    expect(newCopy(of, 'a')).toEqual({
      ...given,
      metadata: { ...given.metadata, namespace: 'a', annotations, ownerReferences: [...given.metadata.ownerReferences, owner] },
    });
  });

  it('keeps labels, annotations and finalizers of the copy, sorted, and nothing else', () => {
    const copy = heldCopy(of, 'a', {
      labels: { team: 'old', more: '1' },
      annotations: { note: 'old', more: '2' },
      finalizers: ['c.example.org/f', 'a.example.org/f', 'b.example.org/f'],
      ownerReferences: [owner, { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'pod' }],
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    expect(changedCopy(of, copy)).toEqual({
      ...given,
      metadata: {
        name: 'settings',
        namespace: 'a',
        uid: 'uid-a',
        resourceVersion: '1',
        labels: { more: '1', team: 'x' },
        annotations: { more: '2', ...annotations },
        finalizers: ['a.example.org/f', 'b.example.org/f', 'c.example.org/f'],
        ownerReferences: [...given.metadata.ownerReferences, owner],
      },
    });
  });

  it('has neither uid nor version of the object that the resource was taken from', () => {
    const pasted = wantedOf(aDistribution({}, { ...given, metadata: { ...given.metadata, uid: 'u', resourceVersion: '7' } }));
    expect(newCopy(pasted, 'a').metadata).not.toHaveProperty('uid');
    expect(newCopy(pasted, 'a').metadata).not.toHaveProperty('resourceVersion');
  });

  it('has our owner reference in the place of one with the same uid', () => {
    const twice = wantedOf(
      aDistribution(
        {},
        { ...given, metadata: { ...given.metadata, ownerReferences: [{ ...owner, apiVersion: 'apps.kruise.io/v1alpha1' }] } },
      ),
    );
    expect(newCopy(twice, 'a').metadata.ownerReferences).toEqual([owner]);
  });
});

describe('targets that nothing can be made of', () => {
  it.each<{ name: string; targets: ResourceDistributionTargets }>([{ name: 'none', targets: {} }])(
    '$name: nothing is planned',
    ({ targets }) => {
      expect(plan(seen({ wanted: wantedOf(aDistribution(targets)) }))).toEqual({ distribute: [], clean: [], desired: 0, problems: [] });
    },
  );
});
