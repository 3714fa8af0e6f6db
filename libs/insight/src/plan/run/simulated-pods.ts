/** The Pods of one workload, with its claims and revisions, while its plans are carried out in memory, as the API server and the nodes would. */
import type { Lifecycle } from '@kruise/api';
import {
  isTerminating,
  byName,
  instant,
  type ControllerRevision,
  type Instant,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import { createdPod, patchedPod, podAfter, terminatingPod, type OnPod, type PodAction, type PodWriting } from '@kruise/workloads';
import { withNamed, withoutNamed } from './named-list.ts';
import { isUnderWay, progressed } from './pod-progress.ts';
import { SimulatedClaims } from './simulated-claims.ts';
import { SimulatedHistory } from './simulated-history.ts';

/** One thing that the controller did to a Pod. */
export interface Act {
  readonly kind: 'InPlace' | 'Delete' | 'Create';
  readonly pod: string;
  /** What its successor has in common with it; undefined when any Pod may be its successor. */
  readonly place: string | undefined;
  readonly because: string;
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

/** The state of the simulation. A Pod that was acted on becomes ready; a Pod that was not stays as it was seen. */
export class SimulatedPods {
  now: Instant;
  readonly claims: SimulatedClaims;
  readonly history: SimulatedHistory;
  /** Since the last call of {@link takeActs}. */
  #acts: Act[] = [];
  readonly #writing: Writing;
  readonly #pods: Map<string, Pod>;
  /** Uids of the Pods. */
  readonly #living: Set<string>;
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
    this.#living = new Set(pods.map(({ metadata }) => metadata.uid ?? ''));
    this.#ordered = [...this.#pods.values()].toSorted(byName);
    this.claims = new SimulatedClaims(claims, { workloadUid: writing.uid, nextUid: this.#nextUid });
    this.history = new SimulatedHistory(revisions, this.#nextUid);
    this.#nodes = [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
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

  /** Returns what was done since the last call. */
  takeActs(): readonly Act[] {
    const acts = this.#acts;
    this.#acts = [];
    return acts;
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

  create({ pod, because }: OnPod): void {
    const { name } = pod.metadata;
    if (this.#pods.has(name)) return;
    this.#set(createdPod(pod, this.#nextUid(), this.now));
    this.#moving.add(name);
    this.#act('Create', pod, because);
  }

  delete({ pod, because }: OnPod): void {
    const held = this.#held(pod);
    if (isTerminating(held)) return;
    this.#set(terminatingPod(held, this.now));
    this.#terminating.add(pod.metadata.name);
    this.#act('Delete', pod, because);
  }

  adopt(pod: Pod, owner: OwnerReference): void {
    const held = this.#held(pod);
    this.#set({ ...held, metadata: { ...held.metadata, ownerReferences: [...(held.metadata.ownerReferences ?? []), owner] } });
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
    const collected = this.claims.progress((uid) => this.#living.has(uid));
    this.now = instant(this.now + 1000);
    return changed || collected;
  }

  #vanish({ metadata: { name, uid = '' }, spec }: Pod): void {
    this.#pods.delete(name);
    this.#ordered = withoutNamed(this.#ordered, name);
    this.lastVanished = uid;
    this.#living.delete(uid);
    this.claims.loseOwner(uid);
    if (spec.nodeName !== undefined) this.vanishedFrom.set(spec.nodeName, uid);
  }

  readonly #nodeFor = (): string => this.#nodes[this.#uids % Math.max(this.#nodes.length, 1)] ?? 'node';

  readonly #nextUid = (): string => `predicted-${++this.#uids}`;

  #held(pod: Pod): Pod {
    return this.#pods.get(pod.metadata.name) ?? pod;
  }

  #set(pod: Pod): void {
    const { name, uid = '' } = pod.metadata;
    this.#ordered = withNamed(this.#ordered, pod);
    this.#pods.set(name, pod);
    this.#living.add(uid);
  }

  /** A Pod that the controller works on makes progress on its node. */
  #touch(pod: Pod): void {
    this.#set(pod);
    this.#moving.add(pod.metadata.name);
  }
}
