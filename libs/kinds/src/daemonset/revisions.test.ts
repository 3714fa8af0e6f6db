/** The revisions of a DaemonSet's pass. @see spec/daemonset.md 5.4 */
import { describe, expect, it } from '@jest/globals';
import type { ControllerRevision } from '@kruise/objects';
import { ownerReferenceTo } from './pods/new-pod.ts';
import { hashOfPods, planDaemonSetRevisions, planDuplicates, planOldRevisions, type DaemonSetRevisions } from './revisions.ts';
import { aMember, aRevision, hashOf, type MemberShape } from './situation.testing.ts';
import { aDaemonSet, type SetShape } from './testing.ts';

const label = 'controller-revision-hash';
const labelled = (revision: ControllerRevision, hash: string | undefined): ControllerRevision => {
  const { [label]: _hash, ...others } = revision.metadata.labels ?? {};
  return { ...revision, metadata: { ...revision.metadata, labels: hash === undefined ? others : { ...others, [label]: hash } } };
};
/** Of the same template under another name and hash, as another controller made it. */
const twin = (revision: ControllerRevision, hash: string, number = revision.revision): ControllerRevision => {
  const { metadata, ...rest } = labelled(revision, hash);
  return { ...rest, revision: number, metadata: { ...metadata, name: `agent-${hash}` } };
};

interface Given {
  readonly set?: SetShape;
  /** Oldest first. */
  readonly revisions?: readonly ControllerRevision[];
  /** Those of the namespace that are not of the history. */
  readonly held?: readonly ControllerRevision[];
}
const seenOf = ({ set = {}, revisions = [], held = [] }: Given) => ({
  set: aDaemonSet({ image: 'app:2', ...set }),
  revisions,
  heldRevisions: new Map(held.map((one) => [one.metadata.name, one])),
});
const planned = (given: Given): DaemonSetRevisions => planDaemonSetRevisions(seenOf(given));
const reportOf = ({ actions }: DaemonSetRevisions): readonly string[] =>
  actions.map((action) => {
    switch (action.kind) {
      case 'CreateRevision':
        return `create ${action.attempt.revision.revision}`;
      case 'BumpRevision':
        return `bump ${action.revision.metadata.name} to ${action.revision.revision}`;
      case 'LabelRevision':
        return `label ${action.revision.metadata.name} ${Object.values(action.labels).join()}: ${action.because}`;
      default:
        return action.kind;
    }
  });

const [r1, r2, r3] = [aRevision(1), aRevision(2), aRevision(3)];

