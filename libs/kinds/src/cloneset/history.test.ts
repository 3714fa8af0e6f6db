/** Revisions: which one the template is, and which are kept. @see spec/cloneset.md 5.2 steps 6 and 13, spec/inplace-update.md 3 */
import { describe, expect, it } from '@jest/globals';
import { labels, type CloneSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { plan } from './plan.ts';
import { momentOf, planned, type Row } from './situation.testing.ts';
import { ownerReference } from './testing.ts';

const deleted = (limit: number, ...numbers: readonly number[]): { readonly housekeeping: readonly string[] } => ({
  housekeeping: numbers.map((number) => `DeleteRevision r${number}: more than ${limit} old revisions`),
});
/** Nothing is scaled or updated, whatever revisions Pods carry. */
const still = (revisionHistoryLimit: number, replicas: number): Row['set'] => ({
  replicas,
  rollingUpdate: { paused: true },
  spec: { revisionHistoryLimit },
});
const withHash =
  (hash: string) =>
  (pod: Pod): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [labels.controllerRevisionHash]: hash } },
  });
const unlike = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, app: 'other' } } });

const table = (rows: readonly Row[]): void => {
  it.each(rows)('$name', ({ name: _name, then, ...given }) => {
    expect(planned(given)).toEqual(then);
  });
};

describe('the history', () => {
  table([
    { name: 'keeps as many revisions that are not live as the limit says', set: still(2, 0), revisions: 3, then: {} },
    { name: 'loses the one of the lowest number beyond the limit', set: still(2, 0), revisions: 4, then: deleted(2, 1) },
    { name: 'loses those of the lowest numbers beyond the limit', set: still(2, 0), revisions: 6, then: deleted(2, 1, 2, 3) },
    { name: 'keeps none with a limit of 0 but what is live', set: still(0, 0), revisions: 3, then: deleted(0, 1, 2) },
    { name: 'keeps the current revision, which does not count', set: still(1, 0), revisions: 4, current: 1, then: deleted(1, 2) },
    { name: 'keeps the update revision alone', set: still(0, 0), revisions: 1, then: {} },
    {
      name: 'keeps revisions that active Pods carry, which do not count',
      set: still(1, 2),
      revisions: 5,
      pods: { a: { of: 1 }, b: { of: 3 } },
      then: deleted(1, 2),
    },
    {
      name: 'keeps a revision that one of several Pods carries',
      set: still(0, 3),
      revisions: 3,
      pods: { a: { of: 2 }, b: {}, c: {} },
      then: deleted(0, 1),
    },
    {
      name: 'keeps a revision of a Pod that is not ready or is being deleted',
      set: { ...still(0, 2), spec: { revisionHistoryLimit: 0, lifecycle: { preDelete: { labelsHandler: { hold: 'yes' } } } } },
      revisions: 3,
      pods: { a: { of: 1, ready: false }, b: { of: 2, state: 'PreparingDelete', marked: true, labels: { hold: 'yes' } } },
      then: {},
    },
    {
      name: 'loses revisions that only finished and terminating Pods carry',
      set: still(0, 0),
      revisions: 4,
      pods: { a: { of: 1, phase: 'Failed' }, b: { of: 2, phase: 'Succeeded' }, c: { of: 3, terminating: true } },
      then: deleted(0, 1, 2, 3),
    },
    {
      name: 'loses a revision that only a Pod carries that is let go',
      set: still(0, 0),
      revisions: 2,
      pods: { a: { of: 1, with: unlike } },
      then: { groundwork: ['ReleasePod a: its labels no longer match the selector'], ...deleted(0, 1) },
    },
    { name: 'keeps 10 without a limit', set: { replicas: 0 }, revisions: 11, then: {} },
    { name: 'keeps no more than 10 without a limit', set: { replicas: 0 }, revisions: 12, then: deleted(10, 1) },
  ]);

  it('keeps a revision that a Pod carries in the short form of its label', () => {
    const given = { set: still(0, 1), revisions: 3 };
    const hash = momentOf(given).revisions[0]?.metadata.name.split('-').at(-1) ?? '';
    expect(planned({ ...given, pods: { a: { of: 1, with: withHash(hash) } } })).toEqual(deleted(0, 2));
    expect(planned({ ...given, pods: { a: { of: 1, with: withHash(`x${hash}`) } } })).toEqual(deleted(0, 1, 2));
  });
});

