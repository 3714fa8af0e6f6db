/** A StatefulSet in runs in which any write of its controller may be refused. */
import { statefulSets, type StatefulSet } from '@kruise/api';
import type { FakeCall, FakeWrite } from '@kruise/kube/testing';
import { isControlledBy, isPodReady, keyOf, pods, type Pod } from '@kruise/objects';
import type { ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import { answerHooks, heldLabels, lifecycleOf, type HookShape } from '../../../refused-writes/hook-program.testing.ts';
import { isServing } from '../../../refused-writes/is-serving.testing.ts';
import type { Demand } from '../../../refused-writes/outage-oracle.testing.ts';
import { podLeftovers } from '../../../refused-writes/pod-leftovers.testing.ts';
import type { RefusedFixture } from '../../../refused-writes/refused-run.testing.ts';
import { slotCount, type Refusals } from '../../../refused-writes/refusals.testing.ts';
import { PodWatcher, ordinalOf, wantedOrdinals } from './pod-watcher.testing.ts';
import { aClaimTemplate } from '@kruise/kinds/statefulset/testing';
import { failed, StatefulSetCluster } from '../cluster.testing.ts';

const firstImage = 'app:1';

export interface Shape extends HookShape {
  readonly parallel: boolean;
  readonly replicas: number;
  readonly policy: 'ReCreate' | 'InPlaceIfPossible';
  readonly maxUnavailable: number;
  readonly whenScaled: 'Retain' | 'Delete' | 'NoClaims';
  readonly whenDeleted: 'Retain' | 'Delete';
  readonly terminationSeconds: number;
  /** At the beginning. */
  readonly partition: number;
}
export type Change =
  | { readonly kind: 'Image' | 'Replicas' | 'Partition'; readonly number: number }
  | { readonly kind: 'Reserve'; readonly ordinals: readonly number[] }
  /** Another client deletes this many Pods, the lowest ordinals first, as a drain of nodes does. */
  | { readonly kind: 'Drain'; readonly number: number }
  /** Of the Pod of that number: it ends with an error, or its kubelet leaves it alone until `Free`. */
  | { readonly kind: 'Fail' | 'Stick'; readonly number: number }
  | { readonly kind: 'Free' | 'LetGo' | 'Recreate' };

const specOf = (shape: Shape): Partial<StatefulSet['spec']> => ({
  ...lifecycleOf(shape),
  template: {
    metadata: { labels: { app: 'web', ...heldLabels(shape) } },
    spec: { containers: [{ name: 'main', image: firstImage }], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
  },
  ...(shape.whenScaled === 'NoClaims'
    ? {}
    : {
        volumeClaimTemplates: [aClaimTemplate('data')],
        persistentVolumeClaimRetentionPolicy: { whenScaled: shape.whenScaled, whenDeleted: shape.whenDeleted },
      }),
});

export class Fixture implements RefusedFixture<Change> {
  readonly cluster: StatefulSetCluster;
  readonly owner = statefulSets;
  readonly isOrdered: boolean;
  readonly reservesBudget: boolean;
  readonly #shape: Shape;
  readonly #watcher: PodWatcher;
  /** The claim of each wanted ordinal, by name. */
  readonly #claims = new Map<string, string | undefined>();
  /** Ordinals whose Pod ended with an error: it is not out of service because of the controller. */
  readonly #failed = new Set<number>();
  #refusals: Refusals | undefined;

  constructor(shape: Shape, options: ClusterOptions) {
    this.#shape = shape;
    this.isOrdered = !shape.parallel;
    // A Pod that may not be deleted serves on, and another is recreated instead.
    this.reservesBudget = shape.policy !== 'ReCreate' || shape.hook !== 'None';
    const { parallel, replicas, policy, maxUnavailable, partition } = shape;
    this.cluster = new StatefulSetCluster(
      { parallel, replicas, rollingUpdate: { podUpdatePolicy: policy, maxUnavailable, partition }, spec: specOf(shape) },
      { ...options, gates: { StatefulSetAutoDeletePVC: true } },
    );
    this.cluster.terminationSeconds = shape.terminationSeconds;
    this.#watcher = new PodWatcher(this.cluster);
  }

  meet(refusals: Refusals): void {
    this.#refusals = refusals;
  }

  get demand(): Demand {
    const wanted = this.#wanted;
    return { wanted: wanted.size, budget: this.#shape.maxUnavailable, of: `${this.#uid} ${[...wanted].join()}` };
  }

  get available(): number {
    const serving = new Set(this.#wantedPods.filter(isServing).map(ordinalOf));
    for (const ordinal of serving) this.#failed.delete(ordinal);
    return [...this.#wanted].filter((ordinal) => serving.has(ordinal) || this.#failed.has(ordinal)).length;
  }

  get serving(): number {
    return this.#wantedPods.filter(isServing).length;
  }

  get pending(): readonly number[] {
    const done = new Set(this.#wantedPods.filter((pod) => isPodReady(pod) && this.#isUpdated(pod)).map(ordinalOf));
    const wanted = this.#wanted;
    const undone = [...wanted].filter((ordinal) => !done.has(ordinal));
    const held = this.cluster.pods.map(ordinalOf);
    const surplus = held.filter((ordinal) => !wanted.has(ordinal));
    // As many Pods without a slot stand in for those that cannot be created.
    const standIns = [...wanted].filter((ordinal) => !held.includes(ordinal)).length;
    return [...undone, ...surplus.slice(standIns)].map((ordinal) => ordinal % slotCount);
  }

  get leftovers(): readonly string[] {
    const names = this.cluster.pods.map(({ metadata }) => metadata.name).join();
    const wanted = [...this.#wanted].map((ordinal) => `web-${ordinal}`).join();
    return [
      ...(names === wanted ? [] : [`the Pods are ${names}, not ${wanted}`]),
      ...this.cluster.pods.flatMap((pod) => podLeftovers(pod, firstImage)),
      ...this.cluster.conditions,
      ...this.cluster.claims
        .filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === 'Pod'))
        .map(({ metadata }) => `${metadata.name} is owned by a Pod`),
    ];
  }

  look(write?: FakeWrite): readonly string[] {
    return [...this.#lostClaims(), ...(write?.call.type === pods && write.refused === undefined ? this.#watcher.look(write) : [])];
  }

  slotOf({ type, key, body }: FakeCall): number | undefined {
    const { metadata } = key.name === '' ? (body as Pod) : { metadata: key };
    return type?.plural === 'controllerrevisions' || type === statefulSets ? undefined : ordinalOf({ metadata }) % slotCount;
  }

  apply(change: Change): void | Promise<void> {
    const { cluster } = this;
    switch (change.kind) {
      case 'Image':
        this.#watcher.keepBack();
        return cluster.changeImage(`app:${change.number}`);
      case 'Replicas':
        return cluster.change({ replicas: change.number });
      case 'Partition':
        return this.#part(change.number);
      case 'Reserve':
        this.#watcher.forgetKept();
        return cluster.change({ reserveOrdinals: [...change.ordinals] });
      case 'Free':
        return cluster.stuck.clear();
      case 'LetGo':
        return this.#letGo();
      case 'Drain':
        return this.#drain(change.number);
      case 'Recreate':
        return this.#recreate();
      default:
        return this.#harm(change.kind, change.number);
    }
  }

  answerHooks(): void {
    this.cluster.stuck.clear();
    this.#part(0);
    this.cluster.onTick = () => this.#letGo();
  }

  undo(): void {
    this.#watcher.forgetKept();
    this.cluster.changeImage(firstImage);
    this.cluster.change({ replicas: this.#shape.replicas, reserveOrdinals: [] });
  }

  #harm(kind: 'Fail' | 'Stick', number: number): void {
    const pod = this.cluster.pods[number % Math.max(this.cluster.pods.length, 1)];
    if (pod === undefined) return;
    if (kind === 'Stick') return void this.cluster.stuck.add(pod.metadata.name);
    if (isServing(pod)) this.#failed.add(ordinalOf(pod));
    this.cluster.changePod(pod.metadata.name, failed);
  }

  async #drain(count: number): Promise<void> {
    for (const pod of this.#wantedPods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).slice(0, count)) {
      if (isServing(pod)) this.#failed.add(ordinalOf(pod));
      await this.cluster.api.delete(pods, keyOf(pod));
    }
  }

  async #recreate(): Promise<void> {
    await this.cluster.recreate();
    this.#watcher.forgetAll();
    this.#failed.clear();
  }

  #letGo(): void {
    answerHooks(this.cluster.pods, (pod) => this.cluster.changePod(pod.metadata.name, () => pod));
  }

  #part(partition: number): void {
    const { updateStrategy } = this.cluster.set.spec;
    this.cluster.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, partition } } });
    this.#watcher.forgetKept();
  }

  /** Claims of wanted ordinals that were deleted, but those whose owners may not be corrected. */
  #lostClaims(): readonly string[] {
    const wanted = this.#wanted;
    const ordinalOfClaim = (name: string): number => ordinalOf({ metadata: { name } });
    const uids = new Map(this.cluster.claims.map(({ metadata }) => [metadata.name, metadata.uid]));
    const lost = [...this.#claims].filter(([name, uid]) => wanted.has(ordinalOfClaim(name)) && uids.get(name) !== uid);
    this.#claims.clear();
    const owners = this.#owners;
    for (const { metadata } of this.cluster.claims) {
      const isOwn = (metadata.ownerReferences ?? []).every(({ uid }) => owners.has(uid));
      if (wanted.has(ordinalOfClaim(metadata.name)) && isOwn) this.#claims.set(metadata.name, metadata.uid);
    }
    return lost
      .filter(([name]) => this.#refusals?.hasRefused('persistentvolumeclaims', name) !== true)
      .map(([name]) => `the claim ${name} of a wanted ordinal was deleted`);
  }

  get #wanted(): ReadonlySet<number> {
    return wantedOrdinals(this.cluster.set.spec);
  }

  get #wantedPods(): readonly Pod[] {
    const [wanted, own] = [this.#wanted, this.#uid];
    return this.cluster.pods.filter((pod) => wanted.has(ordinalOf(pod)) && isControlledBy(pod, own));
  }

  get #uid(): string {
    return this.cluster.set.metadata.uid ?? '';
  }

  /** The StatefulSet and its Pods: the collector may delete claims that the StatefulSet before it or a Pod of that one owns. */
  get #owners(): ReadonlySet<string | undefined> {
    const own = this.#uid;
    return new Set([own, ...this.cluster.pods.filter((pod) => isControlledBy(pod, own)).map(({ metadata }) => metadata.uid)]);
  }

  #isUpdated(pod: Pod): boolean {
    return pod.spec.containers[0]?.image === this.cluster.set.spec.template.spec?.containers[0]?.image;
  }
}
