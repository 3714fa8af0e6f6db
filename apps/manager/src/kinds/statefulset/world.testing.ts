/** A StatefulSet with its Pods, claims and kubelets, and one manager at a time, on an API server in memory. */
import { labels, statefulSets, type Gates, type StatefulSet } from '@kruise/api';
import { quietHour, Story, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { controllerRevisions, deepEqual, nodes, persistentVolumeClaims, pods, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { kubeletStep, withKruisePodReady } from '../../module/kubelet-step.testing.ts';
import { asNew, ControllerLife, newClock, newFakeApi } from '../../module/one-controller.testing.ts';
import { statefulSetController } from './controller.ts';
import { aStatefulSet, type SetShape } from './testing.ts';

export interface WorldOptions {
  readonly gates?: Partial<Gates>;
  /** Where the process of that number, from 0, dies. */
  readonly nextDeath?: (life: number) => Death | undefined;
  /** Called before each call of the manager reaches the server; a throw is a call that took no effect. */
  readonly before?: (call: FakeCall) => void;
  /** Images that never become ready. */
  readonly brokenImages?: ReadonlySet<string>;
}

const namespace = 'default';
const key = { namespace, name: 'web' };

/** Binds a claim, and grows it as far as it asks for. */
const bound = (claim: PersistentVolumeClaim): PersistentVolumeClaim => ({
  ...claim,
  status: { ...claim.status, phase: 'Bound', capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '0' } },
});

export class World {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  /** What the manager begins, writes and tells. */
  readonly story = new Story(this.clock);
  /** Every process so far; the last one runs. */
  readonly lives: ControllerLife[] = [];
  /** Names of Pods that the kubelets leave alone. */
  readonly stuck = new Set<string>();
  /** Whether somebody binds and grows claims. */
  bindsClaims = true;
  /** What others do in every second, before the kubelets do what is theirs. */
  onTick: (() => void) | undefined;
  readonly #options: WorldOptions;

  constructor(shape: SetShape = {}, options: WorldOptions = {}) {
    this.#options = options;
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    this.api.seed(statefulSets, asNew(aStatefulSet(shape)));
    this.story.tellWrites(this.api);
    this.begin();
  }

  /** A new process takes over. */
  begin(): void {
    const { gates = {}, nextDeath, before } = this.#options;
    const options = { gates, death: nextDeath?.(this.lives.length), story: this.story, ...(before === undefined ? {} : { before }) };
    this.lives.push(new ControllerLife(this.api, this.clock, statefulSetController, options));
  }

  get life(): ControllerLife {
    return this.lives.at(-1) as ControllerLife;
  }

  get set(): StatefulSet {
    return this.api.peek(statefulSets, key) as StatefulSet;
  }

  /** By name. */
  get pods(): readonly Pod[] {
    return this.api.peekAll(pods, namespace).toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true }));
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.api.peekAll(persistentVolumeClaims, namespace);
  }

  get revisions(): readonly string[] {
    return this.api.peekAll(controllerRevisions, namespace).map(({ metadata }) => metadata.name);
  }

  /** Each Pod as `name image state`, with what is unusual about it. */
  get shown(): readonly string[] {
    return this.pods.map(({ metadata, spec, status }) => {
      const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
      const marks = [isReady ? '' : 'unready', metadata.deletionTimestamp === undefined ? '' : 'going'].filter((mark) => mark !== '');
      const state = metadata.labels?.[labels.lifecycleState] ?? '';
      return [metadata.name, spec.containers[0]?.image, ...(state === 'Normal' ? [] : [state]), ...marks].join(' ');
    });
  }

  /** Each condition of the status as `Type: message`. */
  get conditions(): readonly string[] {
    return (this.set.status?.conditions ?? []).map(({ type, reason = '', message = '' }) => `${type} ${reason}: ${message}`);
  }

  /** Changes the spec as a user would. */
  change(spec: Partial<StatefulSet['spec']>): void {
    const { metadata, ...rest } = this.set;
    const generation = (metadata.generation ?? 0) + 1;
    this.api.seed(statefulSets, { ...rest, metadata: { ...metadata, generation }, spec: { ...rest.spec, ...spec } });
  }

  changeImage(image: string): void {
    const { template } = this.set.spec;
    this.change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image }] } } });
  }

  changePod(name: string, change: (pod: Pod) => Pod): void {
    this.api.seed(pods, change(this.api.peek(pods, { namespace, name }) as Pod));
  }

  /** The kubelets look at every Pod once: they end those that go, and run the others. */
  async runKubelets(): Promise<void> {
    for (const pod of this.pods) {
      if (this.stuck.has(pod.metadata.name)) continue;
      if (pod.metadata.deletionTimestamp !== undefined) {
        await this.api.delete(pods, { namespace, name: pod.metadata.name }, { gracePeriodSeconds: 0 });
        continue;
      }
      if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') continue;
      const next = kubeletStep(withKruisePodReady(pod), this.clock.now(), this.#options);
      if (!deepEqual(pod, next)) this.api.seed(pods, next);
    }
    if (!this.bindsClaims) return;
    for (const claim of this.claims) if (!deepEqual(claim, bound(claim))) this.api.seed(persistentVolumeClaims, bound(claim));
  }

  /** One second: the manager does what is due, then the kubelets do. A process that died is replaced. */
  async tick(seconds = 1): Promise<void> {
    await this.life.settle();
    if (this.life.dead) {
      await this.life.stop();
      this.begin();
      await this.life.settle();
    }
    this.onTick?.();
    await this.runKubelets();
    await this.clock.step(seconds * 1000);
  }

  /** Ticks until nothing changes for `quiet` seconds. @throws Error after `limit` */
  async settle(limit = 200, quiet = 3): Promise<void> {
    let since = 0;
    let before = '';
    for (let i = 0; i < limit; i++) {
      await this.tick();
      const now = JSON.stringify([this.pods, this.claims, this.set.status, this.revisions]);
      since = now === before ? since + 1 : 0;
      before = now;
      if (since >= quiet) return;
    }
    throw new Error(`not settled after ${limit} s: ${this.shown.join(', ')}; ${this.conditions.join(', ')}`);
  }

  /** An hour in which no user does anything. @returns what was written all the same: it should be nothing */
  quietHour(): Promise<readonly string[]> {
    return quietHour({ ...this, turn: () => this.tick() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.life.stop();
  }
}

/** Somebody deletes a Pod; the kubelet ends it. */
export async function deletePod(world: World, name: string): Promise<void> {
  await world.api.delete(pods, { namespace, name });
}

/** What the kubelet writes about a Pod that has ended with an error. */
export const failed = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: 'Failed', conditions: [] } });
