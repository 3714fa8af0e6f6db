import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentAnnotations as annotations, unitedDeploymentLabels as labels } from '@kruise/api';
import { formatTime, instant, seconds, type Pod } from '@kruise/objects';
import { plan } from './plan.ts';
import type { Child, Snapshot } from './snapshot/snapshot.ts';
import { adaptive, aSnapshot, named, type UnitedShape } from './testing.ts';

const now = instant(1_700_000_000_000);
const ago = (length: number): string => formatTime(instant(now - seconds(length)));

const none: ReadonlySet<string> = new Set();
const waiting = (age: number): Pod => ({
  metadata: { name: 'p', creationTimestamp: ago(age) },
  spec: { containers: [] },
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
});

interface ChildShape {
  readonly replicas: number;
  readonly ready?: number;
  readonly pods?: readonly Pod[];
}

/** Where the template has its revision. */
function seenOf(
  shape: UnitedShape,
  children: Readonly<Record<string, ChildShape>> = {},
): { readonly seen: Snapshot; readonly revision: string } {
  const bare = aSnapshot(shape);
  const [made] = plan(bare, { now }).revisions;
  if (made?.kind !== 'CreateRevision') throw new Error('no revision is planned');
  const { revision } = made.attempt;
  const { name } = revision.metadata;
  const own = Object.entries(children).map(([subset, { replicas, ready = replicas, pods = [] }]): Child => ({
    subset,
    pods,
    object: {
      metadata: {
        name: `web-${subset}`,
        labels: { [labels.subsetName]: subset, [labels.revision]: name },
        annotations: { [annotations.subsetPatch]: '' },
      },
      spec: { replicas },
      status: { replicas, readyReplicas: ready },
    },
  }));
  return { seen: { ...bare, revisions: [revision], children: own }, revision: name };
}

describe('a plan', () => {
  it('is for the revision alone while there is none', () => {
    const { seen } = seenOf({ replicas: 4 });
    const { revisions, creations, giving, status } = plan({ ...seen, revisions: [] }, { now });
    expect([revisions.length, creations.length, giving(none).updates.length]).toEqual([1, 0, 0]);
    expect(status.subsetStatuses).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  it('has nothing to do where all is as wanted', () => {
    const { seen } = seenOf({ replicas: 4 }, { a: { replicas: 2 }, b: { replicas: 2 } });
    const { status, giving, ...actions } = plan(seen, { now });
    expect(giving(none)).toEqual({ updates: [], deletions: [] });
    expect(Object.values(actions).flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))).toEqual([]);
    expect(actions.requeueAfter).toBeUndefined();
    expect(status.subsetStatuses?.map(({ replicas }) => replicas)).toEqual([2, 2]);
  });

  it('keeps partitions within what a subset gets', () => {
    const { seen } = seenOf({ replicas: 3, partitions: { a: 5, b: -1 } }, { a: { replicas: 1 }, b: { replicas: 2 } });
    const { giving, status } = plan(seen, { now });
    expect(giving(none).updates.map(({ because }) => because)).toEqual(['partition 0 instead of 1']);
    expect(status.subsetStatuses?.map(({ partition = 0 }) => partition)).toEqual([1, 0]);
  });

  it('gives up no Pods for a child that cannot be made', () => {
    const { seen } = seenOf({ replicas: 6, subsets: named('a', 'b', 'c') }, { a: { replicas: 6 } });
    const { creations, giving } = plan(seen, { now });
    expect(creations).toHaveLength(2);
    expect(giving(new Set(['c'])).updates.map(({ because }) => because)).toEqual(['6 replicas instead of 4']);
    expect(giving(new Set(['b', 'c'])).updates).toEqual([]);
  });

  it('changes no children if shares do not fit, and repeats the previous report', () => {
    const status = { currentRevision: '', replicas: 0, updatedReplicas: 0, subsetStatuses: [{ name: 'a', replicas: 2, partition: 1 }] };
    const { seen } = seenOf({ replicas: 1, subsets: [{ name: 'a', replicas: 2 }], status }, { a: { replicas: 3 } });
    const { allocationFault, giving, creations, status: next } = plan(seen, { now });
    expect(allocationFault).toContain('is 2, more than spec.replicas 1');
    expect([giving(none), creations]).toEqual([{ updates: [], deletions: [] }, []]);
    expect(next.subsetStatuses).toEqual([{ name: 'a', replicas: 2, partition: 1, readyReplicas: 3 }]);
  });
});

describe('another look', () => {
  const after = (over: object, children: Readonly<Record<string, ChildShape>>, replicas = 4): number | undefined =>
    plan(seenOf({ replicas, schedule: adaptive(over) }, children).seen, { now }).requeueAfter;
  const stuck = (age: number): ChildShape => ({ replicas: 2, ready: 1, pods: [waiting(age)] });

  it.each([
    { name: 'is due when a Pod that waits may be late', given: after({}, { a: stuck(5), b: { replicas: 2 } }), then: 10_000 },
    {
      name: 'when a subset may be tried again',
      given: after({}, { a: { ...stuck(16), replicas: 0, ready: 0 }, b: { replicas: 4 } }),
      then: 20_000,
    },
    { name: 'when the Pods of a subset that grows may be late', given: after({}, { a: { replicas: 4 } }, 6), then: 15_000 },
    { name: 'and not while all is well', given: after({}, { a: { replicas: 4 }, b: { replicas: 0 } }), then: undefined },
    {
      name: 'a time of 0 asks for none when a Pod is late',
      given: after({ unschedulableDuration: 0 }, { a: { ...stuck(16), replicas: 0, ready: 0 }, b: { replicas: 4 } }),
      then: undefined,
    },
    { name: 'nor when a subset grows', given: after({ rescheduleCriticalSeconds: 0 }, { a: { replicas: 4 } }, 6), then: undefined },
  ])('$name', ({ given, then }) => {
    expect(given).toBe(then);
  });

  it('is for mode Adaptive alone', () => {
    expect(plan(seenOf({ replicas: 6 }, { a: { replicas: 2 } }).seen, { now }).requeueAfter).toBeUndefined();
  });
});
