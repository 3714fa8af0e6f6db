/** A SidecarSet with its controller's rules, carried out in memory. */
import type { SidecarSet } from '@kruise/api';
import { instant, isPodActive, type ControllerRevision, type Pod } from '@kruise/objects';
import {
  canFlip,
  completeSidecarSet,
  flippedPod,
  injectedSetsOf,
  memberOf,
  plan,
  recordsOf,
  updatedPod,
  type Action,
  type Plan,
  type Snapshot,
  type UpdateContext,
} from '@kruise/kinds/sidecarset';
import { listRevisions } from '@kruise/pods';
import type { AnyObject } from '../seen.ts';
import type { PlanFacts } from './change-plan.ts';
import { NamespacedBudgets } from './run/namespaced-budgets.ts';
import { progressed } from './run/pod-progress.ts';

/** One step of a rollout: Pods as `namespace/name`. */
interface SidecarStep {
  readonly updated: readonly string[];
  /** Pods whose former sidecar is emptied at the end of a hot upgrade. */
  readonly flipped: readonly string[];
  /** The budget that refused the change of another Pod, as `namespace/name`. */
  readonly refusedBy?: string;
}

/** What a change of a SidecarSet does to the Pods that it was injected into. */
export interface SidecarRollout {
  readonly steps: readonly SidecarStep[];
  /** Pods that the SidecarSet manages. */
  readonly matched: number;
  /** Pods that have another version in the end. */
  readonly outdated: number;
  /** Pods in which more than images would have to change: only new Pods get that. */
  readonly notUpgradable: number;
  /** The budget that refuses what is left to do, as `namespace/name`. */
  readonly refusedBy?: string;
  readonly pods: readonly Pod[];
}

const most = 2000;
/** Passes before the cluster makes progress: each but the last one writes a revision, changes a Pod, or meets another budget that refuses. */
const mostPasses = 2000;
const nameOf = ({ metadata: { namespace = '', name } }: Pod): string => `${namespace}/${name}`;
/** The manager's own namespace contains the history; which one it is decides nothing here. */
const revisionNamespace = 'kruise-system';

/** A step while it is carried out. */
interface OpenStep {
  readonly updated: Set<string>;
  readonly flipped: Set<string>;
}

class SidecarRun {
  /** The budget that refused first since the cluster made progress, as `namespace/name`. */
  refusedBy: string | undefined;
  #sidecarSet: SidecarSet;
  #pods: ReadonlyMap<string, Pod>;
  #revisions: readonly ControllerRevision[];
  #now: PlanFacts['now'];
  /** Uids of Pods that a budget refused and has not allowed since, in the order of the last refusals. */
  readonly #refused = new Map<string, number>();
  /** Uids of Pods that a budget keeps until the cluster makes progress. */
  #kept = new Set<string>();
  #refusals = 0;
  readonly #budgets: NamespacedBudgets;
  readonly #namespaces: Snapshot['namespaceLabels'];

