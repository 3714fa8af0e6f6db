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
import { noneRefused } from '@kruise/workloads';
import type { AnyObject } from '../seen.ts';
import type { PlanFacts } from './change-plan.ts';
import { progressed } from './run/pod-progress.ts';

/** One step of a rollout: Pods as `namespace/name`. */
interface SidecarStep {
  readonly updated: readonly string[];
  /** Pods whose former sidecar is emptied at the end of a hot upgrade. */
  readonly flipped: readonly string[];
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
  readonly pods: readonly Pod[];
}

const most = 2000;
const nameOf = ({ metadata: { namespace = '', name } }: Pod): string => `${namespace}/${name}`;
/** The manager's own namespace contains the history; which one it is decides nothing here. */
const revisionNamespace = 'kruise-system';

class SidecarRun {
  #sidecarSet: SidecarSet;
  #pods: ReadonlyMap<string, Pod>;
  #revisions: readonly ControllerRevision[];
  #now: PlanFacts['now'];
  readonly #namespaces: Snapshot['namespaceLabels'];

  constructor(sidecarSet: AnyObject, { objects, now }: PlanFacts) {
    this.#sidecarSet = completeSidecarSet(sidecarSet) as unknown as SidecarSet;
    const { name, uid = '' } = sidecarSet.metadata;
    const pods = objects.filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[];
    const own = pods.filter((pod) => isPodActive(pod) && injectedSetsOf(pod).includes(name));
    this.#pods = new Map(own.map((pod) => [nameOf(pod), pod]));
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
      refused: noneRefused,
      resting: new Set(),
      revisionNamespace,
    };
    return plan(seen, { memberOf: (pod, view) => memberOf(pod, recordsOf(pod), view) });
  }

  /** One pass, and the progress of the Pods that it changes. @returns undefined when nothing is left to do */
  step(): SidecarStep | undefined {
    const next = this.plan();
    for (const action of next.revisions) this.#write(action);
    if (next.revisions.length > 0) return { updated: [], flipped: [] };
    this.#sidecarSet = { ...this.#sidecarSet, status: next.status };
    const context: UpdateContext = { view: next.view, latestRevision: next.latest.metadata.name, now: this.#now };
    const step = { updated: [] as string[], flipped: [] as string[] };
    for (const action of next.changes) {
      if (action.kind === 'UpdatePod') step.updated.push(this.#change(action.pod, (pod) => updatedPod(pod, context)));
      if (action.kind === 'FlipPod')
        step.flipped.push(this.#change(action.pod, (pod) => (canFlip(pod, recordsOf(pod), next.view) ? flippedPod(pod, context) : pod)));
    }
    this.#now = instant(this.#now + 1000);
    return next.changes.length === 0 ? undefined : step;
  }

  #change(pod: Pod, change: (pod: Pod) => Pod): string {
    const nodeFor = (): string => 'node';
    const next = progressed(change(pod), { now: this.#now, lifecycle: undefined, nodeFor });
    this.#pods = new Map(this.#pods).set(nameOf(pod), next);
    return nameOf(pod);
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
    if (step.updated.length + step.flipped.length > 0) steps.push(step);
  }
  const { status, notUpgradable } = run.plan();
  return {
    steps,
    matched: status.matchedPods,
    outdated: status.matchedPods - status.updatedPods,
    notUpgradable,
    pods: run.pods,
  };
}
