/** The counters of every subset: what it has, what it misses, and what admission has promised meanwhile. Pure. @see spec/workloadspread.md 5.6 */
import type { WorkloadSpread, WorkloadSpreadSubsetStatus } from '@kruise/api';
import { isPodActive, parseTime, seconds, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import { countedAs } from './matched.ts';
import { isUnschedulable, schedulabilityOf } from './schedulable.ts';

/** A Pod that was let in and is not there by then will not come. */
const creationTimeout = seconds(30);
/** A Pod that was let go and is active by then will stay. */
const deletionTimeout = seconds(15);

/** What events report. */
export type StatusNote =
  | { readonly kind: 'CreatePodFailed' | 'DeletePodFailed'; readonly subset: string; readonly pod: string }
  | { readonly kind: 'RecoverSchedulable'; readonly subset: string };

type Times = Readonly<Record<string, string | null>>;

interface Entries {
  readonly kept: Readonly<Record<string, string>>;
  readonly expired: readonly string[];
  readonly waits: readonly Milliseconds[];
}

/** Entries by whether their time is over; one without a readable time is over. */
function sift(times: Times, timeout: Milliseconds, now: Instant): Entries {
  const kept: Record<string, string> = {};
  const expired: string[] = [];
  const waits: Milliseconds[] = [];
  for (const [id, time] of Object.entries(times)) {
    const left = (parseTime(time) ?? -Infinity) + timeout - now;
    if (time === null || left <= 0) expired.push(id);
    else {
      kept[id] = time;
      waits.push(left as Milliseconds);
    }
  }
  return { kept, expired, waits };
}

const pick = (times: Times, holds: (id: string) => boolean): Times => Object.fromEntries(Object.entries(times).filter(([id]) => holds(id)));

export interface SubsetInput {
  readonly name: string;
  /** -1 without a limit. */
  readonly limit: number;
  readonly pods: readonly Pod[];
  readonly old: WorkloadSpreadSubsetStatus | undefined;
  readonly isLast: boolean;
}

export interface SubsetOutcome {
  readonly status: WorkloadSpreadSubsetStatus;
  readonly notes: readonly StatusNote[];
  readonly failed: readonly Pod[];
  readonly waits: readonly Milliseconds[];
}

export interface Counted {
  readonly active: number;
  readonly deleting: number;
  readonly creating: number;
}

const size = (entries: Times): number => Object.keys(entries).length;
const unlessEmpty = (name: 'creatingPods' | 'deletingPods', entries: Entries['kept']) => (size(entries) === 0 ? {} : { [name]: entries });

/**
 * How many Pods the subset takes now: none while it is above its limit, also when some of them go. -1 without a limit.
 *
 * @param counted Pods that are there, of these such as go, and those that are to come
 */
export function missingOf(limit: number, { active, deleting, creating }: Counted): number {
  return Math.min(limit, Math.max(0, limit - active + deleting - creating));
}

/** @param critical how long a Pod may wait for a node; undefined where that does not matter */
export function subsetStatus(
  { name, limit, pods, old, isLast }: SubsetInput,
  critical: Milliseconds | undefined,
  now: Instant,
): SubsetOutcome {
  const counted = new Set(pods.map(countedAs));
  const active = pods.filter(isPodActive);
  const names = new Set(active.map(({ metadata }) => metadata.name));
  const deleting = sift(
    pick(old?.deletingPods ?? {}, (id) => names.has(id)),
    deletionTimeout,
    now,
  );
  const creating = sift(
    pick(old?.creatingPods ?? {}, (id) => !counted.has(id)),
    creationTimeout,
    now,
  );
  const { conditions, failed, recovered, requeueAfter } = schedulabilityOf({ pods, conditions: old?.conditions, isLast }, critical, now);
  const missingReplicas = missingOf(limit, { active: active.length, deleting: size(deleting.kept), creating: size(creating.kept) });
  const reported = (kind: 'CreatePodFailed' | 'DeletePodFailed', ids: readonly string[]) => ids.map((pod) => ({ kind, subset: name, pod }));
  return {
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...unlessEmpty('creatingPods', creating.kept),
      ...unlessEmpty('deletingPods', deleting.kept),
      missingReplicas,
      name,
      replicas: active.length,
    },
    notes: [
      ...reported('CreatePodFailed', creating.expired),
      ...reported('DeletePodFailed', deleting.expired),
      ...(recovered ? [{ kind: 'RecoverSchedulable', subset: name } as const] : []),
    ],
    failed,
    waits: [...deleting.waits, ...creating.waits, ...requeueAfter],
  };
}

/** Whether a version without Pods is still of interest: something was promised to it, or its next Pods are to go elsewhere. */
export const isInUse = (subsets: readonly WorkloadSpreadSubsetStatus[]): boolean =>
  subsets.some(
    ({ replicas, creatingPods = {}, deletingPods = {}, conditions }) =>
      replicas + size(creatingPods) + size(deletingPods) > 0 || isUnschedulable(conditions),
  );

export type VersionedStatuses = NonNullable<NonNullable<WorkloadSpread['status']>['versionedSubsetStatuses']>;