describe('the update revision', () => {
  it('is made when no revision holds the template, with the next number', () => {
    const [first, next] = [planned({}), planned({ revisions: [{ ...r1, revision: 41 }] })];
    expect([reportOf(first), reportOf(next)]).toEqual([['create 1'], ['create 42']]);
    expect(next.update).toEqual({ ...r2, revision: 42 });
  });

  it('has the hash in its name, and as a label beside those of the template; annotations are those of the DaemonSet', () => {
    const { update, hash } = planned({ set: { annotations: { team: 'shop' } } });
    expect(update.metadata).toEqual({
      name: `agent-${hash}`,
      namespace: 'default',
      labels: { app: 'agent', [label]: hash },
      annotations: { team: 'shop' },
      ownerReferences: [ownerReferenceTo(aDaemonSet())],
    });
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(planned({}).update.metadata.annotations).toEqual({});
  });

  it('is the one with the template, with the hash of its label from any implementation', () => {
    const upstreams = twin(r2, 'theirs', 2);
    expect(planned({ revisions: [r1, upstreams] })).toEqual({ update: upstreams, hash: 'theirs', actions: [], isBorrowed: false });
  });

  it('gets the next number when it is an older one again: A, B, A are two revisions, and A has number 3', () => {
    const next = planned({
      revisions: [
        { ...r2, revision: 1 },
        { ...r1, revision: 2 },
      ],
    });
    expect([reportOf(next), next.hash]).toEqual([[`bump ${r2.metadata.name} to 3`], hashOf(r2)]);
  });

  it('is the one with the highest number of several that hold the template', () => {
    expect(planned({ revisions: [twin(r2, 'first', 2), twin(r2, 'last', 2)] })).toMatchObject({ hash: 'last', actions: [] });
    expect(reportOf(planned({ revisions: [twin(r2, 'first', 1), twin(r2, 'last', 2), { ...r1, revision: 3 }] }))).toEqual([
      'bump agent-last to 4',
    ]);
  });

  it('has another name, and the hash with it, after a collision', () => {
    const { update, hash } = planned({ set: { status: { collisionCount: 1 } as never } });
    expect([update.metadata.name, hash === hashOf(r2)]).toEqual([`agent-${hash}`, false]);
  });

  it('is one that is not of the history, when that holds the template under its name', () => {
    const foreign = { ...r2, metadata: { ...r2.metadata, ownerReferences: [] } };
    expect(planned({ revisions: [r1], held: [foreign] })).toEqual({ update: foreign, hash: hashOf(r2), actions: [], isBorrowed: true });
    expect(reportOf(planned({ revisions: [r1], held: [{ ...r1, metadata: r2.metadata }] }))).toEqual(['create 2']);
  });

  it('whose labels a user removed has the hash in its name, so that its Pods are not recreated', () => {
    const bare = { ...r2, metadata: { name: r2.metadata.name, namespace: 'default' } };
    const { update, hash, actions, isBorrowed } = planned({ revisions: [r1], held: [bare] });
    expect([hash, hashOf(update), actions, isBorrowed]).toEqual([hashOf(r2), hashOf(r2), [], true]);
    expect([hashOfPods(bare), hashOfPods(r2)]).toEqual([hashOf(r2), hashOf(r2)]);
  });

  describe('that lacks members of the template, as the original drops them', () => {
    const { template } = aDaemonSet({ image: 'app:2' }).spec;
    const typing = {
      template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image: 'app:2', bar: 1 }] } } as never,
    };
    const status = (updateRevision: string) => ({ status: { observedGeneration: 1, updateRevision }, spec: typing }) as unknown as SetShape;
    it('is the one whose hash the status gives for this very spec', () => {
      const next = planned({ set: status(hashOf(r2)), revisions: [r1, r2] });
      expect([reportOf(next), next.hash]).toEqual([[`bump ${r2.metadata.name} to 2`], hashOf(r2)]);
    });
    it.each<[string, SetShape]>([
      ['names another hash', status('other')],
      ['names the revision instead of its hash', status(r2.metadata.name)],
      ['is not there', { spec: typing }],
    ])('is a new one when the status %s', (_name, set) => {
      expect(reportOf(planned({ set, revisions: [r1, r2] }))).toEqual(['create 3']);
    });
  });
});

describe('a revision without the hash', () => {
  it('gets its own name for it, before anything else is decided', () => {
    const bare = labelled(r1, undefined);
    const { name } = r1.metadata;
    expect(reportOf(planned({ revisions: [bare, r2] }))).toEqual([`label ${name} ${name}: Pods could not say that they are of it`]);
    expect(reportOf(planned({ revisions: [bare] }))).toEqual([`label ${name} ${name}: Pods could not say that they are of it`, 'create 2']);
  });

  it('is not labelled when it has one', () => {
    expect(planned({ revisions: [r1, r2] }).actions).toEqual([]);
  });
});

const podsOf = (...shapes: readonly (MemberShape & { readonly hash?: string })[]) =>
  shapes.map(({ hash, ...shape }, index) =>
    aMember(`n${index + 1}`, { ...shape, ...(hash === undefined ? {} : { labels: { [label]: hash } }) }, [r1, r2, r3]),
  );