  constructor(sidecarSet: AnyObject, facts: PlanFacts) {
    const { objects, now } = facts;
    this.#sidecarSet = completeSidecarSet(sidecarSet) as unknown as SidecarSet;
    const { name, uid = '' } = sidecarSet.metadata;
    const pods = objects.filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[];
    const own = pods.filter((pod) => isPodActive(pod) && injectedSetsOf(pod).includes(name));
    this.#pods = new Map(own.map((pod) => [nameOf(pod), pod]));
    this.#budgets = new NamespacedBudgets(own, facts);
    const held = objects.filter(({ kind }) => kind === 'ControllerRevision') as unknown as readonly ControllerRevision[];
    this.#revisions = listRevisions(held, { uid, selects: () => true });
    this.#namespaces = new Map(
      objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
    );
    this.#now = now;
  }

  get pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  plan(): Plan {
    const seen: Snapshot = {
      sidecarSet: this.#sidecarSet,
      pods: this.pods,
      namespaceLabels: this.#namespaces,
      revisions: this.#revisions,
      refused: this.#refusedOrKept,
      resting: new Set(),
      revisionNamespace,
    };
    return plan(seen, { memberOf: (pod, view) => memberOf(pod, recordsOf(pod), view) });
  }

  /** Passes until nothing is left to do, then the progress of the Pods that they changed. @returns undefined when they changed none */
  step(): SidecarStep | undefined {
    const step: OpenStep = { updated: new Set(), flipped: new Set() };
    this.#kept = new Set();
    this.refusedBy = undefined;
    this.#budgets.observe(this.pods, this.#now);
    let passes = 0;
    while (passes < mostPasses && this.#pass(step)) passes++;
    const { updated, flipped } = step;
    for (const name of new Set([...updated, ...flipped])) this.#progress(name);
    this.#now = instant(this.#now + 1000);
    if (updated.size + flipped.size === 0) return undefined;
    return { updated: [...updated], flipped: [...flipped], ...(this.refusedBy === undefined ? {} : { refusedBy: this.refusedBy }) };
  }

  /** @returns whether it did anything, so that another pass may find more */
  #pass(step: OpenStep): boolean {
    const next = this.plan();
    for (const action of next.revisions) this.#write(action);
    if (next.revisions.length > 0) return true;
    this.#sidecarSet = { ...this.#sidecarSet, status: next.status };
    const context: UpdateContext = { view: next.view, latestRevision: next.latest.metadata.name, now: this.#now };
    const before = this.#doneIn(step);
    for (const action of next.changes) {
      if (action.kind === 'UpdatePod') this.#change(action.pod, step.updated, (pod) => updatedPod(pod, context));
      if (action.kind === 'FlipPod')
        this.#change(action.pod, step.flipped, (pod) => (canFlip(pod, recordsOf(pod), next.view) ? flippedPod(pod, context) : pod));
    }
    return this.#doneIn(step) > before;
  }

  #doneIn({ updated, flipped }: OpenStep): number {
    return updated.size + flipped.size + this.#kept.size;
  }

  /** Changes a Pod once, if its budget allows it. @param done the Pods with this change */
  #change(pod: Pod, done: Set<string>, change: (pod: Pod) => Pod): void {
    const name = nameOf(pod);
    if (done.has(name) || this.#kept.has(pod.metadata.uid ?? '')) return;
    const refusedBy = this.#budgets.askUpdate(pod, this.#now);
    if (refusedBy === undefined) {
      this.#pods = new Map(this.#pods).set(name, change(this.#pods.get(name) ?? pod));
      this.#refused.delete(pod.metadata.uid ?? '');
      done.add(name);
    } else this.#refuse(pod, refusedBy);
  }

  /** Notes a refusal. The budget also keeps its other Pods, without having refused them: it allows nothing more before the cluster makes progress. */
  #refuse(pod: Pod, refusedBy: string): void {
    this.refusedBy ??= refusedBy;
    this.#refused.set(pod.metadata.uid ?? '', ++this.#refusals);
    const others = this.pods.filter((other) => this.#budgets.refusesUpdate(other, this.#now));
    for (const { metadata } of [pod, ...others]) this.#kept.add(metadata.uid ?? '');
  }

  /** In the order in which the controller handles them, after all others. */
  get #refusedOrKept(): ReadonlyMap<string, number> {
    if (this.#kept.size === 0) return this.#refused;
    const kept = [...this.#kept].filter((uid) => !this.#refused.has(uid));
    return new Map([...this.#refused, ...kept.map((uid) => [uid, Infinity] as const)]);
  }

  #progress(name: string): void {
    const nodeFor = (): string => 'node';
    const pod = this.#pods.get(name);
    if (pod !== undefined) this.#pods = new Map(this.#pods).set(name, progressed(pod, { now: this.#now, lifecycle: undefined, nodeFor }));
  }

  #write(action: Action): void {
    const made = action.kind === 'CreateRevision' ? action.attempt.revision : action.kind === 'BumpRevision' ? action.revision : undefined;
    const named = action.kind === 'NameRevision' ? { ...action.revision, metadata: { ...action.revision.metadata } } : made;
    if (named === undefined) return;
    this.#revisions = [...this.#revisions.filter(({ metadata }) => metadata.name !== named.metadata.name), named];
  }
}

/** Carries out the rollout of a SidecarSet. @param sidecarSet as the API server would hold it */
export function runSidecarSet(sidecarSet: AnyObject, facts: PlanFacts): SidecarRollout {
  const run = new SidecarRun(sidecarSet, facts);
  const steps: SidecarStep[] = [];
  for (let pass = 0; pass < most; pass++) {
    const step = run.step();
    if (step === undefined) break;
    steps.push(step);
  }
  const { status, notUpgradable } = run.plan();
  return {
    steps,
    matched: status.matchedPods,
    outdated: status.matchedPods - status.updatedPods,
    notUpgradable,
    ...(run.refusedBy === undefined ? {} : { refusedBy: run.refusedBy }),
    pods: run.pods,
  };
}
