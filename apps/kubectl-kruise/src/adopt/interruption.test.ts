/** What an interrupted run says, of every state of a move. */
import { describe, expect, it } from '@jest/globals';
import type { Untyped } from '../objects/untyped.ts';
import { typeOf } from '../testing.ts';
import { interruptionText, type Interrupted } from './interruption.ts';
import { directionFrom } from './observed/directions.ts';
import { adoptMark, type Observed } from './observed/observed.ts';
import type { Write } from './step.ts';

const names = { source: 'daemonset.apps/web', target: 'daemonset.apps.kruise.io/web' };
const object = (uid: string, metadata: object = {}): Untyped => ({ metadata: { name: uid, uid, ...metadata } });
const owned = (uid: string, owner: string, metadata: object = {}): Untyped =>
  object(uid, { ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: owner, uid: owner, controller: true }], ...metadata });
const orphan = (uid: string): Untyped => object(uid, { labels: { 'controller-revision-hash': 'r' } });
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const onHold = object('target', { annotations: { [adoptMark]: 'source' } });

const seenWith = (more: Partial<Observed> = {}): Observed => ({
  direction: directionFrom('DaemonSet')!,
  targetType: typeOf('DaemonSet'),
  targetName: 'web',
  source: object('source', deleted),
  target: onHold,
  replicaSets: [],
  pods: [],
  revisions: [],
  claims: [],
  ...more,
});
const orphaned = (uid: string): Write => ({ kind: 'Orphan', object: object(uid) });
const patched = (uid: string, patch = {}): Write => ({ kind: 'Patch', object: object(uid), patch });
const released = patched('target', { metadata: { annotations: { [adoptMark]: null } } });

const textOf = (more: Partial<Interrupted>): string =>
  interruptionText({ names, writes: 2, unanswered: 0, last: { kind: 'Nothing' }, since: [], ...more });
const progressOf = (seen: Partial<Observed>, ...since: readonly Write[]): string =>
  textOf({ last: { kind: 'Source', seen: seenWith(seen) }, since }).replace(/^Interrupted after 2 writes: (.*)\. Run.*$/, '$1');

describe('an interrupted run names', () => {
  it.each<{ name: string; given: Partial<Interrupted>; then: string }>([
    { name: 'nothing that it has not observed', given: { writes: 0 }, then: 'Interrupted: nothing was changed.' },
    { name: 'one write', given: { writes: 1 }, then: 'Interrupted after 1 write: nothing was changed.' },
    {
      name: 'one write without an answer',
      given: { unanswered: 1 },
      then: 'Interrupted after 2 writes: nothing was changed; 1 more write may have succeeded.',
    },
    {
      name: 'several writes without an answer',
      given: { unanswered: 3 },
      then: 'Interrupted after 2 writes: nothing was changed; 3 more writes may have succeeded.',
    },
    {
      name: 'a target on hold whose source does not exist',
      given: { last: { kind: 'Hold' } },
      then: `Interrupted after 2 writes: ${names.target} has the Pods, and is on hold.`,
    },
    {
      name: 'the end of the hold',
      given: { last: { kind: 'Hold' }, since: [released] },
      then: `Interrupted after 2 writes: ${names.target} has the Pods.`,
    },
    {
      name: 'a target that is not on hold',
      given: { last: { kind: 'Released' } },
      then: `Interrupted after 2 writes: ${names.target} has the Pods.`,
    },
  ])('$name', ({ given, then }) => {
    expect(textOf(given)).toBe(`${then} Run the same command again to continue.`);
  });

  const pods = [owned('p1', 'source'), orphan('p2'), owned('p3', 'target')];

  it.each<{ name: string; seen: Partial<Observed>; since?: readonly Write[]; then: string }>([
    { name: 'a source that is not deleted', seen: { source: object('source'), pods }, then: `${names.source} has its Pods` },
    {
      name: 'a source of which only another object was deleted',
      seen: { source: object('source'), pods },
      since: [orphaned('other'), patched('source')],
      then: `${names.source} has its Pods`,
    },
    {
      name: 'a source that was just deleted',
      seen: { source: object('source'), pods },
      since: [orphaned('source')],
      then: `1 of 3 Pods are handed over to ${names.target}`,
    },
    { name: 'Pods that are handed over', seen: { pods }, then: `1 of 3 Pods are handed over to ${names.target}` },
    {
      name: 'a Pod that was just handed over, once',
      seen: { pods },
      since: [patched('p1'), patched('p3')],
      then: `2 of 3 Pods are handed over to ${names.target}`,
    },
    { name: 'one Pod', seen: { pods: [orphan('p2')] }, then: `0 of 1 Pod is handed over to ${names.target}` },
    {
      name: 'no Pods that are terminating, of other controllers or of none',
      seen: {
        pods: [...pods, owned('p4', 'target', deleted), owned('p5', 'source', deleted), owned('p6', 'other'), object('p7')],
      },
      then: `1 of 3 Pods are handed over to ${names.target}`,
    },
    {
      name: 'no Pods as handed over without a target',
      seen: { pods, target: undefined },
      then: `0 of 2 Pods are handed over to ${names.target}`,
    },
    {
      name: 'Pods of a ReplicaSet of the target, and not of another one',
      seen: {
        pods: [orphan('p1'), owned('p2', 'set'), owned('p3', 'foreign')],
        replicaSets: [owned('set', 'target'), owned('foreign', 'other')],
      },
      then: `1 of 2 Pods are handed over to ${names.target}`,
    },
    {
      name: 'a target on hold that has every Pod',
      seen: { pods: [owned('p3', 'target')] },
      then: `${names.target} has the Pods, and is on hold`,
    },
    {
      name: 'the end of the hold of a source that other programs keep',
      seen: { pods: [owned('p3', 'target')] },
      since: [released],
      then: `${names.target} has the Pods`,
    },
    {
      name: 'a hold that another write of the target does not end',
      seen: { pods: [owned('p3', 'target')] },
      since: [patched('target', { metadata: { annotations: { [adoptMark]: 'source' } } }), { kind: 'Delete', object: object('r') }],
      then: `${names.target} has the Pods, and is on hold`,
    },
    { name: 'a target that is not on hold', seen: { pods, target: object('target') }, then: `${names.target} has the Pods` },
  ])('$name', ({ seen, since = [], then }) => {
    expect(progressOf(seen, ...since)).toBe(then);
  });
});
