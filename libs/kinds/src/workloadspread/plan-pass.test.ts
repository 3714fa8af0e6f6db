import { describe, expect, it } from '@jest/globals';
import type { WorkloadSpread } from '@kruise/api';
import { workloadLimits, type Pod, type StageResult } from '@kruise/objects';
import { conclude, planPass, stagesOf, type Observed } from './plan-pass.ts';
import { plan, type Action } from './plan.ts';
import { aSpread, aSpreadPod, aSubset, later, timeOf, unschedulable } from './testing.ts';
import { versionedKinds } from './versions.ts';

const at = { now: later(3_600_000), versioned: versionedKinds('') };
const seenOf = (spread: WorkloadSpread, pods: readonly Pod[]): Extract<Observed, { readonly kind: 'Seen' }> => ({
  kind: 'Seen',
  snapshot: { spread, pods, total: pods.length, workloadVersion: 'versionIgnored', nodeOf: () => undefined },
});
const marked: StageResult<Action> = { done: 1, wrote: 1, failures: [], allRefused: [] };
const spread = aSpread([aSubset('a', 1), aSubset('b')]);
const seen = seenOf(spread, [aSpreadPod({ name: '1', subset: 'a' })]);

describe('a pass', () => {
  it('marks at most one burst of the Pods that it has seen, before anything else', () => {
    const { marks } = plan(seen.snapshot, at);
    expect(marks).toHaveLength(1);
    expect(stagesOf(planPass(seen, at))).toEqual([
      { name: 'mark', actions: marks, onFailure: 'Collect', pace: 'AtOnce', burst: workloadLimits.actionsOfPass.value },
    ]);
  });

  it('fails and changes nothing until the version of new Pods is known', () => {
    const waiting: Observed = { kind: 'NotYet', why: 'no ReplicaSet has the template yet' };
    expect(planPass(waiting, at)).toEqual({ marks: [], failure: new Error('no ReplicaSet has the template yet') });
    expect(conclude(spread, waiting, marked, at)).toEqual({ isOver: true });
  });
});

describe('after the marks', () => {
  it('the same Pods are counted on the newest copy, so that what was promised meanwhile stays promised', () => {
    const creatingPods = { next: timeOf(3_599_000) };
    const promised = [{ name: 'a', replicas: 0, missingReplicas: 0, creatingPods }];
    const newest = {
      ...spread,
      status: { observedGeneration: 1, subsetStatuses: [], versionedSubsetStatuses: { versionIgnored: promised } },
    };
    const { status } = conclude(newest, seen, marked, at);
    expect(status?.versionedSubsetStatuses?.['versionIgnored']?.[0]).toMatchObject({ replicas: 1, creatingPods });
  });

  it('nothing is decided by a spec that has changed: its change enqueues the next pass', () => {
    const newest = { ...spread, metadata: { ...spread.metadata, generation: 2 } };
    expect(conclude(newest, seen, marked, at)).toEqual({ isOver: true });
  });

  it.each<{ name: string; result: Parameters<typeof conclude>[2]; then: number }>([
    { name: 'all marks are made', result: marked, then: 1 },
    { name: 'no mark was needed', result: undefined, then: 1 },
    { name: 'a mark was refused', result: { ...marked, error: new Error('no') }, then: 0 },
    { name: 'the burst was used up', result: { ...marked, isCut: true }, then: 0 },
  ])('the observed generation is $then if $name', ({ result, then }) => {
    expect(conclude(spread, seen, result, at).status?.observedGeneration).toBe(then);
  });

  it('events report what the status changes, and nothing if it stays the same', () => {
    const full = seenOf(aSpread([aSubset('a', 0)]), [aSpreadPod({ name: '1', createdAt: later(0) })]);
    const first = conclude(full.snapshot.spread, full, marked, at);
    expect(first.notes).toEqual([{ kind: 'NoSubsetHasRoom', pods: 1 }]);
    expect(conclude({ ...full.snapshot.spread, status: first.status! }, full, marked, at)).toMatchObject({
      status: first.status,
      notes: [],
    });
  });

  it('Pods without a node are deleted, one after the other, and the next pass is due when the next rule needs it', () => {
    const adaptive = { scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } } as const;
    const pod = unschedulable(aSpreadPod({ name: '1', node: '', subset: 'a', createdAt: later(0) }));
    const stuck = seenOf(aSpread([aSubset('a', 1), aSubset('b')], adaptive), [pod]);
    const { after, requeueAfter } = conclude(stuck.snapshot.spread, stuck, marked, at);
    const next = plan(stuck.snapshot, at);
    expect(next.reschedule).toHaveLength(1);
    expect(after).toEqual([
      { name: 'reschedule', actions: next.reschedule, onFailure: 'Collect', burst: workloadLimits.actionsOfPass.value },
    ]);
    expect(requeueAfter).toBe(next.requeueAfter);
  });
});
