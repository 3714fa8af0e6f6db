/** An Advanced StatefulSet with its controller's rules, carried out in memory. */
import type { StatefulSet } from '@kruise/api';
import { controllerOf, isControlledBy, labelMatcherOrNothing, type Node, type Pod, type StorageClass } from '@kruise/objects';
import {
  configurable,
  ordinalOf,
  ownerReferenceTo,
  plan,
  podNameOf,
  type Action,
  type Context,
  type Plan,
  type Snapshot,
} from '@kruise/kinds/statefulset';
import { isOfRevision, statefulSetRevisions } from '@kruise/pods';
import { withHeldConfig } from '@kruise/workloads';
import { runStage, sumOf, type StageOutcome } from './run-stages.ts';
import { SimulatedPods } from './simulated-pods.ts';
import { passOf, resourcesOf, type Pass, type RunFacts, type WorkloadRun } from './workload-run.ts';

export interface StatefulSetFacts extends RunFacts {
  readonly classes: readonly StorageClass[];
}

export class StatefulSetRun implements WorkloadRun {
  readonly pods: SimulatedPods;
  readonly #facts: StatefulSetFacts;
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  #set: StatefulSet;
  #refused = new Map<string, number>();

  constructor(set: StatefulSet, facts: StatefulSetFacts) {
    this.#set = set;
    this.#facts = facts;
    this.#nodes = new Map(facts.nodes.map((node) => [node.metadata.name, node]));
    this.#classes = new Map(facts.classes.map((one) => [one.metadata.name, one]));
    const { lifecycle } = set.spec;
    const [uid, resources] = [set.metadata.uid ?? '', resourcesOf(facts.gates)];
    const writing = {
      adapter: statefulSetRevisions,
      resources,
      statesOfUpdates: true,
      lifecycle,
      uid,
      placeOf: (pod: Pod) => pod.metadata.name,
    };
    this.pods = new SimulatedPods(writing, facts);
  }

  get #context(): Context {
    const { gates } = this.#facts;
    return { now: this.pods.now, gates, resources: resourcesOf(gates), refused: this.#refused };
  }

  #seen(): Snapshot {
    const { metadata, spec } = this.#set;
    const { uid = '' } = metadata;
    const isMember = (pod: Pod): boolean =>
      isControlledBy(pod, uid) || (controllerOf(pod) === undefined && ordinalOf(this.#set, pod) !== undefined);
    return {
      set: this.#set,
      selector: labelMatcherOrNothing(spec.selector),
      pods: this.pods.pods.filter(isMember),
      podNamed: this.pods.podNamed,
      claims: this.pods.claims,
      revisions: this.pods.revisions,
      heldRevisions: this.pods.revisionNamed,
      classes: this.#classes,
      nodes: this.#nodes,
    };
  }

  observe(): void {
    this.#refused = new Map();
    this.#facts.budgets.observe(this.pods.pods, this.pods.now);
  }

  isUpdated(pod: Pod): boolean {
    return isOfRevision(statefulSetRevisions, pod, this.#set.status?.updateRevision ?? '');
  }

  pass(): Pass {
    const next = plan(withHeldConfig(configurable, this.#seen()), this.#context);
    for (const action of next.revisions) this.#apply(action);
    if (next.revisions.length > 0) return { done: next.revisions.length };
    const outcome = this.#carryOut(next);
    for (const action of outcome.refused) this.#refused.set(podNameOf(action) ?? '', this.#refused.size + 1);
    this.#set = { ...this.#set, status: next.status };
    for (const action of next.housekeeping) this.#apply(action);
    return passOf(next, outcome, next.failures.update?.message ?? next.failures.scale?.message);
  }

  #carryOut({ groundwork, claimOwners, upkeep, slots, deletions, update }: Plan): StageOutcome<Action> {
    const guarding = { budgets: this.#facts.budgets, now: this.pods.now };
    const stages = [groundwork, claimOwners, upkeep, slots, deletions, update];
    return sumOf(stages.map((actions) => runStage(actions, (action) => this.#apply(action), guarding)));
  }

  #apply(action: Action): void {
    const { pods } = this;
    switch (action.kind) {
      case 'AdoptPod':
        return pods.adopt(action.pod, ownerReferenceTo(this.#set));
      case 'CreatePod':
        pods.createClaims(action.claims);
        return pods.create(action);
      case 'CreateClaims':
        return pods.createClaims(action.claims);
      case 'SetClaimOwners':
        return pods.changeClaim(action.claim, (held) => ({
          ...held,
          metadata: { ...held.metadata, ownerReferences: action.ownerReferences },
        }));
      case 'RepairPod':
        return pods.relabel(action.pod, action.labels);
      case 'DeletePod':
        return pods.delete(action);
      case 'ResizeClaim':
        return pods.changeClaim(action.claim, (held) => ({
          ...held,
          spec: { ...held.spec, ...(action.resources === undefined ? {} : { resources: action.resources }) },
        }));
      case 'CreateRevision':
      case 'BumpRevision':
      case 'DeleteRevision':
        return pods.applyHistory(action);
      case 'AdoptRevision':
      case 'CreateImagePullJob':
      case 'DeleteImagePullJob':
      case 'LabelRevision':
        return;
      default:
        return pods.applyToPod(action);
    }
  }
}