describe('several revisions that hold the template of today', () => {
  const [first, last] = [twin(r2, 'first', 2), twin(r2, 'last', 3)];
  const duplicatesOf = (revisions: readonly ControllerRevision[], pods = podsOf()) => {
    const seen = seenOf({ revisions });
    const { labels, deletions, names } = planDuplicates(seen, planDaemonSetRevisions(seen), pods);
    return {
      labels: labels.map((action) => [action.pod.metadata.name, action.kind === 'LabelPod' ? action.labels : undefined, action.because]),
      deletions: deletions.map((action) =>
        action.kind === 'DeleteRevision' ? [action.revision.metadata.name, action.because] : action.kind,
      ),
      names: [...names],
    };
  };
  const because = 'revision agent-last holds the same template';

  it('are none where each holds another', () => {
    expect(duplicatesOf([r1, r2], podsOf({ of: 1 }, { of: 2 }))).toEqual({ labels: [], deletions: [], names: [] });
  });

  it('give Pods of the others the hash of the one that is kept, and no other Pod', () => {
    expect(duplicatesOf([r1, first, last], podsOf({ hash: 'first' }, { of: 1 }, { hash: 'last' }, { of: 0 }))).toEqual({
      labels: [['n1', { [label]: 'last' }, because]],
      deletions: [],
      names: ['agent-first'],
    });
  });

  it('are deleted but for the one that is kept, once no Pod carries their hash', () => {
    expect(duplicatesOf([r1, first, last], podsOf({ of: 1 }, { hash: 'last' }))).toEqual({
      labels: [],
      deletions: [['agent-first', because]],
      names: ['agent-first'],
    });
  });

  it('stay while they have no owner or another one', () => {
    const { ownerReferences: _owners, ...metadata } = first.metadata;
    const foreign = { ...first, metadata: { ...metadata, ownerReferences: [{ ...ownerReferenceTo(aDaemonSet()), uid: 'other' }] } };
    const nothing = { labels: [], deletions: [], names: [] };
    expect([duplicatesOf([{ ...first, metadata }, last]), duplicatesOf([foreign, last], podsOf({ hash: 'first' }))]).toEqual([
      nothing,
      nothing,
    ]);
  });

  it('are found by what they hold, though the objects are the same pass after pass', () => {
    const revisions = [r1, first, last];
    expect([duplicatesOf(revisions).names, duplicatesOf(revisions).names, duplicatesOf([first, r1, last]).names]).toEqual([
      ['agent-first'],
      ['agent-first'],
      ['agent-first'],
    ]);
  });
});

describe('the history', () => {
  const all = [aRevision(1), aRevision(2), aRevision(3), aRevision(4)];
  const [, , , update] = all as [ControllerRevision, ControllerRevision, ControllerRevision, ControllerRevision];
  const deletedOf = (revisionHistoryLimit: number | undefined, pods = podsOf(), notCounted: readonly string[] = []): readonly number[] => {
    const set = { image: 'app:4', spec: { revisionHistoryLimit: revisionHistoryLimit as number } };
    const seen = seenOf({ set, revisions: all });
    return planOldRevisions(seen, new Set([update.metadata.name, ...notCounted]), pods).map((action) =>
      action.kind === 'DeleteRevision' ? action.revision.revision : 0,
    );
  };

  it.each<[limit: number | undefined, expected: readonly number[]]>([
    [undefined, []],
    [3, []],
    [2, [1]],
    [1, [1, 2]],
    [0, [1, 2, 3]],
  ])('of %p old revisions loses those with the lowest numbers', (limit, expected) => {
    expect(deletedOf(limit)).toEqual(expected);
  });

  it('keeps those of Pods, including terminating ones, and deletes the next instead', () => {
    expect(deletedOf(2, podsOf({ of: 1 }))).toEqual([2]);
    expect(deletedOf(1, podsOf({ of: 1, terminating: true }))).toEqual([2, 3]);
    expect(deletedOf(0, podsOf({ of: 1 }, { of: 2 }, { of: 3 }))).toEqual([]);
  });

  it('does not count what is not old', () => {
    expect(deletedOf(2, podsOf(), [all[2]?.metadata.name ?? ''])).toEqual([]);
  });

  it('keeps 10 by default, and names the limit', () => {
    const many = Array.from({ length: 12 }, (_, index) => aRevision(index + 1));
    const set = { image: 'app:12', spec: { revisionHistoryLimit: undefined as never } };
    const seen = seenOf({ set, revisions: many });
    expect(planOldRevisions(seen, new Set([many[11]?.metadata.name ?? '']), [])).toMatchObject([
      { kind: 'DeleteRevision', revision: { revision: 1 }, because: 'more than 10 old revisions' },
    ]);
  });
});
