import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { aCloneSet, aContext, aMember, aRevision } from '../testing.ts';
import { countPods, type Side } from './pod-counts.ts';

const cloneSet = aCloneSet({ replicas: 3, spec: { scaleStrategy: { podsToDelete: ['listed'] } } });
const [current, update] = [aRevision(cloneSet, 'app:1', 1), aRevision(cloneSet, 'app:2', 2)];
const of = { cloneSet, updateRevision: update.metadata.name };
const state = (value: string): object => ({ 'lifecycle.apps.kruise.io/state': value });
const marked = { 'apps.kruise.io/specified-delete': 'true' };
const none: Side = { total: 0, ready: 0, available: 0, preDeleting: 0, active: 0, toDelete: 0, unavailable: 0 };
const member = (shape: { readonly name: string; readonly ready?: boolean; readonly labels?: object }): Pod =>
  aMember(cloneSet, current, shape as never);

describe('the counts of a side', () => {
  it.each<{ name: string; pod: Pod; then: Partial<Side>; marks?: number }>([
    { name: 'an available Pod', pod: member({ name: 'a' }), then: { total: 1, ready: 1, available: 1, active: 1 } },
    { name: 'a Pod that is not ready', pod: member({ name: 'a', ready: false }), then: { total: 1, active: 1, unavailable: 1 } },
    {
      name: 'a ready Pod in the middle of its lifecycle',
      pod: member({ name: 'a', labels: state('PreparingUpdate') }),
      then: { total: 1, ready: 1, active: 1, unavailable: 1 },
    },
    {
      name: 'a Pod that waits for its preDelete hook',
      pod: member({ name: 'listed', labels: { ...state('PreparingDelete'), ...marked } }),
      then: { total: 1, ready: 1, preDeleting: 1 },
      marks: 1,
    },
    {
      name: 'a Pod to delete by label does not count as unavailable',
      pod: member({ name: 'a', ready: false, labels: marked }),
      then: { total: 1, active: 1, toDelete: 1 },
      marks: 1,
    },
    {
      name: 'a Pod to delete by name',
      pod: member({ name: 'listed' }),
      then: { total: 1, ready: 1, available: 1, active: 1, toDelete: 1 },
    },
  ])('$name', ({ pod, then, marks = 0 }) => {
    expect(countPods([pod], of, aContext(), 'Update')).toEqual({ updated: none, old: { ...none, ...then }, marked: marks });
  });

  it('a Pod of the update revision is on the other side', () => {
    const { updated, old } = countPods([aMember(cloneSet, update, { name: 'a' })], of, aContext(), 'Update');
    expect([updated.total, old.total]).toEqual([1, 0]);
  });

  it('gate PreparingUpdateAsUpdate counts a Pod in PreparingUpdate as updated for scaling only', () => {
    const pods = [member({ name: 'a', labels: state('PreparingUpdate') })];
    const context = aContext({ PreparingUpdateAsUpdate: true });
    const totals = (purpose: 'Scale' | 'Update', given = context): number => countPods(pods, of, given, purpose).updated.total;
    expect([totals('Scale'), totals('Update'), totals('Scale'), totals('Scale', aContext())]).toEqual([1, 0, 1, 0]);
  });

  it('counts the same list again when the CloneSet, the revision or the time is another one', () => {
    const late = aContext();
    const slow = { ...cloneSet, spec: { ...cloneSet.spec, minReadySeconds: 3600 } };
    const pods = [member({ name: 'a' })];
    const available = (set: typeof cloneSet, revision: string, now = late.now): number =>
      countPods(pods, { cloneSet: set, updateRevision: revision }, { ...late, now }, 'Update').old.available;
    const hour = (late.now + 3_600_000) as typeof late.now;
    expect([
      available(cloneSet, update.metadata.name),
      available(slow, update.metadata.name),
      available(slow, update.metadata.name, hour),
      available(slow, current.metadata.name, hour),
    ]).toEqual([1, 0, 1, 0]);
  });
});
