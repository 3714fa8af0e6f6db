/** A rollout carried out in memory: passes of the controller until it has nothing to do, then progress of the cluster, until nothing changes. */
import type { Gates, Lifecycle } from '@kruise/api';
import { deepCopy, deepFreeze, instant, type Milliseconds, type Node, type Pod } from '@kruise/objects';
import { isOfRevision, type ResourceWriting } from '@kruise/pods';
import type { BlockingCause, WorkloadPlan } from '@kruise/workloads';
import type { SimulatedBudgets } from './budgets.ts';
import { runStages, sumOf, type Planned, type RunStage } from './run-stages.ts';
import { SimulatedPods, type Act, type Start, type Writing } from './simulated-pods.ts';

/** What a run begins with. */
export interface RunFacts extends Start {
  readonly gates: Gates;
  readonly nodes: readonly Node[];
  readonly budgets: SimulatedBudgets;
}

/** What one pass of the controller came to. */
export interface Pass {
  /** Number of actions that were carried out. */
  readonly done: number;
  /** Whether another pass begins with other Pods than those that a budget has just refused. */
  readonly hasOthers?: boolean;
  /** The budget that refused an action. */
  readonly refusedBy?: string;
  /** Whether `scaleStrategy.maxUnavailable` holds Pods back. */
  readonly isScaleLimited?: boolean;
  /** What cannot be done, or what the controller would show as the cause in its status. */
  readonly blockedBy?: BlockingCause;
  readonly requeueAfter?: Milliseconds;
}

/** A workload of one kind with its controller. */
export interface WorkloadRun {
  readonly pods: SimulatedPods;
  /** Called after every progress of the cluster. */
  readonly observe: () => void;
  readonly pass: () => Pass;
  /** Returns whether the Pod is of the update revision. */
  readonly isUpdated: (pod: Pod) => boolean;
}

/** A workload of a kind whose Pods are written as its controller writes them. */
interface Workload {
  readonly metadata: { readonly uid?: string };
  readonly spec: { readonly lifecycle?: Lifecycle };
  readonly status?: { readonly updateRevision?: string };
}

/** What a kind adds to a pass. */
interface Verdict {
  /** Why the plan cannot be carried out at all. */
  readonly failure: string | undefined;
  readonly isScaleLimited?: boolean;
}

/** Returns the objects that are chosen; the same list when all of them are. @param isChosen by index */
export const chosenOf = <T>(objects: readonly T[], isChosen: readonly boolean[]): readonly T[] =>
  isChosen.includes(false) ? objects.filter((_, index) => isChosen[index]) : objects;

/** The passes of one controller in memory. A kind adds how its plan is made, the order of its stages, and what its actions do. */
export abstract class ControllerRun<
  W extends Workload,
  A extends Planned,
  P extends WorkloadPlan<A, NonNullable<W['status']>>,
> implements WorkloadRun {
  readonly pods: SimulatedPods;
  protected workload: W;
  /** Subjects of actions that a budget refused since the cluster made progress, or while Pods are prepared, in the order of the refusals. */
  protected refused = new Map<string, number>();
  protected readonly gates: Gates;
  protected readonly resources: ResourceWriting;
  #keepsRefused = false;
  readonly #budgets: SimulatedBudgets;
  readonly #adapter: Writing['adapter'];

  constructor(workload: W, facts: RunFacts, writing: Pick<Writing, 'adapter' | 'statesOfUpdates' | 'placeOf'>) {
    const { metadata, spec } = workload;
    // Frozen as in a store, so that what is computed from it is remembered.
    this.workload = deepFreeze(deepCopy(workload) as unknown as W);
    this.gates = facts.gates;
    // Both ways of changing resources lead to the same Pod.
    this.resources = facts.gates.InPlaceWorkloadVerticalScaling ? 'InSpec' : 'Ignored';
    this.#budgets = facts.budgets;
    this.#adapter = writing.adapter;
    this.pods = new SimulatedPods({ ...writing, resources: this.resources, lifecycle: spec.lifecycle, uid: metadata.uid ?? '' }, facts);
  }

  protected abstract plan(): P;
  /** Returns the stages of a plan that changes no revision, in order. */
  protected abstract stagesOf(plan: P): readonly RunStage<A>[];
  /** Returns what a refusal of the action is remembered by. */
  protected abstract subjectOf(action: A): string | undefined;
  protected abstract verdictOf(plan: P): Verdict;
  protected abstract apply(action: A): void;
  /** Returns whether the kind prepares a Pod before it is updated, so that there is something to do for others while a budget refuses one. */
  protected preparesPods(_plan: P): boolean {
    return false;
  }

  observe(): void {
    if (!this.#keepsRefused) this.refused = new Map();
    this.#budgets.observe(this.pods.pods, this.pods.now);
  }

  isUpdated(pod: Pod): boolean {
    return isOfRevision(this.#adapter, pod, this.workload.status?.updateRevision ?? '');
  }

  pass(): Pass {
    const next = this.plan();
    for (const action of next.revisions) this.apply(action);
    if (next.revisions.length > 0) return { done: next.revisions.length };
    const guarding = { budgets: this.#budgets, now: this.pods.now };
    const outcome = sumOf(runStages(this.stagesOf(next), (action) => this.apply(action), guarding));
    const known = this.refused.size;
    for (const action of outcome.refused) this.refused.set(this.subjectOf(action) ?? '', this.refused.size + 1);
    this.workload = { ...this.workload, status: next.status };
    for (const action of next.housekeeping) this.apply(action);
    this.#keepsRefused = this.preparesPods(next);
    return { ...this.#conclude(next, outcome), hasOthers: this.#keepsRefused && this.refused.size > known };
  }

  #conclude(next: P, { done, refusedBy }: { readonly done: number; readonly refusedBy?: string }): Pass {
    const { blockedBy, housekeeping, requeueAfter } = next;
    const { failure, ...more } = this.verdictOf(next);
    return {
      ...more,
      done: done + housekeeping.length,
      ...(refusedBy === undefined ? {} : { refusedBy }),
      ...(failure === undefined ? {} : { blockedBy: { reason: 'UpdatingFails', message: failure } }),
      ...(failure !== undefined || blockedBy === undefined ? {} : { blockedBy }),
      ...(requeueAfter === undefined ? {} : { requeueAfter }),
    };
  }
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
  for (let pass = 1; (last.done > 0 || last.hasOthers === true) && pass < mostPasses; pass++) last = run.pass();
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
