import { describe, expect, it } from '@jest/globals';
import type { KubeObject, OwnerReference } from '@kruise/objects';
import type { Change, RecordedKind } from './change.ts';
import { brokenRules, type AskedDeletion } from './rules.ts';

const ours = (name = 'web', uid = 'set'): OwnerReference => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'StatefulSet',
  name,
  uid,
  controller: true,
});
const key = { namespace: 'shop' };
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

/** A history that is written second by second. */
class ReportedEvents {
  readonly changes: Change[] = [];
  #at = 0;

  after(seconds: number): this {
    this.#at += seconds * 1000;
    return this;
  }

  report(kind: RecordedKind, event: Change['event'], ...objects: readonly KubeObject[]): this {
    this.changes.push({ kind, event, version: this.changes.length + 1, at: this.#at, objects });
    return this;
  }

  set(spec: object, event: Change['event'] = 'ADDED', generation = 1): this {
    const metadata = { ...key, name: 'web', uid: 'set', generation };
    return this.report('StatefulSet', event, { metadata, spec: { replicas: 3, ...spec } } as KubeObject);
  }

  pod(ordinal: number, event: Change['event'], status: object = {}, over: object = {}): this {
    const metadata = { ...key, name: `web-${ordinal}`, uid: `pod-${ordinal}`, ownerReferences: [ours()], ...over };
    return this.report('Pod', event, { metadata, spec: {}, status } as KubeObject);
  }

  claim(event: Change['event'], ...ownerReferences: readonly OwnerReference[]): this {
    return this.report('PersistentVolumeClaim', event, { metadata: { ...key, name: 'data-web-0', uid: 'claim', ownerReferences } });
  }
}

const reported = (): ReportedEvents =>
  new ReportedEvents().report('Pod', 'LISTED').report('StatefulSet', 'LISTED').report('PersistentVolumeClaim', 'LISTED');
const running = (spec: object = {}): ReportedEvents => reported().set(spec).after(10).pod(0, 'ADDED').after(10);
const broken = ({ changes }: ReportedEvents, deletions: readonly AskedDeletion[] = []) => brokenRules(changes, deletions);

describe('Pods of a StatefulSet in order', () => {
  it('are created once those below are ready, whatever order the changes are given in', () => {
    const good = running().pod(0, 'MODIFIED', ready).after(10).pod(1, 'ADDED');
    expect(broken(good)).toEqual([]);
    expect(brokenRules(good.changes.toReversed(), [])).toEqual([]);
  });

  it.each<{ name: string; history: ReportedEvents; what: string }>([
    { name: 'not ready', history: running().pod(1, 'ADDED'), what: 'not ready' },
    {
      name: 'on its way out',
      history: running().pod(0, 'MODIFIED', ready, { deletionTimestamp: 'now' }).pod(1, 'ADDED'),
      what: 'not ready',
    },
    { name: 'gone', history: running().pod(0, 'MODIFIED', ready).pod(0, 'DELETED', ready).after(10).pod(1, 'ADDED'), what: 'not there' },
    {
      name: 'gone while nobody looked',
      history: running().pod(0, 'MODIFIED', ready).report('Pod', 'LISTED').pod(1, 'ADDED'),
      what: 'not there',
    },
  ])('are not created while one below is $name', ({ history, what }) => {
    expect(broken(history)).toEqual([`shop/web-1 was created while shop/web-0 was ${what}`]);
  });

  it.each<{ name: string; history: ReportedEvents }>([
    { name: 'in parallel', history: running({ podManagementPolicy: 'Parallel' }).pod(1, 'ADDED') },
    { name: 'above a reserved ordinal', history: running({ reserveOrdinals: [0] }).pod(1, 'ADDED') },
    { name: 'from a start ordinal on', history: running({ ordinals: { start: 1 } }).pod(1, 'ADDED') },
    { name: 'just after another spec', history: running().set({}, 'MODIFIED', 2).pod(1, 'ADDED') },
    {
      name: 'just after the one below broke',
      history: running().pod(0, 'MODIFIED', ready).after(60).pod(0, 'MODIFIED').after(2).pod(1, 'ADDED'),
    },
    { name: 'by somebody else', history: running().pod(1, 'ADDED', {}, { ownerReferences: [ours('web', 'other')] }) },
  ])('may be created $name', ({ history }) => {
    expect(broken(history)).toEqual([]);
  });

  it('are still looked at when only the status of the StatefulSet has changed', () => {
    expect(broken(running().set({}, 'MODIFIED').pod(1, 'ADDED'))).toHaveLength(1);
  });
});

describe('claims of a StatefulSet', () => {
  const pod0: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'pod-0' };
  const policy = (whenDeleted: string, whenScaled: string) => ({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });

  it.each([
    { name: 'the StatefulSet', spec: policy('Retain', 'Delete'), owner: ours(), allowed: policy('Delete', 'Retain') },
    { name: 'a Pod', spec: policy('Delete', 'Retain'), owner: pod0, allowed: policy('Retain', 'Delete') },
    { name: 'the StatefulSet, without a policy', spec: {}, owner: ours(), allowed: policy('Delete', 'Delete') },
  ])('go with $name only where the policy says so', ({ spec, owner, allowed }) => {
    expect(broken(running(spec).claim('ADDED').claim('MODIFIED', owner))).toEqual([
      `shop/data-web-0 goes with ${owner.kind} ${owner.name} against the policy of shop/web`,
    ]);
    expect(broken(running(allowed).claim('ADDED').claim('MODIFIED', owner))).toEqual([]);
  });

  it('may go with what they went with before', () => {
    const given = running(policy('Delete', 'Retain')).claim('ADDED', ours()).set(policy('Retain', 'Retain'), 'MODIFIED', 2).after(10);
    expect(broken(given.claim('MODIFIED', ours()))).toEqual([]);
  });

  it('are not taken from others', () => {
    const other: OwnerReference = { apiVersion: 'db.example.com/v1', kind: 'Database', name: 'db', uid: 'db', controller: true };
    const history = running(policy('Delete', 'Delete')).claim('ADDED', other).claim('MODIFIED', other, pod0);
    expect(broken(history)).toEqual(['shop/data-web-0 of Database db was given to Pod web-0']);
  });
});

describe('deletions that the manager requests', () => {
  const asked = (resource: string, name: string, options: AskedDeletion['options']): AskedDeletion => ({ resource, name, options, ...key });
  const exact = { preconditions: { uid: 'x' } };

  it.each([
    [asked('pods', 'web-0', exact), []],
    [asked('pods', 'web-0', {}), ['pods shop/web-0 was deleted, whichever object has the name']],
    [asked('pods', 'web-0', { ...exact, gracePeriodSeconds: 0 }), ['pods shop/web-0 was deleted without the time that it may take']],
    [asked('persistentvolumeclaims', 'data-web-0', exact), ['persistentvolumeclaims shop/data-web-0 of a StatefulSet was deleted']],
    [asked('persistentvolumeclaims', 'data-cs-x7abc', exact), []],
  ])('%j', (deletion, sentences) => {
    const templates = [{ metadata: { name: 'data' } }];
    expect(broken(running({ volumeClaimTemplates: templates }), [deletion])).toEqual(sentences);
  });
});
