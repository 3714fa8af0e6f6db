/** A CloneSet with its controller's rules, carried out in memory. */
import type { CloneSet } from '@kruise/api';
import {
  isControlledBy,
  isOwnedBy,
  labelMatcherOrNothing,
  memoized,
  memoizedList,
  type LabelMatcher,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import {
  configurable,
  adapterOf,
  deletionMark,
  instanceIdOf,
  newClaims,
  noDeletionMark,
  plan,
  subjectOf,
  type Action,
  type Context,
  type Plan,
  type Snapshot,
} from '@kruise/kinds/cloneset';
import { claimsMountedBy, withHeldConfig } from '@kruise/workloads';
import type { RunStage } from './run-stages.ts';
import { chosenOf, ControllerRun, type RunFacts } from './workload-run.ts';

const areOwned = memoizedList((claim: PersistentVolumeClaim, uid: string): boolean => isControlledBy(claim, uid));

/** Names of the claims that each Pod mounts. The list of Pods may change at two distant places, and each Pod is read once nevertheless. */
const mountedBy = memoizedList(memoized((pod: Pod): readonly string[] => claimsMountedBy(pod)));

export class CloneSetRun extends ControllerRun<CloneSet, Action, Plan> {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #selector: LabelMatcher;
  /** Whether Pods without the CloneSet as an owner are among them. */
  #hasOthers: boolean;

  constructor(cloneSet: CloneSet, facts: RunFacts) {
    super(cloneSet, facts, { adapter: adapterOf(facts), statesOfUpdates: true, placeOf: () => undefined });
    this.#nodes = new Map(facts.nodes.map((node) => [node.metadata.name, node]));
    this.#selector = labelMatcherOrNothing(cloneSet.spec.selector);
    this.#hasOthers = facts.pods.some((pod) => !isOwnedBy(pod, cloneSet.metadata.uid ?? ''));
  }

  protected override plan(): Plan {
    const { gates, resources } = this;
    const context: Context = { now: this.pods.now, gates, excludePreparingDelete: false, resources };
    return plan(withHeldConfig(configurable, this.#seen()), context);
  }

  #seen(): Snapshot {
    const { uid = '' } = this.workload.metadata;
    const all = this.pods.pods;
    const names = this.pods.podNamed;
    return {
      cloneSet: this.workload,
      selector: this.#selector,
      pods: this.#hasOthers ? all.filter((pod) => isOwnedBy(pod, uid)) : all,
      claims: this.#ownClaims(uid),
      revisions: this.pods.history.list,
      heldRevisions: this.pods.history.byName,
      nodes: this.#nodes,
      takenNames: { has: (name) => names.has(name) && !isOwnedBy(names.get(name) as Pod, uid) },
      mounts: { get: (claim) => this.#usersOf(claim, all) },
      refused: this.refused,
      lastVanished: this.pods.lastVanished,
    };
  }

  #usersOf(claim: string, pods: readonly Pod[]): readonly Pod[] {
    const mounted = mountedBy(this.workload.metadata, pods);
    // Entered for each Pod and each claim: a loop without calls is ten times as fast.
    const users: Pod[] = [];
    for (let index = 0; index < pods.length; index++) for (const name of mounted[index]!) if (name === claim) users.push(pods[index]!);
    return users;
  }

  #ownClaims(uid: string): Snapshot['claims'] {
    const all = this.pods.claims.list;
    return chosenOf(all, areOwned(this.workload.metadata, all, uid));
  }

  /** Updates go on when a budget refuses everything that scaling would do. */
  protected override stagesOf({ groundwork, scale, update }: Plan): readonly RunStage<Action>[] {
    return [{ actions: groundwork }, { actions: scale }, { actions: update, isAlternative: true }];
  }

  protected override subjectOf = subjectOf;

  protected override verdictOf({ notes, updateFailure }: Plan): { readonly failure: string | undefined; readonly isScaleLimited: boolean } {
    return { failure: updateFailure, isScaleLimited: notes.some(({ kind }) => kind === 'ScaleUpLimited') };
  }

  protected override apply(action: Action): void {
    const { pods } = this;
    switch (action.kind) {
      case 'CreatePod': {
        const held = new Set(action.claims.map(({ metadata }) => metadata.name));
        const all = newClaims(this.workload, instanceIdOf(action.pod)).filter(({ metadata }) => !held.has(metadata.name));
        pods.claims.create([...action.claims, ...all]);
        return pods.create(action);
      }
      case 'DeletePod':
        pods.delete(action);
        return pods.claims.delete(action.claims);
      case 'RecreatePod':
        return pods.patchMetadata(action.pod, deletionMark(action.revision));
      case 'UnmarkPod':
        return pods.patchMetadata(action.pod, noDeletionMark);
      case 'HandOverClaim':
        return pods.claims.change(action.claim, (held) => ({
          ...held,
          metadata: { ...held.metadata, ownerReferences: action.ownerReferences },
        }));
      case 'DeleteClaim':
        return pods.claims.delete([action.claim]);
      case 'SetPodsToDelete': {
        const { spec } = this.workload;
        this.workload = { ...this.workload, spec: { ...spec, scaleStrategy: { ...spec.scaleStrategy, podsToDelete: action.names } } };
        return;
      }
      case 'CreateRevision':
      case 'BumpRevision':
      case 'DeleteRevision':
        return pods.history.apply(action, pods.now);
      case 'CreateImagePullJob':
      case 'DeleteImagePullJob':
      case 'LabelRevision':
        return;
      case 'ReleasePod':
        this.#hasOthers = true;
        return pods.applyToPod(action);
      default:
        return pods.applyToPod(action);
    }
  }
}
