/** A SidecarSet of several teams for generated runs in which writes are refused. */
import { podConditions, sidecarSets, type SidecarContainer } from '@kruise/api';
import type { FakeCall } from '@kruise/kube/testing';
import { isTerminating, isPodReady, podCondition, pods as podType, type Pod } from '@kruise/objects';
import fc from 'fast-check';
import type { ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import type { UpdateAnswer } from '@kruise/workloads';
import type { Demand } from '../../../refused-writes/outage-oracle.testing.ts';
import type { RefusedFixture, RefusedKind } from '../../../refused-writes/refused-run.testing.ts';
import { slotCount } from '../../../refused-writes/refusals.testing.ts';
import { TeamsCluster } from '../teams-cluster.testing.ts';
import { aHotSidecar, aSidecar, aSidecarSet, emptyImage } from '@kruise/kinds/sidecarset/testing';

/** One slot each. */
const teams = Array.from({ length: slotCount }, (_, slot) => `team-${slot}`);
const first: Version = { image: 1, env: 0 };

interface Version {
  readonly image: number;
  /** What only a new Pod can get. */
  readonly env: number;
}

interface Strategy {
  readonly partition: number;
  readonly maxUnavailable: number;
  readonly paused: boolean;
}

interface Shape {
  readonly members: number;
  readonly sidecars: 'Cold' | 'Hot' | 'Both';
  readonly maxUnavailable: number;
  /** Containers that start are not ready at once. */
  readonly slow: boolean;
  /** Each team has a budget that keeps its Pods from being updated: while it is closed, or while another Pod of the team does not serve. */
  readonly budgets: 'None' | 'Closable' | 'OneAtATime';
  /** A user changes an annotation of some Pod every second. */
  readonly restless: boolean;
}

type Change =
  | { readonly kind: 'Version'; readonly version: Version }
  | ({ readonly kind: 'Strategy' } & Strategy)
  | { readonly kind: 'Pods'; readonly what: 'Add' | 'Delete' | 'Deselect'; readonly slot: number }
  | { readonly kind: 'Budget'; readonly slot: number; readonly is: 'Open' | 'Closed' | 'Unknown' };

const envOf = ({ env }: Version): object => (env === 0 ? {} : { env: [{ name: 'A', value: String(env) }] });
const coldOf = (version: Version): SidecarContainer => aSidecar('side', `side:${version.image}`, envOf(version));
const hotOf = (version: Version): SidecarContainer => aHotSidecar('mesh', `mesh:${version.image}`, envOf(version));
const sidecarsOf = { Cold: [coldOf], Hot: [hotOf], Both: [coldOf, hotOf] };

const isSelected = ({ metadata }: Pod): boolean => metadata.labels?.['app'] === 'demo';
const slotOfPod = ({ metadata }: Pod): number => teams.indexOf(metadata.namespace ?? '');

/** Ready, and nothing that was written to it is about to restart a container. */
function isServing(pod: Pod): boolean {
  const running = new Map(pod.status?.containerStatuses?.map(({ name, image }) => [name, image]));
  return isPodReady(pod) && pod.spec.containers.every(({ name, image }) => running.get(name) === image);
}

/** The images of the sidecars in a Pod that is at rest with `image`; those of twins in any order. */
const imagesAt = (sidecars: Shape['sidecars'], image: number): readonly string[] =>
  ['app:1', ...(sidecars === 'Hot' ? [] : [`side:${image}`]), ...(sidecars === 'Cold' ? [] : [`mesh:${image}`, emptyImage])].toSorted();

class Fixture implements RefusedFixture<Change> {
  readonly cluster: TeamsCluster;
  readonly owner = sidecarSets;
  readonly isOrdered = false;
  readonly reservesBudget = false;
  readonly #shape: Shape;
  readonly #closed = new Set<number>();
  /** By name of a Pod: what it was injected with. */
  readonly #envs = new Map<string, number>();
  /** Pods that were out of service when a version came that leaves them as they are: they delay no update (spec/sidecarset.md 5.6). */
  readonly #exempt = new Set<string>();
  #version = first;
  #strategy: Strategy;
  #budgetsAnswer = true;
  /** How many warnings each process had given when the generation changed last. */
  #warned = new Map<object, number>();

  constructor(shape: Shape, options: ClusterOptions) {
    this.#shape = shape;
    this.#strategy = { partition: 0, maxUnavailable: shape.maxUnavailable, paused: false };
    const sidecarSet = aSidecarSet({
      containers: sidecarsOf[shape.sidecars].map((sidecarOf) => sidecarOf(first)),
      strategy: { maxUnavailable: shape.maxUnavailable },
    });
    const guarded = { gates: { PodUnavailableBudgetUpdateGate: true }, guards: [{ updateGuard: () => ({ mayUpdate: this.#mayUpdate }) }] };
    this.cluster = new TeamsCluster(sidecarSet, teams, {
      ...options,
      kubelet: { slow: shape.slow },
      ...(shape.budgets === 'None' ? {} : guarded),
    });
    for (let i = 0; i < shape.members; i++) this.#addPod(i % slotCount);
  }

  get demand(): Demand {
    return { wanted: this.#members.length, budget: this.#strategy.maxUnavailable };
  }

  get available(): number {
    for (const pod of this.#members) if (isServing(pod)) this.#exempt.delete(pod.metadata.name);
    return this.#members.filter((pod) => isServing(pod) || this.#exempt.has(pod.metadata.name)).length;
  }

  get pending(): readonly number[] {
    const { partition, paused } = this.#strategy;
    if (paused) return [];
    const upgradable = this.#members.filter(({ metadata }) => this.#envs.get(metadata.name) === this.#version.env);
    const outdated = upgradable.filter((pod) => !this.#hasImage(pod));
    const inMotion = this.#members.filter((pod) => !isServing(pod) || this.#hasTwoWorkingTwins(pod));
    return [...new Set([...(outdated.length > partition ? outdated : []), ...inMotion])].map(slotOfPod);
  }

  get leftovers(): readonly string[] {
    const members = this.#members;
    const { status, metadata } = this.cluster.sidecarSet;
    const wanted = {
      matchedPods: members.length,
      updatedPods: members.length,
      readyPods: members.length,
      updatedReadyPods: members.length,
    };
    const counted = { ...wanted, observedGeneration: metadata.generation };
    return [
      ...members.filter((pod) => !isServing(pod)).map((pod) => `${pod.metadata.name} does not serve`),
      ...members
        .filter((pod) => !this.#isAtRest(pod, first.image))
        .map((pod) => `${pod.metadata.name} has ${pod.spec.containers.map(({ image }) => image).join()}`),
      ...members
        .filter((pod) => podCondition(pod, podConditions.sidecarSetUpgradable)?.status === 'False')
        .map((pod) => `${pod.metadata.name} is not upgradable`),
      ...Object.entries(counted).flatMap(([name, value]) => {
        const held = (status as Readonly<Record<string, unknown>> | undefined)?.[name];
        return held === value ? [] : [`${name} is ${String(held)} instead of ${String(value)}`];
      }),
    ];
  }

  get causes(): readonly string[] {
    return this.#warnings().flatMap(({ reported }) => reported);
  }

  get heldElsewhere(): ReadonlySet<number> {
    return this.#budgetsAnswer ? this.#closed : new Set(teams.map((_, slot) => slot));
  }

  /** Each reason is given once a generation by each process. */
  look(): readonly string[] {
    return this.#warnings().flatMap(({ reported }) =>
      reported.filter((reason, index) => reported.indexOf(reason) !== index).map((reason) => `${reason} twice`),
    );
  }

  slotOf({ type, key }: FakeCall): number | undefined {
    return type === podType ? teams.indexOf(key.namespace) : undefined;
  }

  apply(change: Change): void {
    if (this.#shape.restless) this.cluster.onTick = () => this.#touch();
    if (change.kind === 'Version') return this.#setVersion(change.version);
    if (change.kind === 'Strategy') return this.#setStrategy(change);
    if (change.kind === 'Budget') return this.#setBudget(change.slot, change.is);
    if (change.what === 'Add') return this.#addPod(change.slot);
    const pod = this.#members.findLast((one) => slotOfPod(one) === change.slot);
    if (pod === undefined) return;
    const { metadata } = pod;
    if (change.what === 'Delete') this.cluster.beginDeletion(pod);
    else this.cluster.setPod({ ...pod, metadata: { ...metadata, labels: { app: 'other' } } });
  }

  undo(): void {
    this.cluster.onTick = undefined;
    this.#closed.clear();
    this.#budgetsAnswer = true;
    // Pods that only know another environment cannot be updated, and are replaced by their owners.
    for (const pod of this.#members.filter(({ metadata }) => this.#envs.get(metadata.name) !== first.env))
      this.cluster.setPod({ ...pod, metadata: { ...pod.metadata, labels: { app: 'other' } } });
    this.#setStrategy({ partition: 0, maxUnavailable: this.#shape.maxUnavailable, paused: false });
    this.#setVersion(first);
  }

  readonly #mayUpdate = (pod: Pod): Promise<UpdateAnswer> => {
    if (!this.#budgetsAnswer) return Promise.reject(new Error('the budget cannot be read'));
    const slot = slotOfPod(pod);
    const others = this.#members.filter((other) => slotOfPod(other) === slot && other.metadata.uid !== pod.metadata.uid);
    const isUsedUp = this.#shape.budgets === 'OneAtATime' && others.some((other) => !isServing(other));
    return Promise.resolve(isUsedUp || this.#closed.has(slot) ? { kind: 'Refused', why: 'nothing is left' } : { kind: 'Allowed' });
  };

  /** Whether the SidecarSet, as it is now, may leave the Pod at an earlier version. */
  #maybeLeft({ metadata }: Pod): boolean {
    return this.#strategy.partition > 0 || this.#strategy.paused || this.#envs.get(metadata.name) !== this.#version.env;
  }

  get #members(): readonly Pod[] {
    return this.cluster.pods.filter((pod) => isSelected(pod) && !isTerminating(pod));
  }

  #warnings(): readonly { readonly reported: readonly string[] }[] {
    return this.cluster.managers.map((manager) => ({
      reported: manager.events
        .slice(this.#warned.get(manager) ?? 0)
        .filter(({ about, type }) => about === 'set' && type === 'Warning')
        .map(({ reason }) => reason),
    }));
  }

  #change(spec: Parameters<TeamsCluster['change']>[0]): void {
    const { generation } = this.cluster.sidecarSet.metadata;
    this.cluster.change(spec);
    if (this.cluster.sidecarSet.metadata.generation === generation) return;
    for (const pod of this.#members) if (!isServing(pod) && this.#maybeLeft(pod)) this.#exempt.add(pod.metadata.name);
    this.#warned = new Map(this.cluster.managers.map((manager) => [manager, manager.events.length]));
  }

  #setVersion(version: Version): void {
    this.#version = version;
    this.#change({ containers: sidecarsOf[this.#shape.sidecars].map((sidecarOf) => sidecarOf(version)) });
  }

  #setStrategy({ partition, maxUnavailable, paused }: Strategy): void {
    this.#strategy = { partition, maxUnavailable, paused };
    this.#change({ updateStrategy: { type: 'RollingUpdate', ...this.#strategy } });
  }

  #setBudget(slot: number, is: 'Open' | 'Closed' | 'Unknown'): void {
    if (this.#shape.budgets === 'None') return;
    this.#budgetsAnswer = is !== 'Unknown';
    if (is === 'Unknown') return;
    if (is === 'Closed') this.#closed.add(slot);
    else this.#closed.delete(slot);
  }

  #addPod(slot: number): void {
    this.#envs.set(this.cluster.addPod(teams[slot] ?? ''), this.#version.env);
  }

  #touch(): void {
    const members = this.#members;
    const second = Math.floor(this.cluster.clock.now() / 1000);
    const pod = members[second % Math.max(members.length, 1)];
    if (pod === undefined) return;
    const { annotations } = pod.metadata;
    this.cluster.setPod({ ...pod, metadata: { ...pod.metadata, annotations: { ...annotations, touched: String(second) } } });
  }

  #isAtRest(pod: Pod, image: number): boolean {
    const images = pod.spec.containers.map((container) => container.image ?? '').toSorted();
    return images.join() === imagesAt(this.#shape.sidecars, image).join();
  }

  #hasImage(pod: Pod): boolean {
    const images = new Set(pod.spec.containers.map(({ image }) => image));
    return imagesAt(this.#shape.sidecars, this.#version.image).every((image) => image === emptyImage || images.has(image));
  }

  #hasTwoWorkingTwins(pod: Pod): boolean {
    return this.#shape.sidecars !== 'Cold' && !pod.spec.containers.some(({ image }) => image === emptyImage);
  }
}

const slot = fc.nat({ max: slotCount - 1 });

export const refusedSidecarSets: RefusedKind<Shape, Change> = {
  shapes: fc.record({
    members: fc.integer({ min: 4, max: 9 }),
    sidecars: fc.constantFrom<Shape['sidecars']>('Cold', 'Hot', 'Both'),
    maxUnavailable: fc.integer({ min: 1, max: 3 }),
    slow: fc.boolean(),
    budgets: fc.constantFrom<Shape['budgets']>('None', 'Closable', 'OneAtATime'),
    restless: fc.boolean(),
  }),
  changes: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('Version' as const),
        version: fc.record({ image: fc.integer({ min: 1, max: 4 }), env: fc.constantFrom(0, 0, 0, 0, 1) }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('Strategy' as const),
        partition: fc.constantFrom(0, 0, 1, 2),
        maxUnavailable: fc.integer({ min: 1, max: 3 }),
        paused: fc.constantFrom(false, false, true),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('Pods' as const),
        what: fc.constantFrom<('Add' | 'Delete' | 'Deselect')[]>('Add', 'Delete', 'Deselect'),
        slot,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('Budget' as const),
        slot,
        is: fc.constantFrom<('Open' | 'Closed' | 'Unknown')[]>('Open', 'Closed', 'Closed', 'Closed', 'Unknown'),
      }),
    },
  ),
  resources: ['controllerrevisions', 'sidecarsets'],
  losesNews: true,
  begin: (shape, options) => new Fixture(shape, options),
};
