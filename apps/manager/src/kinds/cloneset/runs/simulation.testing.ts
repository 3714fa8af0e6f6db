/**
 * A fixture for the planner: it applies the actions of each plan as the API server would, and a simulated kubelet acts between passes.
 * Everything is deterministic; a seed may shuffle lists to show a dependence on their order.
 */
import type { CloneSet, Gates } from '@kruise/api';
import {
  formatTime,
  instant,
  isPodActive,
  type ControllerRevision,
  type Instant,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { kubeletStep, type KubeletOptions } from '../../../module/fixtures/kubelet-step.testing.ts';
import { type Action, plan, type Plan, adapterOf, deletionMark, noDeletionMark, type Context, type Snapshot } from '@kruise/kinds/cloneset';
import { aSnapshot, aContext } from '@kruise/kinds/cloneset/testing';
import { createdPod, patchedPod, podAfter, terminatingPod } from '@kruise/workloads';

export interface SimulationOptions extends KubeletOptions {
  readonly gates?: Partial<Gates>;
  /** Puts the Pods into another order before each pass. */
  readonly shuffle?: (pods: readonly Pod[]) => readonly Pod[];
  /** Pods are put on them in turn; one node without labels unless said otherwise. */
  readonly nodes?: Snapshot['nodes'];
}

/** The actions on one Pod. */
type OnPod = Extract<Action, { readonly pod: Pod }>;

export class Simulation {
  cloneSet: CloneSet;
  pods: readonly Pod[] = [];
  revisions: readonly ControllerRevision[] = [];
  /** Those that the CloneSet owns. */
  claims: readonly PersistentVolumeClaim[] = [];
  now: Instant = epoch;
  /** One line for each thing that happened. */
  readonly timeline: string[] = [];
  readonly #options: SimulationOptions;
  #uids = 0;
  #lastVanished = '';

  constructor(cloneSet: CloneSet, options: SimulationOptions = {}) {
    this.cloneSet = cloneSet;
    this.#options = options;
  }

  get context(): Context {
    return aContext(this.#options.gates, this.now);
  }

  get active(): readonly Pod[] {
    return this.pods.filter(isPodActive);
  }

  plan(): Plan {
    const ordered = this.#options.shuffle?.(this.pods) ?? this.pods;
    return plan(this.seen(ordered), this.context);
  }

  seen(pods: readonly Pod[] = this.pods): Snapshot {
    const { claims, cloneSet, revisions } = this;
    return { ...aSnapshot(cloneSet, pods, revisions), claims, nodes: this.#options.nodes ?? new Map(), lastVanished: this.#lastVanished };
  }

  /** One pass of the controller: plans, applies, writes the status. @returns the plan */
  pass(): Plan {
    const next = this.plan();
    this.apply(next.revisions);
    if (next.revisions.length > 0) return next;
    this.apply(next.groundwork);
    this.apply(next.scale);
    if (next.scale.length === 0) this.apply(next.update);
    this.cloneSet = { ...this.cloneSet, status: next.status };
    this.apply(next.housekeeping);
    return next;
  }

  /** Changes the spec as a user would. */
  change(spec: Partial<CloneSet['spec']>): void {
    const generation = (this.cloneSet.metadata.generation ?? 0) + 1;
    this.cloneSet = { ...this.cloneSet, metadata: { ...this.cloneSet.metadata, generation }, spec: { ...this.cloneSet.spec, ...spec } };
  }

  /** Deletes the CloneSet as a user would; something keeps it from going. */
  delete(): void {
    this.cloneSet = { ...this.cloneSet, metadata: { ...this.cloneSet.metadata, deletionTimestamp: formatTime(this.now) } };
  }

  apply(actions: readonly Action[]): void {
    for (const action of actions) this.#apply(action);
  }

  /** Time passes and the kubelets work. */
  tick(seconds = 1): void {
    this.now = instant(this.now + seconds * 1000);
    const stays = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0;
    this.#lastVanished = this.pods.findLast((pod) => !stays(pod))?.metadata.uid ?? this.#lastVanished;
    this.pods = this.pods.filter(stays).map((pod) => kubeletStep(this.#placed(pod), this.now, this.#options));
  }

  /** Runs passes and ticks until nothing is left to do; the last lines list what exists. */
  settle(limit = 400): void {
    for (let step = 0; step < limit; step++) {
      const before = JSON.stringify([this.pods, this.cloneSet.status]);
      const next = this.pass();
      this.tick();
      const isIdle = [next.revisions, next.groundwork, next.scale, next.update, next.housekeeping].every((actions) => actions.length === 0);
      if (isIdle && JSON.stringify([this.pods, this.cloneSet.status]) === before) return;
    }
    throw new Error(`not settled after ${limit} passes:\n${this.timeline.slice(-20).join('\n')}`);
  }

  /** Runs an hour without changes, with a pass every ten seconds. @returns what was written nevertheless: expected to be nothing */
  quietHour(): readonly string[] {
    const from = this.timeline.length;
    const status = JSON.stringify(this.cloneSet.status);
    for (let elapsed = 0; elapsed < 3600; elapsed += 10) {
      this.tick(10);
      this.pass();
    }
    return [...this.timeline.slice(from), ...(JSON.stringify(this.cloneSet.status) === status ? [] : ['the status'])];
  }

  #placed(pod: Pod): Pod {
    const names = [...(this.#options.nodes?.keys() ?? [])];
    const nodeName = names[Number(pod.metadata.uid?.slice('uid-'.length)) % names.length];
    return nodeName === undefined || pod.spec.nodeName !== undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName } };
  }

  #dropClaims(deleted: readonly PersistentVolumeClaim[]): void {
    const names = new Set(deleted.map(({ metadata }) => metadata.name));
    this.claims = this.claims.filter(({ metadata }) => !names.has(metadata.name));
  }

  #record(action: string, because: string): void {
    this.timeline.push(`${String(Math.round((this.now - epoch) / 1000)).padStart(3)}s ${action} (${because})`);
  }

  #replace(pod: Pod): void {
    this.pods = this.pods.map((held) => (held.metadata.uid === pod.metadata.uid ? pod : held));
  }

  #held(pod: Pod): Pod {
    return this.pods.find(({ metadata }) => metadata.uid === pod.metadata.uid) ?? pod;
  }

  #apply(action: Action): void {
    switch (action.kind) {
      case 'CreateRevision':
        this.revisions = [
          ...this.revisions,
          { ...action.attempt.revision, metadata: { ...action.attempt.revision.metadata, creationTimestamp: formatTime(this.now) } },
        ];
        return this.#record(`CreateRevision ${action.attempt.revision.revision}`, action.because);
      case 'BumpRevision':
        this.revisions = [...this.revisions.filter(({ metadata }) => metadata.name !== action.revision.metadata.name), action.revision];
        return this.#record(`BumpRevision to ${action.revision.revision}`, action.because);
      case 'DeleteRevision':
        this.revisions = this.revisions.filter(({ metadata }) => metadata.name !== action.revision.metadata.name);
        return this.#record(`DeleteRevision ${action.revision.revision}`, action.because);
      case 'SetPodsToDelete':
        this.change({ scaleStrategy: { ...this.cloneSet.spec.scaleStrategy, podsToDelete: action.names } });
        return this.#record('SetPodsToDelete', action.because);
      case 'HandOverClaim':
      case 'DeleteClaim':
        return this.#dropClaims([action.claim]);
      case 'CreateImagePullJob':
      case 'DeleteImagePullJob':
      case 'LabelRevision':
        return;
      default:
        return this.#applyToPod(action);
    }
  }

  #create(pod: Pod, claims: readonly PersistentVolumeClaim[]): void {
    if (this.pods.some(({ metadata }) => metadata.name === pod.metadata.name)) throw new Error(`there is a Pod ${pod.metadata.name}`);
    const made = claims.map((claim) => ({ ...claim, metadata: { ...claim.metadata, uid: `claim-${++this.#uids}` } }));
    this.claims = [...this.claims, ...made];
    this.pods = [...this.pods, createdPod(pod, `uid-${++this.#uids}`, this.now)];
  }

  #applyToPod(action: OnPod): void {
    const pod = this.#held(action.pod);
    this.#record(`${action.kind} ${pod.metadata.name}${action.kind === 'SetLifecycle' ? ` ${action.transition.to}` : ''}`, action.because);
    switch (action.kind) {
      case 'CreatePod':
        return this.#create(pod, action.claims);
      case 'DeletePod':
        this.#dropClaims(action.claims);
        return this.#replace(terminatingPod(pod, this.now));
      case 'RecreatePod':
        return this.#replace(patchedPod(pod, { metadata: deletionMark(action.revision) }));
      case 'UnmarkPod':
        return this.#replace(patchedPod(pod, { metadata: noDeletionMark }));
      case 'ResizePod':
        throw new Error('resizes are not simulated here: half-done-resize.test.ts covers them');
      default: {
        const writing = { adapter: adapterOf(this.context), resources: 'Ignored', statesOfUpdates: true } as const;
        return this.#replace(podAfter(pod, action, writing, this.now));
      }
    }
  }
}