describe('the update revision', () => {
  table([
    { name: 'is the last one when that holds the template', set: { replicas: 0 }, revisions: 2, then: {} },
    {
      name: 'is a new one when none holds the template, and nothing else is done before it is there',
      set: { replicas: 3, image: 'app:9', spec: { revisionHistoryLimit: 0, scaleStrategy: { podsToDelete: ['sample-x'] } } },
      revisions: 2,
      pods: { a: { marked: true }, b: { with: unlike } },
      claims: ['data-gone'],
      then: { revisions: ['CreateRevision number 3: no revision contains the template; the next number is 3'] },
    },
    {
      name: 'is an earlier one that holds the template, which gets the next number, and nothing else is done before that',
      set: { replicas: 3, image: 'app:1' },
      revisions: 2,
      pods: { a: { marked: true } },
      then: { revisions: ['BumpRevision r1 to 3: the template equals that of revision 1 again; the latest is 2'] },
    },
  ]);

  const annotated = (cloneSet: CloneSet): CloneSet => ({
    ...cloneSet,
    metadata: { ...cloneSet.metadata, annotations: { team: 'shop' } },
  });
  const claimTemplate = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const withClaims = { volumeClaimTemplates: [claimTemplate] as NonNullable<CloneSet['spec']['volumeClaimTemplates']> };
  const hash = 'kruise.io/cloneset-volumeclaimtemplate-hash';

  it('carries the annotations of the CloneSet and the hash of its claim templates, and belongs to it', () => {
    const { seen, context } = momentOf({ set: { spec: withClaims }, as: annotated, seen: { revisions: [] } });
    const [action] = plan(seen, context).revisions;
    if (action?.kind !== 'CreateRevision') throw new Error('a first template makes a revision');
    const { revision, collisionCount } = action.attempt;
    expect(collisionCount).toBe(0);
    expect(revision.metadata).toMatchObject({
      namespace: 'default',
      name: expect.stringMatching(/^sample-\w{8,10}$/),
      labels: { app: 'sample', 'controller.kubernetes.io/hash': revision.metadata.name.slice('sample-'.length) },
      annotations: { team: 'shop', [hash]: '3636919212' },
      ownerReferences: [ownerReference],
    });
  });

  it('has another name after a collision, which the status counts', () => {
    const nameWith = (collisionCount: number): string => {
      const as = (cloneSet: CloneSet): CloneSet => ({
        ...cloneSet,
        status: { ...cloneSet.status, collisionCount } as CloneSet['status'] & object,
      });
      const { seen, context } = momentOf({ as, seen: { revisions: [] } });
      const { revisions, status } = plan(seen, context);
      expect(status.collisionCount).toBe(collisionCount);
      const [action] = revisions;
      return action?.kind === 'CreateRevision' ? action.attempt.revision.metadata.name : '';
    };
    const names = [0, 1, 2].map(nameWith);
    expect(new Set(names).size).toBe(3);
    const { seen, context } = momentOf({ seen: { revisions: [] } });
    const [first] = plan(seen, context).revisions;
    expect(first?.kind === 'CreateRevision' && first.attempt.revision.metadata.name).toBe(names[0]);
  });

  it('gets the hash of the claim templates of today when it is taken up again', () => {
    const { seen, context } = momentOf({ set: { image: 'app:1', spec: withClaims }, revisions: 2 });
    const [action] = plan(seen, context).revisions;
    expect(action).toMatchObject({ kind: 'BumpRevision', revision: { metadata: { annotations: { [hash]: '3636919212' } } } });
  });

  it('is in the status, with the current one, which is the update revision when it is not in the history', () => {
    const reportOf = (current: number): readonly (string | undefined)[] => {
      const { seen, context, revisions } = momentOf({ set: { replicas: 1 }, revisions: 3, current });
      const { status } = plan(seen, context);
      return [status.currentRevision, status.updateRevision].map(
        (name) => `r${revisions.findIndex(({ metadata }) => metadata.name === name) + 1}`,
      );
    };
    expect(reportOf(1)).toEqual(['r1', 'r3']);
    expect(reportOf(9)).toEqual(['r3', 'r3']);
  });
});
