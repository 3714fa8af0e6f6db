/** A DaemonSet with nodes and kubelets, and one manager at a time, on an API server in memory. */
import { daemonSets, labels, type DaemonSet, type Gates } from '@kruise/api';
import { quietHour, Story, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { controllerRevisions, deepEqual, isPodReady, nodes, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { kubeletStep, withKruisePodReady } from '../../module/kubelet-step.testing.ts';
import { asNew, ControllerLife, newClock, newFakeApi } from '../../module/one-controller.testing.ts';
import { daemonSetController } from './controller.ts';
import { aDaemonSet, aNode, type SetShape } from './testing.ts';

export interface WorldOptions {
  readonly nodes?: readonly string[];
  readonly gates?: Partial<Gates>;
  /** Where the process of that number, from 0, dies. */
  readonly nextDeath?: (life: number) => Death | undefined;
  /** Called before each call reaches the server; a throw is a call that took no effect. */
  readonly before?: (call: FakeCall) => void;
  /** Images that never become ready. */
  readonly brokenImages?: ReadonlySet<string>;
}

const namespace = 'default';
const key = { namespace, name: 'agent' };

export class World {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  /** What the manager begins, writes and tells. */
  readonly story = new Story(this.clock);
  /** Every process so far; the last one runs. */
  readonly lives: ControllerLife[] = [];
  /** Nodes whose kubelet does nothing. */
  readonly lost = new Set<string>();
  /** Nodes whose kubelet refuses every Pod. */
  readonly refusing = new Set<string>();
  readonly #options: WorldOptions;

  constructor(shape: SetShape = {}, options: WorldOptions = {}) {
    this.#options = options;
    for (const name of options.nodes ?? ['n1', 'n2', 'n3']) this.node(name);
    this.api.seed(daemonSets, asNew(aDaemonSet(shape)));
    this.story.tellWrites(this.api);
    this.begin();
  }

  /** A new process takes over. */
  begin(): void {
    const { gates = {}, nextDeath, before } = this.#options;
    const options = { gates, death: nextDeath?.(this.lives.length), story: this.story, ...(before === undefined ? {} : { before }) };
    this.lives.push(new ControllerLife(this.api, this.clock, daemonSetController, options));
  }

  get life(): ControllerLife {
    return this.lives.at(-1) as ControllerLife;
  }

  get set(): DaemonSet {
    return this.api.peek(daemonSets, key) as DaemonSet;
  }

  /** By node, then by name. */
  get pods(): readonly Pod[] {
    const placeOf = (pod: Pod): string => `${nodeOf(pod) ?? ''} ${pod.metadata.name}`;
    return this.api.peekAll(pods, namespace).toSorted((a, b) => placeOf(a).localeCompare(placeOf(b), 'en', { numeric: true }));
  }

  get revisions(): readonly string[] {
    return this.api.peekAll(controllerRevisions, namespace).map(({ metadata, revision }) => `${metadata.name} ${revision}`);
  }

  /** Each Pod as `node image`, with what is unusual about it. */
  get shown(): readonly string[] {
    return this.pods.map((pod) => {
      const { metadata, spec } = pod;
      const marks = [isPodReady(pod) ? '' : 'unready', metadata.deletionTimestamp === undefined ? '' : 'going'].filter(
        (mark) => mark !== '',
      );
      return [nodeOf(pod), spec.containers[0]?.image, metadata.labels?.[labels.lifecycleState] ?? '', ...marks]
        .filter((part) => part !== '')
        .join(' ');
    });
  }

  /** The counters of the status, in the order of printer columns. */
  get summary(): string {
    const { status } = this.set;
    const counters = [
      ['desired', status?.desiredNumberScheduled],
      ['current', status?.currentNumberScheduled],
      ['ready', status?.numberReady],
      ['updated', status?.updatedNumberScheduled],
      ['available', status?.numberAvailable ?? 0],
      ['misscheduled', status?.numberMisscheduled],
    ] as const;
    return counters.map(([name, value]) => `${name} ${value}`).join(', ');
  }

  /** Each condition of the status as `Type Reason: message`. */
  get conditions(): readonly string[] {
    return (this.set.status?.conditions ?? []).map(({ type, reason = '', message = '' }) => `${type} ${reason}: ${message}`);
  }

  get told(): readonly string[] {
    return this.lives.flatMap(({ told }) => told.map(({ reason, message }) => `${reason}: ${message}`));
  }

  node(name: string, over: Parameters<typeof aNode>[1] = {}): void {
    this.api.seed(nodes, aNode(name, over));
  }

  /** Changes the spec as a user would. */
  change(spec: Partial<DaemonSet['spec']>): void {
    const { metadata, ...rest } = this.set;
    const generation = (metadata.generation ?? 0) + 1;
    this.api.seed(daemonSets, { ...rest, metadata: { ...metadata, generation }, spec: { ...rest.spec, ...spec } });
  }

  changeImage(image: string): void {
    const { template } = this.set.spec;
    this.change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image }] } } });
  }

  /** Changes members of the rolling update and leaves the others as they are. */
  roll(over: NonNullable<SetShape['rollingUpdate']>): void {
    const { updateStrategy } = this.set.spec;
    this.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, ...over } } });
  }

  podsOn(node: string): readonly Pod[] {
    return this.pods.filter((pod) => nodeOf(pod) === node);
  }

  podOn(node: string): Pod {
    const [pod] = this.podsOn(node);
    if (pod === undefined) throw new Error(`no Pod on ${node}`);
    return pod;
  }

  setPod(pod: Pod, change: (pod: Pod) => Pod): void {
    this.api.seed(pods, change(pod));
  }

  async deletePod(node: string): Promise<void> {
    await this.api.delete(pods, { namespace, name: this.podOn(node).metadata.name });
  }

  /** The scheduler binds; the kubelets look at every Pod once: they end those that go, and run the others. */
  async runKubelets(): Promise<void> {
    for (const pod of this.pods) {
      const node = nodeOf(pod) ?? '';
      if (this.lost.has(node)) continue;
      if (pod.metadata.deletionTimestamp !== undefined) {
        if ((pod.metadata.finalizers ?? []).length === 0)
          await this.api.delete(pods, { namespace, name: pod.metadata.name }, { gracePeriodSeconds: 0 });
        continue;
      }
      if (pod.status?.phase === 'Failed') continue;
      if (this.refusing.has(node)) {
        this.setPod(pod, failed);
        continue;
      }
      const bound = { ...pod, spec: { ...pod.spec, nodeName: node } };
      const next = kubeletStep(withKruisePodReady(bound), this.clock.now(), this.#options);
      if (!deepEqual(pod, next)) this.api.seed(pods, next);
    }
  }

  /** One second: the manager does what is due, then the kubelets do. A process that died is replaced. */
  async tick(seconds = 1): Promise<void> {
    await this.life.settle();
    if (this.life.dead) {
      await this.life.stop();
      this.begin();
      await this.life.settle();
    }
    await this.runKubelets();
    await this.clock.step(seconds * 1000);
  }

  async ticks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.tick();
  }

  /** Ticks until nothing changes for `quiet` seconds. @throws Error after `limit` */
  async settle(limit = 200, quiet = 3): Promise<void> {
    let since = 0;
    let before = '';
    for (let i = 0; i < limit; i++) {
      await this.tick();
      const now = JSON.stringify([this.pods, this.set.status, this.revisions]);
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

/** What the kubelet writes about a Pod that it refuses. */
export const failed = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: 'Failed', reason: 'OutOfcpu', conditions: [] } });
