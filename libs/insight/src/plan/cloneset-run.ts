/** A CloneSet with its controller's rules, carried out in memory. */
import type { CloneSet } from '@kruise/api';
import { byName, isControlledBy, isOwnedBy, labelMatcherOrNothing, type Node, type Pod } from '@kruise/objects';
import {
  configurable,
  adapterOf,
  isOf,
  newClaims,
  plan,
  subjectOf,
  instanceIdOf,
  type Action,
  type Context,
  type Plan,
  type Snapshot,
} from '@kruise/kinds/cloneset';
import { mountsOf, withHeldConfig } from '@kruise/workloads';
import { runStage, sumOf, type StageOutcome } from './run-stages.ts';
import { SimulatedPods } from './simulated-pods.ts';
import { passOf, resourcesOf, type Pass, type RunFacts, type WorkloadRun } from './workload-run.ts';

export class CloneSetRun implements WorkloadRun {
  readonly pods: SimulatedPods;
  readonly #facts: RunFacts;
  readonly #nodes: ReadonlyMap<string, Node>;
  #cloneSet: CloneSet;
  /** Subjects whose update a budget refused since the cluster made progress. */
  #refused = new Map<string, number>();
  #mounts: { readonly pods: readonly Pod[]; readonly index: ReturnType<typeof mountsOf> } | undefined;

  constructor(cloneSet: CloneSet, facts: RunFacts) {
    this.#cloneSet = cloneSet;
    this.#facts = facts;
    this.#nodes = new Map(facts.nodes.map((node) => [node.metadata.name, node]));
    const { lifecycle } = cloneSet.spec;
    const uid = cloneSet.metadata.uid ?? '';
    const writing = {
      adapter: adapterOf(facts),
      resources: resourcesOf(facts.gates),
      statesOfUpdates: true,
      lifecycle,
      uid,
      placeOf: () => undefined,
    };
    this.pods = new SimulatedPods(writing, facts);
  }

  get #context(): Context {
    const { gates } = this.#facts;
    return { now: this.pods.now, gates, excludePreparingDelete: false, resources: resourcesOf(gates) };
  }

  #seen(): Snapshot {
    const { metadata, spec } = this.#cloneSet;
    const { uid = '' } = metadata;
    const all = this.pods.pods;
    const names = this.pods.podNamed;
    return {
      cloneSet: this.#cloneSet,
      selector: labelMatcherOrNothing(spec.selector),
      pods: all.filter((pod) => isOwnedBy(pod, uid)),
      claims: [...this.pods.claims.values()].filter((claim) => isControlledBy(claim, uid)).toSorted(byName),
      revisions: this.pods.revisions,
      heldRevisions: this.pods.revisionNamed,
      nodes: this.#nodes,
      takenNames: { has: (name) => names.has(name) && !isOwnedBy(names.get(name) as Pod, uid) },
      mounts: { get: (claim) => this.#mountsOf(all).get(claim) },
      refused: this.#refused,
      lastVanished: this.pods.lastVanished,
    };
  }

  /** Few passes have a claim without a Pod: the others need no index. */
  #mountsOf(pods: readonly Pod[]): ReturnType<typeof mountsOf> {
    if (this.#mounts?.pods !== pods) this.#mounts = { pods, index: mountsOf(pods) };
    return this.#mounts.index;
  }

  observe(): void {
    this.#refused = new Map();
    this.#facts.budgets.observe(this.pods.pods, this.pods.now);
  }

  isUpdated(pod: Pod): boolean {
    return isOf(this.#context, pod, this.#cloneSet.status?.updateRevision ?? '');
  }

  pass(): Pass {
    const next = plan(withHeldConfig(configurable, this.#seen()), this.#context);
    for (const action of next.revisions) this.#apply(action);
    if (next.revisions.length > 0) return { done: next.revisions.length };
    const outcome = this.#carryOut(next);
    for (const action of outcome.refused) this.#refused.set(subjectOf(action) ?? '', this.#refused.size + 1);
    this.#cloneSet = { ...this.#cloneSet, status: next.status };
    for (const action of next.housekeeping) this.#apply(action);
    const isScaleLimited = next.notes.some(({ kind }) => kind === 'ScaleUpLimited');
    return { ...passOf(next, outcome, next.updateFailure), isScaleLimited };
  }

  #carryOut({ groundwork, scale, update }: Plan): StageOutcome<Action> {
    const guarding = { budgets: this.#facts.budgets, now: this.pods.now };
    const run = (actions: readonly Action[]): StageOutcome<Action> => runStage(actions, (action) => this.#apply(action), guarding);
    const first = sumOf([run(groundwork), run(scale)]);
    return scale.length > 0 ? first : sumOf([first, run(update)]);
  }

  #apply(action: Action): void {
    const { pods } = this;
    switch (action.kind) {
      case 'CreatePod': {
        const held = new Set(action.claims.map(({ metadata }) => metadata.name));
        const all = newClaims(this.#cloneSet, instanceIdOf(action.pod)).filter(({ metadata }) => !held.has(metadata.name));
        pods.createClaims([...action.claims, ...all]);
        return pods.create(action);
      }
      case 'DeletePod':
        pods.delete(action);
        return pods.deleteClaims(action.claims);
      case 'RecreatePod':
        return pods.mark(action.pod, action.revision);
      case 'UnmarkPod':
        return pods.mark(action.pod, null);
      case 'HandOverClaim':
        return pods.changeClaim(action.claim, (held) => ({
          ...held,
          metadata: { ...held.metadata, ownerReferences: action.ownerReferences },
        }));
      case 'DeleteClaim':
        return pods.deleteClaims([action.claim]);
      case 'SetPodsToDelete': {
        const { spec } = this.#cloneSet;
        this.#cloneSet = { ...this.#cloneSet, spec: { ...spec, scaleStrategy: { ...spec.scaleStrategy, podsToDelete: action.names } } };
        return;
      }
      case 'CreateRevision':
      case 'BumpRevision':
      case 'DeleteRevision':
        return pods.applyHistory(action);
      case 'CreateImagePullJob':
      case 'DeleteImagePullJob':
      case 'LabelRevision':
        return;
      default:
        return pods.applyToPod(action);
    }
  }
}
