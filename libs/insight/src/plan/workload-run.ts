/** A rollout carried out in memory: passes of the controller until it has nothing to do, then progress of the cluster, until nothing changes. */
import type { Gates } from '@kruise/api';
import { instant, type Milliseconds, type Node, type Pod } from '@kruise/objects';
import type { ResourceWriting } from '@kruise/pods';
import type { BlockingCause } from '@kruise/workloads';
import type { SimulatedBudgets } from './budgets.ts';
import type { StageOutcome } from './run-stages.ts';
import type { Act, SimulatedPods, Start } from './simulated-pods.ts';

/** What a run begins with. */
export interface RunFacts extends Start {
  readonly gates: Gates;
  readonly nodes: readonly Node[];
  readonly budgets: SimulatedBudgets;
}

/** Both ways of changing resources lead to the same Pod. */
export const resourcesOf = ({ InPlaceWorkloadVerticalScaling: isOn }: Gates): ResourceWriting => (isOn ? 'InSpec' : 'Ignored');

/** What one pass of the controller came to. */
export interface Pass {
  /** Number of actions that were carried out. */
  readonly done: number;
  /** The budget that refused an action. */
  readonly refusedBy?: string;
  /** Whether `scaleStrategy.maxUnavailable` holds Pods back. */
  readonly isScaleLimited?: boolean;
  /** What cannot be done, or what the controller would show as the cause in its status. */
  readonly blockedBy?: BlockingCause;
  readonly requeueAfter?: Milliseconds;
}

/** The parts of a plan that conclude a pass. */
interface Concluding {
  readonly housekeeping: readonly unknown[];
  readonly requeueAfter?: Milliseconds;
  readonly blockedBy?: BlockingCause;
}

/** Returns a pass from the plan and what became of its stages. @param failure what cannot be done at all */
export const passOf = (
  { housekeeping, requeueAfter, blockedBy }: Concluding,
  { done, refusedBy }: StageOutcome<unknown>,
  failure: string | undefined,
): Pass => ({
  done: done + housekeeping.length,
  ...(refusedBy === undefined ? {} : { refusedBy }),
  ...(failure === undefined ? {} : { blockedBy: { reason: 'UpdatingFails', message: failure } }),
  ...(failure !== undefined || blockedBy === undefined ? {} : { blockedBy }),
  ...(requeueAfter === undefined ? {} : { requeueAfter }),
});

/** A workload of one kind with its controller. */
export interface WorkloadRun {
  readonly pods: SimulatedPods;
  /** Called after every progress of the cluster. */
  readonly observe: () => void;
  readonly pass: () => Pass;
  /** Returns whether the Pod is of the update revision. */
  readonly isUpdated: (pod: Pod) => boolean;
}

/** What was done before the cluster had to make progress. */
export interface Round {
  readonly acts: readonly Act[];
  /** The last pass, which found nothing more to do. */
  readonly last: Pass;
}

export interface Rounds {
  readonly rounds: readonly Round[];
  /** The last pass of all. */
  readonly last: Pass;
  /** Whether the prediction ended before the rollout did. */
  readonly isCut: boolean;
}

/** More passes without progress mean that a controller would never come to rest. */
const mostPasses = 50;
/** Waits in a row, such as `minReadySeconds` or a grace period, after which nothing has changed. */
const mostWaits = 20;

function settle(run: WorkloadRun): Pass {
  let last = run.pass();
  for (let pass = 1; last.done > 0 && pass < mostPasses; pass++) last = run.pass();
  return last;
}

/** Carries out the whole rollout. @param most rounds after which the prediction ends */
export function runRounds(run: WorkloadRun, most: number): Rounds {
  const rounds: Round[] = [];
  let waits = 0;
  for (;;) {
    run.observe();
    const last = settle(run);
    const acts = run.pods.takeActs();
    if (acts.length > 0) rounds.push({ acts, last });
    if (rounds.length >= most) return { rounds, last, isCut: true };
    const isMoving = run.pods.progress() || acts.length > 0;
    waits = isMoving ? 0 : waits + 1;
    if (isMoving) continue;
    if (last.requeueAfter === undefined || waits > mostWaits) return { rounds, last, isCut: false };
    run.pods.now = instant(run.pods.now + Math.max(0, last.requeueAfter - 1000));
  }
}
