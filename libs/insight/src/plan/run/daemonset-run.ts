/** An Advanced DaemonSet with its controller's rules, carried out in memory. */
import type { DaemonSet } from '@kruise/api';
import {
  byName,
  controllerOf,
  isControlledBy,
  labelMatcherOrNothing,
  memoizedList,
  milliseconds,
  type LabelMatcher,
  type Node,
  type Pod,
} from '@kruise/objects';
import { configurable, ownerReferenceTo, plan, type Action, type Plan, type Snapshot } from '@kruise/kinds/daemonset';
import { daemonSetRevisions, nodeOf } from '@kruise/pods';
import { nodeOfAction, withHeldConfig } from '@kruise/workloads';
import type { RunStage } from './run-stages.ts';
import { chosenOf, ControllerRun, type RunFacts } from './workload-run.ts';

const areMembers = memoizedList(
  (pod: Pod, uid: string, selector: LabelMatcher): boolean =>
    isControlledBy(pod, uid) || (controllerOf(pod) === undefined && selector.matches(pod.metadata.labels)),
);

export class DaemonSetRun extends ControllerRun<DaemonSet, Action, Plan> {
  readonly #nodes: readonly Node[];
  readonly #selector: LabelMatcher;

  constructor(set: DaemonSet, facts: RunFacts) {
    super(set, facts, { adapter: daemonSetRevisions, statesOfUpdates: false, placeOf: nodeOf });
    this.#selector = labelMatcherOrNothing(set.spec.selector);
    this.#nodes = facts.nodes.toSorted(byName);
  }

  protected override plan(): Plan {
    const { gates, resources } = this;
    return plan(withHeldConfig(configurable, this.#seen()), { now: this.pods.now, gates, resources, placedByScheduler: true });
  }

  #seen(): Snapshot {
    const { metadata } = this.workload;
    return {
      set: this.workload,
      selector: this.#selector,
      pods: chosenOf(this.pods.pods, areMembers(metadata, this.pods.pods, metadata.uid ?? '', this.#selector)),
      nodes: this.#nodes,
      revisions: this.pods.history.list,
      heldRevisions: this.pods.history.byName,
      takenNames: this.pods.podNamed,
      lastDeletedFrom: (node) => this.pods.vanishedFrom.get(node) ?? '',
      refused: this.refused,
      failedPodStays: () => milliseconds(0),
    };
  }

  protected override stagesOf({ groundwork, creations, deletions, replacements, upkeep, update }: Plan): readonly RunStage<Action>[] {
    return [groundwork, creations, deletions, replacements, upkeep, update].map((actions) => ({ actions }));
  }

  protected override subjectOf = nodeOfAction;

  protected override verdictOf({ failures }: Plan): { readonly failure: string | undefined } {
    return { failure: failures.update?.message };
  }

  protected override apply(action: Action): void {
    const { pods } = this;
    switch (action.kind) {
      case 'AdoptPod':
        return pods.adopt(action.pod, ownerReferenceTo(this.workload));
      case 'CreatePod':
        return pods.create(action);
      case 'DeletePod':
      case 'DeleteFailedPod':
        return pods.delete(action);
      case 'CreateRevision':
      case 'BumpRevision':
      case 'DeleteRevision':
        return pods.history.apply(action, pods.now);
      case 'LabelRevision':
        return pods.history.label(action.revision, action.labels);
      case 'AdoptRevision':
      case 'CreateImagePullJob':
      case 'DeleteImagePullJob':
        return;
      default:
        return pods.applyToPod(action);
    }
  }
}
