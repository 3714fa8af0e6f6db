/** An Advanced DaemonSet with its controller's rules, carried out in memory. */
import type { DaemonSet } from '@kruise/api';
import { byName, controllerOf, isControlledBy, labelMatcherOrNothing, milliseconds, type Pod } from '@kruise/objects';
import { configurable, ownerReferenceTo, plan, type Action, type Context, type Plan, type Snapshot } from '@kruise/kinds/daemonset';
import { daemonSetRevisions, isOfRevision, nodeOf } from '@kruise/pods';
import { nodeOfAction, withHeldConfig } from '@kruise/workloads';
import { runStage, sumOf, type StageOutcome } from './run-stages.ts';
import { SimulatedPods } from './simulated-pods.ts';
import { passOf, resourcesOf, type Pass, type RunFacts, type WorkloadRun } from './workload-run.ts';

export class DaemonSetRun implements WorkloadRun {
  readonly pods: SimulatedPods;
  readonly #facts: RunFacts;
  #set: DaemonSet;
  #refused = new Map<string, number>();

  constructor(set: DaemonSet, facts: RunFacts) {
    this.#set = set;
    this.#facts = { ...facts, nodes: facts.nodes.toSorted(byName) };
    const { lifecycle } = set.spec;
    const [uid, resources] = [set.metadata.uid ?? '', resourcesOf(facts.gates)];
    const writing = { adapter: daemonSetRevisions, resources, statesOfUpdates: false, lifecycle, uid, placeOf: nodeOf };
    this.pods = new SimulatedPods(writing, facts);
  }

  get #context(): Context {
    const { gates } = this.#facts;
    return { now: this.pods.now, gates, resources: resourcesOf(gates), placedByScheduler: true };
  }

  #seen(): Snapshot {
    const { metadata, spec } = this.#set;
    const { uid = '' } = metadata;
    const selector = labelMatcherOrNothing(spec.selector);
    const isMember = (pod: Pod): boolean =>
      isControlledBy(pod, uid) || (controllerOf(pod) === undefined && selector.matches(pod.metadata.labels));
    return {
      set: this.#set,
      selector,
      pods: this.pods.pods.filter(isMember),
      nodes: this.#facts.nodes,
      revisions: this.pods.revisions,
      heldRevisions: this.pods.revisionNamed,
      takenNames: this.pods.podNamed,
      lastGoneFrom: (node) => this.pods.vanishedFrom.get(node) ?? '',
      refused: this.#refused,
      failedPodStays: () => milliseconds(0),
    };
  }

  observe(): void {
    this.#refused = new Map();
    this.#facts.budgets.observe(this.pods.pods, this.pods.now);
  }

  isUpdated(pod: Pod): boolean {
    return isOfRevision(daemonSetRevisions, pod, this.#set.status?.updateRevision ?? '');
  }

  pass(): Pass {
    const next = plan(withHeldConfig(configurable, this.#seen()), this.#context);
    for (const action of next.revisions) this.#apply(action);
    if (next.revisions.length > 0) return { done: next.revisions.length };
    const outcome = this.#carryOut(next);
    for (const action of outcome.refused) this.#refused.set(nodeOfAction(action) ?? '', this.#refused.size + 1);
    this.#set = { ...this.#set, status: next.status };
    for (const action of next.housekeeping) this.#apply(action);
    return passOf(next, outcome, next.failures.update?.message);
  }

  #carryOut({ groundwork, creations, deletions, replacements, upkeep, update }: Plan): StageOutcome<Action> {
    const guarding = { budgets: this.#facts.budgets, now: this.pods.now };
    const stages = [groundwork, creations, deletions, replacements, upkeep, update];
    return sumOf(stages.map((actions) => runStage(actions, (action) => this.#apply(action), guarding)));
  }

  #apply(action: Action): void {
    const { pods } = this;
    switch (action.kind) {
      case 'AdoptPod':
        return pods.adopt(action.pod, ownerReferenceTo(this.#set));
      case 'CreatePod':
        return pods.create(action);
      case 'DeletePod':
      case 'DeleteFailedPod':
        return pods.delete(action);
      case 'CreateRevision':
      case 'BumpRevision':
      case 'DeleteRevision':
        return pods.applyHistory(action);
      case 'LabelRevision':
        return pods.labelRevision(action.revision, action.labels);
      case 'AdoptRevision':
      case 'CreateImagePullJob':
      case 'DeleteImagePullJob':
        return;
      default:
        return pods.applyToPod(action);
    }
  }
}
