/** The Pods, claims and revisions of one workload while its plans are carried out in memory, as the API server and the nodes would. */
import type { Lifecycle } from '@kruise/api';
import {
  isTerminating,
  byName,
  deepCopy,
  deepFreeze,
  formatTime,
  instant,
  unreachable,
  type ControllerRevision,
  type Instant,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import { createdPod, patchedPod, podAfter, terminatingPod, type HistoryAction, type PodAction, type PodWriting } from '@kruise/workloads';
import { withNamed, withoutNamed } from './named-list.ts';
import { isUnderWay, progressed } from './pod-progress.ts';

/** One thing that the controller did to a Pod. */
export interface Act {
  readonly kind: 'InPlace' | 'Delete' | 'Create';
  readonly pod: string;
  /** What its successor has in common with it; undefined when any Pod may be its successor. */
  readonly place: string | undefined;
  readonly because: string;
}

/** What was done to a claim. */
export interface ClaimAct {
  readonly kind: 'Create' | 'Delete' | 'Resize';
  readonly before?: PersistentVolumeClaim;
  readonly after?: PersistentVolumeClaim;
}

/** What exists before the first pass. */
export interface Start {
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly revisions: readonly ControllerRevision[];
  readonly now: Instant;
}

/** How the kind writes to Pods. */
export interface Writing extends PodWriting {
  readonly lifecycle: Lifecycle | undefined;
  /** uid of the workload, which its claims may name as an owner. */
  readonly uid: string;
  /** A Pod replaces another one of the same place; any other one when undefined. */
  readonly placeOf: (pod: Pod) => string | undefined;
}

const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '';

/** A claim that is bound, and has the size that it requests. */
const bound = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  claim.status?.phase === 'Bound' && claim.status.capacity?.['storage'] === requestOf(claim)
    ? claim
    : { ...claim, status: { ...claim.status, phase: 'Bound', capacity: { storage: requestOf(claim) } } };

/** The state of the simulation. A Pod that was acted on becomes ready; a Pod that was not stays as it was seen. */
export class SimulatedPods {
  now: Instant;
  /** Since the last call of {@link takeActs}. */
  #acts: Act[] = [];
  readonly claimActs: ClaimAct[] = [];
  readonly #writing: Writing;
  readonly #pods: Map<string, Pod>;
  readonly #claims: Map<string, PersistentVolumeClaim>;
  readonly #revisions = new Map<string, ControllerRevision>();
  #claimList: readonly PersistentVolumeClaim[];
  /** Names of claims that were created or changed since the cluster made progress. */
  readonly #newClaims = new Set<string>();
  /** Whether claims may have lost their last owner. */
  #mayHaveOrphans = true;
  /** Pods on which the cluster still works, by name. */
  readonly #moving = new Set<string>();
  readonly #nodes: readonly string[];
  #uids = 0;
  /** The uid of the Pod that vanished last. */
  lastVanished = '';
  /** The uid of the last Pod that vanished from a node. */
  readonly vanishedFrom = new Map<string, string>();
  #ordered: readonly Pod[];
  /** Pods that are being deleted, by name. */
  readonly #terminating = new Set<string>();

  constructor(writing: Writing, { pods, claims, revisions, now }: Start) {
    this.now = now;
    this.#writing = writing;
    this.#pods = new Map(pods.map((pod) => [pod.metadata.name, pod]));
    this.#ordered = [...this.#pods.values()].toSorted(byName);
    this.#claims = new Map(claims.map((claim) => [claim.metadata.name, claim]));
    this.#claimList = [...this.#claims.values()].toSorted(byName);
    for (const revision of revisions) this.#setRevision(deepCopy(revision));
    this.#nodes = [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
    for (const name of this.#claims.keys()) this.#newClaims.add(name);
    for (const pod of pods) {
      if (isTerminating(pod)) this.#terminating.add(pod.metadata.name);
      else if (isUnderWay(pod)) this.#moving.add(pod.metadata.name);
    }
  }

  /** By name. */
  get pods(): readonly Pod[] {
    return this.#ordered;
  }

  get podNamed(): Pick<ReadonlyMap<string, Pod>, 'get' | 'has'> {
    return this.#pods;
  }

  get claims(): ReadonlyMap<string, PersistentVolumeClaim> {
    return this.#claims;
  }

  /** By name; the same list until a claim changes. */
  get claimList(): readonly PersistentVolumeClaim[] {
    return this.#claimList;
  }

  #setClaim(claim: PersistentVolumeClaim): void {
    this.#claimList = withNamed(this.#claimList, claim);
    this.#claims.set(claim.metadata.name, claim);
  }

  /** Frozen as in a store, so that what is computed from it is remembered. */
  #setRevision(revision: ControllerRevision): void {
    this.#revisions.set(revision.metadata.name, deepFreeze(revision));
  }

  /** Oldest first. */
  get revisions(): readonly ControllerRevision[] {
    return [...this.#revisions.values()].toSorted((a, b) => a.revision - b.revision || byName(a, b));
  }

  get revisionNamed(): ReadonlyMap<string, ControllerRevision> {
    return this.#revisions;
  }

  /** Returns what was done since the last call. */
  takeActs(): readonly Act[] {
    const acts = this.#acts;
    this.#acts = [];
    return acts;
  }

  applyHistory(action: HistoryAction): void {
    switch (action.kind) {
      case 'CreateRevision': {
        const { revision } = action.attempt;
        this.#setRevision({
          ...revision,
          metadata: { uid: this.#uid(), creationTimestamp: formatTime(this.now), ...revision.metadata },
        });
        return;
      }
      case 'BumpRevision':
        this.#setRevision(action.revision);
        return;
      case 'DeleteRevision':
        this.#revisions.delete(action.revision.metadata.name);
        return;
      default:
        return unreachable(action);
    }
  }

  labelRevision(revision: ControllerRevision, wanted: Readonly<Record<string, string>>): void {
    const { metadata } = revision;
    this.#setRevision({ ...revision, metadata: { ...metadata, labels: { ...metadata.labels, ...wanted } } });
  }

  applyToPod(action: PodAction): void {
    const pod = this.#held(action.pod);
    const after = podAfter(pod, action, this.#writing, this.now);
    // The node has no part in a change of owners.
    if (action.kind === 'ReleasePod') this.#set(after);
    else this.#touch(after);
    if (action.kind === 'UpdatePodInPlace') this.#act('InPlace', pod, action.because);
  }

  #act(kind: Act['kind'], pod: Pod, because: string): void {
    this.#acts.push({ kind, pod: pod.metadata.name, place: this.#writing.placeOf(pod), because });
  }

  /** Changes metadata that no node looks at. */
  patchMetadata(pod: Pod, metadata: object): void {
    this.#set(patchedPod(this.#held(pod), { metadata }));
  }

  create({ pod, because }: { readonly pod: Pod; readonly because: string }): void {
    const { name } = pod.metadata;
    if (this.#pods.has(name)) return;
    this.#set(createdPod(pod, this.#uid(), this.now));
    this.#moving.add(name);
    this.#act('Create', pod, because);
  }

  delete({ pod, because }: { readonly pod: Pod; readonly because: string }): void {
    const held = this.#held(pod);
    if (isTerminating(held)) return;
    this.#set(terminatingPod(held, this.now));
    this.#terminating.add(pod.metadata.name);
    this.#act('Delete', pod, because);
  }

  adopt(pod: Pod, owner: NonNullable<Pod['metadata']['ownerReferences']>[number]): void {
    const held = this.#held(pod);
    this.#set({ ...held, metadata: { ...held.metadata, ownerReferences: [...(held.metadata.ownerReferences ?? []), owner] } });
  }

  createClaims(claims: readonly PersistentVolumeClaim[]): void {
    for (const claim of claims) {
      if (this.#claims.has(claim.metadata.name)) continue;
      const after = { ...claim, metadata: { ...claim.metadata, uid: this.#uid() } };
      this.#noteClaim(after);
      this.claimActs.push({ kind: 'Create', after });
    }
  }

  changeClaim(claim: PersistentVolumeClaim, change: (held: PersistentVolumeClaim) => PersistentVolumeClaim): void {
    const before = this.#claims.get(claim.metadata.name);
    if (before === undefined) return;
    const after = change(before);
    this.#noteClaim(after);
    if (requestOf(before) !== requestOf(after)) this.claimActs.push({ kind: 'Resize', before, after });
  }

  #noteClaim(claim: PersistentVolumeClaim): void {
    this.#setClaim(claim);
    this.#newClaims.add(claim.metadata.name);
    this.#mayHaveOrphans = true;
  }

  deleteClaims(claims: readonly PersistentVolumeClaim[]): void {
    for (const { metadata } of claims) {
      const before = this.#claims.get(metadata.name);
      if (before === undefined) continue;
      this.#claims.delete(metadata.name);
      this.#claimList = withoutNamed(this.#claimList, metadata.name);
      this.claimActs.push({ kind: 'Delete', before });
    }
  }

  /** Nodes finish what was begun; afterwards a second has passed. @returns whether anything changed */
  progress(): boolean {
    let changed = false;
    const context = { now: this.now, lifecycle: this.#writing.lifecycle, nodeFor: this.#nodeFor };
    for (const name of [...this.#terminating, ...this.#moving]) {
      const pod = this.#pods.get(name);
      if (pod === undefined) continue;
      if (isTerminating(pod)) this.#vanish(pod);
      else this.#set(progressed(pod, context));
      changed = true;
    }
    this.#terminating.clear();
    this.#moving.clear();
    const collected = this.#collectClaims();
    for (const name of this.#newClaims) {
      const claim = this.#claims.get(name);
      if (claim !== undefined) this.#setClaim(bound(claim));
    }
    this.#newClaims.clear();
    this.now = instant(this.now + 1000);
    return changed || collected;
  }

  #vanish({ metadata: { name, uid = '' }, spec }: Pod): void {
    this.#pods.delete(name);
    this.#ordered = withoutNamed(this.#ordered, name);
    this.lastVanished = uid;
    this.#mayHaveOrphans = true;
    if (spec.nodeName !== undefined) this.vanishedFrom.set(spec.nodeName, uid);
  }

  /** The garbage collector deletes claims of which no owner is left. */
  #collectClaims(): boolean {
    if (this.#claims.size === 0 || !this.#mayHaveOrphans) return false;
    this.#mayHaveOrphans = false;
    const owned = this.claimList.filter(({ metadata: { ownerReferences = [] } }) => {
      return ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => uid === this.#writing.uid);
    });
    if (owned.length === 0) return false;
    const living = new Set(this.#ordered.map(({ metadata }) => metadata.uid));
    const orphans = owned.filter(({ metadata }) => !metadata.ownerReferences?.some(({ uid }) => living.has(uid)));
    this.deleteClaims(orphans);
    return orphans.length > 0;
  }

  readonly #nodeFor = (): string => this.#nodes[this.#uids % Math.max(this.#nodes.length, 1)] ?? 'node';

  #uid(): string {
    return `predicted-${++this.#uids}`;
  }

  #held(pod: Pod): Pod {
    return this.#pods.get(pod.metadata.name) ?? pod;
  }

  #set(pod: Pod): void {
    const { name } = pod.metadata;
    this.#ordered = withNamed(this.#ordered, pod);
    this.#pods.set(name, pod);
  }

  /** A Pod that the controller works on makes progress on its node. */
  #touch(pod: Pod): void {
    this.#set(pod);
    this.#moving.add(pod.metadata.name);
  }
}
