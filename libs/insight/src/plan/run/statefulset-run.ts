/** An Advanced StatefulSet with its controller's rules, carried out in memory. */
import { parsePodOrdinal, type StatefulSet } from '@kruise/api';
import {
  controllerOf,
  isControlledBy,
  labelMatcherOrNothing,
  memoizedList,
  type LabelMatcher,
  type Node,
  type Pod,
  type StorageClass,
} from '@kruise/objects';
import { configurable, ownerReferenceTo, plan, podNameOf, type Action, type Plan, type Snapshot } from '@kruise/kinds/statefulset';
import { statefulSetRevisions } from '@kruise/pods';
import { withHeldConfig } from '@kruise/workloads';
import type { RunStage } from './run-stages.ts';
import { chosenOf, ControllerRun, type RunFacts } from './workload-run.ts';

export interface StatefulSetFacts extends RunFacts {
  readonly classes: readonly StorageClass[];
}

const areMembers = memoizedList(
  (pod: Pod, uid: string, setName: string): boolean =>
    isControlledBy(pod, uid) || (controllerOf(pod) === undefined && parsePodOrdinal(pod.metadata.name)?.parent === setName),
);

export class StatefulSetRun extends ControllerRun<StatefulSet, Action, Plan> {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  readonly #selector: LabelMatcher;

  constructor(set: StatefulSet, facts: StatefulSetFacts) {
    super(set, facts, { adapter: statefulSetRevisions, statesOfUpdates: true, placeOf: (pod) => pod.metadata.name });
    this.#nodes = new Map(facts.nodes.map((node) => [node.metadata.name, node]));
    this.#selector = labelMatcherOrNothing(set.spec.selector);
    this.#classes = new Map(facts.classes.map((one) => [one.metadata.name, one]));
  }

  protected override plan(): Plan {
    const { gates, refused, resources } = this;
    return plan(withHeldConfig(configurable, this.#seen()), { now: this.pods.now, gates, resources, refused });
  }

  #seen(): Snapshot {
    const { uid = '', name } = this.workload.metadata;
    return {
      set: this.workload,
      selector: this.#selector,
      pods: chosenOf(this.pods.pods, areMembers(this.workload.metadata, this.pods.pods, uid, name)),
      podNamed: this.pods.podNamed,
      claims: this.pods.claims.byName,
      revisions: this.pods.history.list,
      heldRevisions: this.pods.history.byName,
      classes: this.#classes,
      nodes: this.#nodes,
    };
  }

  protected override stagesOf({ groundwork, claimOwners, upkeep, slots, deletions, update }: Plan): readonly RunStage<Action>[] {
    return [groundwork, claimOwners, upkeep, slots, deletions, update].map((actions) => ({ actions }));
  }

  protected override subjectOf = podNameOf;

  protected override verdictOf({ failures }: Plan): { readonly failure: string | undefined } {
    return { failure: failures.update?.message ?? failures.scale?.message };
  }

  /** Claims grow before their Pod is updated. */
  protected override preparesPods({ status }: Plan): boolean {
    return (status.volumeClaims ?? []).some(({ compatibleReplicas }) => compatibleReplicas < status.replicas);
  }

  protected override apply(action: Action): void {
    const { pods } = this;
    switch (action.kind) {
      case 'AdoptPod':
        return pods.adopt(action.pod, ownerReferenceTo(this.workload));
      case 'CreatePod':
        pods.claims.create(action.claims);
        return pods.create(action);
      case 'CreateClaims':
        return pods.claims.create(action.claims);
      case 'SetClaimOwners':
        return pods.claims.change(action.claim, (held) => ({
          ...held,
          metadata: { ...held.metadata, ownerReferences: action.ownerReferences },
        }));
      case 'RepairPod':
        return pods.patchMetadata(action.pod, { labels: action.labels });
      case 'DeletePod':
        return pods.delete(action);
      case 'ResizeClaim':
        return pods.claims.change(action.claim, (held) => ({
          ...held,
          spec: { ...held.spec, ...(action.resources === undefined ? {} : { resources: action.resources }) },
        }));
      case 'CreateRevision':
      case 'BumpRevision':
      case 'DeleteRevision':
        return pods.history.apply(action, pods.now);
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
