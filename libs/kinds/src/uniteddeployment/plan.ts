/**
 * The rules of a UnitedDeployment: revisions first and alone, then ownership and what Pods wait for, then how many Pods each subset is to have,
 * and what has to be done to the children for it. Pure.
 * @see spec/uniteddeployment.md 5.2
 */
import type { UnitedDeploymentStatus, UnitedDeploymentSubset } from '@kruise/api';
import { earliest, type Milliseconds } from '@kruise/objects';
import type { BlockingCause, HistoryAction } from '@kruise/workloads';
import type { Action, ActionOf } from './children/action.ts';
import { allocate } from './allocate/allocate.ts';
import { blockingOf } from './blocking.ts';
import {
  easings,
  isReserve,
  judge,
  partitionIn,
  revisionOfChild,
  seenForAllocation,
  settled,
  type Judged,
  type Round,
} from './children/judged.ts';
import { modeOf } from './snapshot/modes.ts';
import { planCreations, planGiving, planOwnership, planStrays, planStuckPods, type Giving, type Wanted } from './children/plan-children.ts';
import { planOldRevisions, planRevisionAdoption, planUnitedRevisions } from './revisions.ts';
import type { SubsetStatus } from './nodes/schedulable.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { computeStatus, type Counted, type SubsetResult } from './status.ts';

export interface Plan {
  /** When there are any, nothing else is done. */
  readonly revisions: readonly Action[];
  /** Ownership, and the labels that say which Pods are reserved. */
  readonly groundwork: readonly Action[];
  readonly creations: readonly ActionOf<'CreateChild'>[];
  /** Children of another kind, which go when those of the present one are there. */
  readonly strays: readonly ActionOf<'DeleteStray'>[];
  /** Updates and deletions, when it is known which children could not be made or changed: no Pod is given up for them. */
  readonly giving: (refused: ReadonlySet<string>) => Giving;
  readonly stuckPods: readonly ActionOf<'DeleteStuckPod'>[];
  readonly housekeeping: readonly HistoryAction[];
  /** Why no allocation is possible; the children are left unchanged. */
  readonly allocationFault?: string;
  /** What blocks children, as they report it themselves. */
  readonly blockedBy?: BlockingCause;
  readonly status: UnitedDeploymentStatus;
  readonly requeueAfter?: Milliseconds;
}

const noActions = {
  revisions: [],
  groundwork: [],
  creations: [],
  strays: [],
  giving: () => ({ updates: [], deletions: [] }),
  stuckPods: [],
  housekeeping: [],
} as const;

const subsetsOf = ({ united }: Snapshot): readonly UnitedDeploymentSubset[] => united.spec.topology?.subsets ?? [];

const planLabels = (judged: readonly Judged[]): readonly ActionOf<'ReservePod'>[] =>
  judged.flatMap(({ subset, verdict }) =>
    isReserve(verdict)
      ? verdict.labels.map(({ pod, isReserved }) => ({
          kind: 'ReservePod',
          pod,
          isReserved,
          because: isReserved ? `subset ${subset.name} has too few nodes` : 'it runs, or still has time to start',
        }))
      : [],
  );

/** A time of 0 is over at once: what changes then comes as an event. */
const earliestRequeue = (waits: readonly number[]): Pick<Plan, 'requeueAfter'> => earliest(waits.filter((wait) => wait > 0));

const heldNumbers = (held: SubsetStatus | undefined): SubsetResult => ({
  replicas: held?.replicas ?? 0,
  partition: held?.partition ?? 0,
  reserved: held?.reservedPods ?? 0,
});

/** As the status says already, also of subsets that are no longer in the spec: where nothing new can be decided. */
function heldResults({ united }: Snapshot, judged: readonly Judged[]): Counted['results'] {
  const shown = (united.status?.subsetStatuses ?? []).map((held) => [held.name ?? '', heldNumbers(held)] as const);
  const own = judged.map(({ subset, held, verdict }): readonly [string, SubsetResult] => {
    const numbers = { ...heldNumbers(held), condition: verdict?.condition };
    return [subset.name, isReserve(verdict) ? { ...numbers, reserved: verdict.reserved } : numbers];
  });
  return new Map([...shown, ...own]);
}

/** Everything after the revisions and the verdicts. */
function planSubsets(round: Round, judged: readonly Judged[], revisions: { readonly current: string; readonly updated: string }): Plan {
  const { seen, mode, context } = round;
  const waits = judged.flatMap(({ verdict }) => verdict?.waits ?? []);
  const groundwork = [...planOwnership(seen), ...planRevisionAdoption(seen), ...planLabels(judged)];
  const allocation = allocate(judged.map(seenForAllocation), seen.united.spec.replicas ?? 1, mode.kind);
  const statusWith = (results: Counted['results']): UnitedDeploymentStatus =>
    computeStatus(seen, { mode, results, ...revisions }, context.now);
  if (allocation.kind === 'Impossible') {
    const status = statusWith(heldResults(seen, judged));
    return { ...noActions, groundwork, status, allocationFault: allocation.why, ...earliestRequeue(waits) };
  }
  const eased = easings(round, judged, allocation.replicas);
  const wanted = judged.map(({ subset }, at): Wanted => {
    const replicas = allocation.replicas[at] ?? 0;
    const { extraReplicas = 0, uncounted = 0 } = eased[at] ?? {};
    return { subset, replicas: replicas + extraReplicas, partition: Math.min(partitionIn(seen, subset.name), replicas), uncounted };
  });
  const results = judged.map((one, at): readonly [string, SubsetResult] => {
    const replicas = allocation.replicas[at] ?? 0;
    const { partition = 0 } = wanted[at] ?? {};
    const verdict = settled(one, replicas);
    const reserved = isReserve(verdict) ? verdict.reserved : 0;
    return [one.subset.name, { replicas, partition, reserved, condition: verdict?.condition }];
  });
  const creations = planCreations(seen, revisions.updated, wanted);
  const grows = judged.some(({ child }, at) => (child?.object.spec?.replicas ?? 0) < (wanted[at]?.replicas ?? 0));
  const status = statusWith(new Map(results));
  const blockedBy = blockingOf(judged);
  const inUse = new Set([status.currentRevision, revisions.updated, ...seen.children.map(revisionOfChild)]);
  return {
    ...noActions,
    groundwork,
    creations,
    strays: planStrays(seen),
    giving: (refused) => planGiving(seen, revisions.updated, wanted, refused),
    stuckPods: planStuckPods(seen, revisions.updated),
    housekeeping: planOldRevisions(seen, inUse),
    status,
    ...(blockedBy === undefined ? {} : { blockedBy }),
    ...earliestRequeue([...waits, ...(grows && mode.kind !== 'Fixed' ? [mode.critical] : [])]),
  };
}

/** Equal facts give an equal plan. */
export function plan(seen: Snapshot, context: Context): Plan {
  const mode = modeOf(seen.united);
  const { update, current, actions } = planUnitedRevisions(seen);
  const revisions = { current: current.metadata.name, updated: update.metadata.name };
  const round: Round = { seen, mode, revision: revisions.updated, context };
  const judged = subsetsOf(seen).map((subset) => judge(round, subset));
  if (actions.length === 0) return planSubsets(round, judged, revisions);
  const status = computeStatus(seen, { mode, results: heldResults(seen, judged), ...revisions }, context.now);
  return { ...noActions, revisions: actions, status };
}
