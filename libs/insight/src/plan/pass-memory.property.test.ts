/** What passes remember of Pods changes no decision, and keeps the work for a Pod independent of the number of Pods. */
import { expect, it } from '@jest/globals';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import type { AnyObject } from '../seen.ts';
import { aRollout, rollouts, runOf, type Rollout } from './pass-memory.testing.ts';
import { runRounds, type WorkloadRun } from './run/workload-run.ts';

/** A run whose passes find nothing remembered: every object is another one than in the pass before. */
function forgetful(run: WorkloadRun): WorkloadRun {
  const held = run as unknown as { workload: { metadata: object; spec: object } };
  return {
    pods: run.pods,
    observe: () => run.observe(),
    isUpdated: (pod) => run.isUpdated(pod),
    pass: () => {
      const { workload } = held;
      held.workload = { ...workload, metadata: { ...workload.metadata }, spec: { ...workload.spec } };
      return run.pass();
    },
  };
}

const shown = (run: WorkloadRun): unknown => {
  const { rounds, last, isCut } = runRounds(run, 60);
  return { rounds, last, isCut, pods: run.pods.pods, claims: run.pods.claims.acts };
};

it('decides in every pass as without what it remembers', () => {
  const seen = new Occurrences();
  fc.assert(
    fc.property(rollouts, (rollout) => {
      const [remembered, forgotten] = [shown(runOf(rollout)), shown(forgetful(runOf(rollout)))];
      expect(remembered).toEqual(forgotten);
      seen.note(`${rollout.kind} ${rollout.isRecreated ? 'recreated' : 'in place'}`);
      seen.note('claims', rollout.hasClaims);
      for (const state of rollout.states.slice(0, rollout.size)) seen.note(state);
    }),
    { numRuns: casesOf(150, 3000) },
  );
  const kinds = ['CloneSet', 'StatefulSet', 'DaemonSet'].flatMap((kind) => [`${kind} in place`, `${kind} recreated`]);
  const states = ['Marked', 'NotReady', 'Terminating', 'NotSelected', 'Orphan', 'Preparing'];
  seen.expectAtLeast(Object.fromEntries([...kinds, 'claims', ...states].map((what) => [what, 5])));
});

/** How often a rollout reads each of the Pods that exist before it, on average. */
function readsOf(rollout: Rollout): number {
  let reads = 0;
  const counted = (pod: AnyObject): AnyObject =>
    new Proxy(pod, {
      get: (target, name, receiver) => {
        reads++;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
  const run = runOf(rollout, counted);
  reads = 0;
  const { rounds } = runRounds(run, 1000);
  expect(rounds.length).toBeGreaterThanOrEqual(rollout.size);
  return reads / rollout.size;
}

/**
 * A batch is 3 passes or more, and 6 of a recreated CloneSet: a rule that reads every Pod in every pass adds as many. A CloneSet reads labels when it
 * ranks Pods, and examines the Pods between the names of a deleted and a created one.
 */
const mostReadsOfBatch = 2.5;

it.each<{ name: string; rollout: Partial<Rollout> }>([
  { name: 'StatefulSet in place', rollout: { kind: 'StatefulSet' } },
  { name: 'ordered StatefulSet', rollout: { kind: 'StatefulSet', isOrdered: true, isRecreated: true } },
  { name: 'StatefulSet with claims', rollout: { kind: 'StatefulSet', isRecreated: true, hasClaims: true } },
  { name: 'DaemonSet in place', rollout: { kind: 'DaemonSet' } },
  { name: 'recreated DaemonSet', rollout: { kind: 'DaemonSet', isRecreated: true } },
  { name: 'CloneSet in place', rollout: { kind: 'CloneSet' } },
  { name: 'recreated CloneSet', rollout: { kind: 'CloneSet', isRecreated: true } },
  { name: 'recreated CloneSet with claims', rollout: { kind: 'CloneSet', isRecreated: true, hasClaims: true } },
])('reads few of the Pods that a batch does not change: $name', ({ rollout }) => {
  const [few, many] = [20, 60].map((size) => readsOf({ ...aRollout, ...rollout, size })) as [number, number];
  expect((many - few) / 40).toBeLessThan(mostReadsOfBatch);
});

it.each(['CloneSet', 'StatefulSet', 'DaemonSet'] as const)(
  'remembers what passes compute from a %s and its revisions, which are frozen',
  (kind) => {
    const run = runOf({ ...aRollout, kind, isRecreated: true });
    runRounds(run, 1000);
    const { workload } = run as unknown as { workload: { spec: { template: object } } };
    expect(Object.isFrozen(workload.spec.template)).toBe(true);
    expect(run.pods.history.list).toHaveLength(2);
    for (const revision of run.pods.history.list) expect(Object.isFrozen(revision.data)).toBe(true);
  },
);
