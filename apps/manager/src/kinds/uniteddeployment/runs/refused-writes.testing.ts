/** A UnitedDeployment whose children are run by their real controllers, in the same process, where they are of kinds of this project. */
import { unitedDeploymentLabels as labels, unitedDeployments, type UnitedDeployment, type UnitedDeploymentSubset } from '@kruise/api';
import type { FakeCall, FakeWrite } from '@kruise/kube/testing';
import { isPodReady, nodes, pods, type KubeObject, type Pod } from '@kruise/objects';
import { ControllerCluster, type ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import type { ControllerModule } from '../../../module/kind-module.ts';
import { Kubelets } from '../../../module/fixtures/kubelet-step.testing.ts';
import { isServing } from '../../../refused-writes/is-serving.testing.ts';
import type { Demand } from '../../../refused-writes/outage-oracle.testing.ts';
import type { Part } from '../../../refused-writes/observer.testing.ts';
import { podLeftovers } from '../../../refused-writes/pod-leftovers.testing.ts';
import type { RefusedFixture } from '../../../refused-writes/refused-run.testing.ts';
import { replicaSets } from '@kruise/workloads';
import { cloneSetController } from '../../cloneset/controller.ts';
import { statefulSetController } from '../../statefulset/controller.ts';
import { childKinds, type ChildKind, type ChildObject, subsetOf } from '@kruise/kinds/uniteddeployment';
import { unitedDeploymentController } from '../controller.ts';
import { adaptive, aUnited, templateOf, type Topology, type UnitedShape } from '@kruise/kinds/uniteddeployment/testing';
import { Workloads } from './workloads.testing.ts';

const namespace = 'default';
const key = { namespace, name: 'web' };
const firstImage = 'app:1';
export const subsetNames = ['a', 'b', 'c'] as const;
type SubsetName = (typeof subsetNames)[number];

const ownControllers: Partial<Record<ChildKind['name'], ControllerModule>> = {
  CloneSet: cloneSetController,
  AdvancedStatefulSet: statefulSetController,
};

export interface Shape {
  readonly kind: ChildKind['name'];
  /** Of a kind whose Pods can be reserved. */
  readonly mode: 'Fixed' | 'Adaptive' | 'Reservation';
  /** Of each subset, at first. */
  readonly shares: readonly number[];
  readonly maxUnavailable: number;
  readonly policy: 'ReCreate' | 'InPlaceIfPossible';
}
export type Change =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Shares'; readonly shares: readonly number[] }
  | { readonly kind: 'Partition'; readonly partition: number }
  /** A manifest without subsets is applied. */
  | { readonly kind: 'NoSubsets' };

const isAdvanced = ({ kind }: Shape): boolean => ownControllers[kind] !== undefined;

function childSpecOf({ kind, maxUnavailable, policy }: Shape): object {
  const rollingUpdate = { maxUnavailable, podUpdatePolicy: policy };
  if (kind === 'CloneSet') return { updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
  if (kind === 'AdvancedStatefulSet')
    return { podManagementPolicy: 'Parallel', updateStrategy: { type: 'RollingUpdate', rollingUpdate }, serviceName: 'web' };
  return {};
}

const subsetsOf = ({ mode }: Shape, shares: readonly number[]): readonly UnitedDeploymentSubset[] =>
  subsetNames.map((name, at) => {
    // With bounds, as fixed numbers and an adaptive schedule exclude each other; the last subset takes the rest.
    const replicas = shares[at] ?? 0;
    if (mode === 'Fixed') return { name, replicas };
    return at === subsetNames.length - 1 ? { name } : { name, minReplicas: replicas, maxReplicas: replicas };
  });

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const scheduleOf = ({ mode }: Shape): UnitedShape['schedule'] =>
  mode === 'Fixed' ? undefined : adaptive(mode === 'Reservation' ? { reserveUnschedulablePods: true } : {});

class RefusedCluster extends ControllerCluster<UnitedDeployment> {
  readonly #shape: Shape;
  /** The controllers of Kubernetes' own kinds; others run for real. */
  readonly #workloads = new Workloads(this.api, this.clock);
  readonly #kubelets = new Kubelets();
  #childLists: readonly (readonly ChildObject[])[] = [];
  #children: readonly ChildObject[] = [];

  constructor(shape: Shape, options: ClusterOptions) {
    const own = ownControllers[shape.kind];
    super({ type: unitedDeployments, key, controller: unitedDeploymentController, others: own === undefined ? [] : [own] }, options);
    this.#shape = shape;
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    const schedule = scheduleOf(shape);
    const united = { kind: shape.kind, replicas: sum(shape.shares), subsets: subsetsOf(shape, shape.shares), child: childSpecOf(shape) };
    this.start(aUnited(schedule === undefined ? united : { ...united, schedule }));
  }

  get united(): UnitedDeployment {
    return this.object;
  }

  /** The same list while it stays the same: observers request it several times at every write. */
  get children(): readonly ChildObject[] {
    const lists: readonly (readonly ChildObject[])[] = childKinds.map(({ type }) => this.api.peekAll(type, namespace));
    if (lists.some((list, index) => list !== this.#childLists[index])) [this.#childLists, this.#children] = [lists, lists.flat()];
    return this.#children;
  }

  get pods(): readonly Pod[] {
    return this.api.peekAll(pods, namespace);
  }

  podsOf(subset: SubsetName): readonly Pod[] {
    return this.pods.filter(({ metadata }) => metadata.labels?.[labels.subsetName] === subset);
  }

  get shown(): readonly string[] {
    const shownPods = this.pods.map((pod) => {
      const marks = [isPodReady(pod) ? '' : 'unready', pod.metadata.deletionTimestamp === undefined ? '' : 'terminating'];
      return [pod.metadata.name, pod.spec.containers[0]?.image, ...marks].filter((part) => part !== '').join(' ');
    });
    return [...this.children.map((child) => `${child.metadata.name} ${JSON.stringify(child.spec?.replicas)}`), ...shownPods];
  }

  changeImage(image: string): void {
    this.change({ template: templateOf(this.#shape.kind, image, childSpecOf(this.#shape)) });
  }

  protected get seen(): unknown {
    return [this.pods, this.children];
  }

  protected override runKubelets(): Promise<void> {
    if (!isAdvanced(this.#shape)) return this.#workloads.step();
    return this.runPods(this.pods, (pod) => this.#kubelets.change(pod, this.clock.now(), this.options));
  }
}

export class Fixture implements RefusedFixture<Change> {
  readonly cluster: RefusedCluster;
  readonly owner = unitedDeployments;
  readonly middle = [...childKinds.map(({ type }) => type), replicaSets];
  readonly isOrdered = false;
  readonly reservesBudget = true;
  /** Each change of the other children causes a pass, which repeats a write whose connection was reset: that is no answer about this child. */
  readonly refusedCallsPerMinute = { afterChanges: 60 };
  readonly #shape: Shape;
  #shares: readonly number[];
  #partition = 0;
  /** What each child requested when the user changed the shares last. */
  readonly #earlier = new Map<string, number | undefined>();
  /** The child of each subset. */
  readonly #children = new Map<string, string | undefined>();

  constructor(shape: Shape, options: ClusterOptions) {
    this.#shape = shape;
    this.#shares = shape.shares;
    this.cluster = new RefusedCluster(shape, options);
  }

  /** Of all subsets together. */
  get demand(): Demand {
    return { wanted: sum(this.parts.map(({ demand }) => demand.wanted)), budget: sum(this.parts.map(({ demand }) => demand.budget)) };
  }

  get available(): number {
    return sum(this.parts.map(({ available }) => available));
  }

  /** The budget of each child is that of its template: the sum of them is never exceeded, and no subset pays for another. */
  get parts(): readonly Part[] {
    return subsetNames.map((name, at) => ({
      name: `subset ${name}`,
      demand: { wanted: this.#wantedOf(name, at), budget: this.#budget },
      available: this.cluster.podsOf(name).filter(isServing).length,
    }));
  }

  get pending(): readonly number[] {
    return subsetNames.flatMap((name, at) => {
      const held = this.cluster.podsOf(name);
      const updated = held.filter((pod) => pod.spec.containers[0]?.image === this.#image);
      const wanted = this.#shares[at] ?? 0;
      // No Pod is given up for a subset that may not get it.
      const isEnough = held.length === wanted || (held.length > wanted && this.#isShort);
      const isDone = isEnough && held.every(isPodReady) && updated.length >= held.length - Math.min(this.#kept, held.length);
      return isDone ? [] : [at];
    });
  }

  get leftovers(): readonly string[] {
    const { cluster } = this;
    const names = cluster.children.map(subsetOf).toSorted().join();
    return [
      ...(names === subsetNames.join() ? [] : [`the subsets with children are ${names}`]),
      ...subsetNames.flatMap((name, at) => {
        const count = cluster.podsOf(name).length;
        return count === this.#shares[at] ? [] : [`subset ${name} has ${count} Pods`];
      }),
      ...(cluster.pods.length === sum(this.#shares) ? [] : ['there are Pods of no subset']),
      ...cluster.pods.flatMap((pod) => podLeftovers(pod, firstImage)),
      ...cluster.pods
        .filter(({ metadata }) => metadata.labels?.[labels.reservedPod] === 'true')
        .map(({ metadata }) => `${metadata.name} is reserved`),
      ...cluster.conditions.filter((condition) => condition.startsWith('Blocked') || condition.includes('Error')),
      ...(isAdvanced(this.#shape) ? cluster.children.flatMap((child) => this.#overlaysOf(child)) : []),
    ];
  }

  /** No child of a subset that is wanted is replaced or deleted. */
  look(write?: FakeWrite): readonly string[] {
    const uids = new Map(this.cluster.children.map((child) => [subsetOf(child), child.metadata.uid]));
    const lost = subsetNames.filter((name) => this.#children.has(name) && uids.get(name) !== this.#children.get(name));
    for (const [name, uid] of uids) this.#children.set(name, uid);
    const isDoubled = this.cluster.children.length > subsetNames.length;
    return [
      ...lost.map((name) => `subset ${name} lost its child`),
      ...(isDoubled ? [`there are ${this.cluster.children.length} children`] : []),
      ...this.#reserved(write),
    ];
  }

  slotOf({ type, key: { name }, body }: FakeCall): number | undefined {
    if (type?.plural === 'controllerrevisions' || type === unitedDeployments) return undefined;
    const held = type === undefined || name === '' ? undefined : this.cluster.api.peek<KubeObject>(type, { namespace, name });
    const object = held ?? (body as KubeObject | undefined);
    const slot = subsetNames.indexOf(object?.metadata?.labels?.[labels.subsetName] as SubsetName);
    return slot < 0 ? undefined : slot;
  }

  apply(change: Change): void {
    const { cluster } = this;
    if (change.kind === 'Image') cluster.changeImage(`app:${change.image}`);
    else if (change.kind === 'Shares') this.#share(change.shares);
    else if (change.kind === 'NoSubsets') cluster.change({ topology: this.#topology([]) });
    else this.#keep(change.partition);
  }

  /** The manifest has its subsets again. */
  answerHooks(): void {
    this.#share(this.#shares);
  }

  undo(): void {
    this.#keep(0);
    this.#share(this.#shape.shares);
    this.cluster.changeImage(firstImage);
  }

  get #budget(): number {
    return isAdvanced(this.#shape) ? this.#shape.maxUnavailable : 1;
  }

  get #image(): string | undefined {
    const { template } = this.cluster.united.spec;
    const [child] = Object.values(template ?? {}) as readonly { readonly spec?: { readonly template?: { readonly spec?: Pod['spec'] } } }[];
    return child?.spec?.template?.spec?.containers[0]?.image;
  }

  /** How many Pods of each subset may keep the old template: Deployments have no partition. */
  get #kept(): number {
    return this.#shape.kind === 'Deployment' ? 0 : this.#partition;
  }

  /** Whether a subset has fewer Pods than it is to have. */
  get #isShort(): boolean {
    return subsetNames.some((name, at) => this.cluster.podsOf(name).length < (this.#shares[at] ?? 0));
  }

  #keep(partition: number): void {
    this.#partition = partition;
    const partitions = Object.fromEntries(subsetNames.map((name) => [name, partition]));
    this.cluster.change({ updateStrategy: { type: 'Manual', manualUpdate: { partitions } } });
  }

  /** The controller of a child knows what the child says: as long as it has not been written since the user requested more, it may still scale in. */
  #wantedOf(name: string, at: number): number {
    const share = this.#shares[at] ?? 0;
    const earlier = this.#earlier.get(name);
    if (earlier === undefined || earlier !== this.#replicasOf(name)) return share;
    return Math.min(share, earlier);
  }

  #replicasOf(name: string): number | undefined {
    return this.cluster.children.find((child) => subsetOf(child) === name)?.spec?.replicas;
  }

  #share(shares: readonly number[]): void {
    this.#shares = shares;
    for (const name of subsetNames) this.#earlier.set(name, this.#replicasOf(name));
    this.cluster.change({ replicas: sum(shares), topology: this.#topology(subsetsOf(this.#shape, shares)) });
  }

  #topology(subsets: readonly UnitedDeploymentSubset[]): Topology {
    const scheduleStrategy = scheduleOf(this.#shape);
    return { subsets, ...(scheduleStrategy === undefined ? {} : { scheduleStrategy }) };
  }

  /** A Pod that runs is not reserved. */
  #reserved(write: FakeWrite | undefined): readonly string[] {
    if (write?.call.type !== pods || write.call.verb !== 'patch' || write.after === undefined) return [];
    const pod = write.after as Pod;
    const isNew = pod.metadata.labels?.[labels.reservedPod] === 'true' && write.before?.metadata.labels?.[labels.reservedPod] !== 'true';
    return isNew && isPodReady(pod) ? [`${pod.metadata.name}, which runs, was reserved`] : [];
  }

  #overlaysOf({ metadata, spec }: ChildObject): readonly string[] {
    const allowed = spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
    return allowed === this.#shape.maxUnavailable ? [] : [`${metadata.name} has the maxUnavailable ${String(allowed)}`];
  }
}
