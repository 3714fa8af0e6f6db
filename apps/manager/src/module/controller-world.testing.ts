/** One object with its controller, one manager at a time, on an API server in memory: what the worlds of the kinds have in common. */
import type { Gates } from '@kruise/api';
import type { DeleteOptions } from '@kruise/kube';
import { quietHour, Story, type ConnectionFaults, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { pods, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import fc from 'fast-check';
import type { ControllerModule, KindModule } from './kind-module.ts';
import { asNew, ControllerLife, newClock, newFakeApi, type LifeOptions } from './one-controller.testing.ts';

export interface WorldOptions extends ConnectionFaults, Pick<LifeOptions, 'resourceWriting'> {
  readonly gates?: Partial<Gates>;
  /** Kinds that the cluster does not have. */
  readonly absent?: readonly string[];
  /** Who has a say in updates. */
  readonly guards?: readonly KindModule[];
  /** Where the process of that number, from 0, dies. */
  readonly nextDeath?: (life: number) => Death | undefined;
  /** Images that never become ready. */
  readonly brokenImages?: ReadonlySet<string>;
}

/** Whose controller runs. */
export interface Subject<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly key: ObjectKey;
  readonly controller: ControllerModule;
  /** Controllers of other kinds that run in the same process. */
  readonly others?: readonly ControllerModule[] | undefined;
}

interface Told {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

type Tended = KubeObject & { readonly spec: object; readonly status?: object | undefined };

/**
 * What becomes of managers: another process takes over (`Kill`), begins beside the first (`Rival`), or no cache learns of anything (`Blind`) until
 * one manager is left, and sees (`Clear`).
 */
export const managerDisturbances = ['Kill', 'Rival', 'Blind', 'Clear'] as const;
export interface ManagerDisturbance {
  readonly kind: (typeof managerDisturbances)[number];
}
/** Any of them but the plain death, which harms no promise. */
export const blurs: fc.Arbitrary<ManagerDisturbance> = fc.record({ kind: fc.constantFrom('Rival', 'Blind', 'Clear') });

export const isOfManager = (disturbance: { readonly kind: string }): disturbance is ManagerDisturbance =>
  (managerDisturbances as readonly string[]).includes(disturbance.kind);

/** What has taken the name since is no one that was meant, and containers that still run make room for no other. @returns what is wrong with it */
export function carelessness({ key, body, type }: FakeCall): readonly string[] {
  const { preconditions, gracePeriodSeconds } = (body ?? {}) as DeleteOptions;
  return [
    ...(preconditions?.uid === undefined ? [`${type?.kind ?? ''} ${key.name} was deleted, whatever has the name`] : []),
    ...(gracePeriodSeconds === undefined ? [] : [`${key.name} was deleted without the time that it may take`]),
  ];
}

export abstract class ControllerWorld<T extends Tended> {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  /** What the manager begins, writes and tells. */
  readonly story = new Story(this.clock);
  /** Every process so far; the last one runs. */
  readonly lives: ControllerLife[] = [];
  /** What others do in every second, before kubelets do what is theirs. */
  onTick: (() => void) | undefined;
  protected readonly options: WorldOptions;
  readonly #subject: Subject<T>;

  constructor(subject: Subject<T>, options: WorldOptions) {
    this.#subject = subject;
    this.options = options;
  }

  /** What everybody but the manager does in a second. */
  protected abstract runKubelets(): Promise<void>;
  /** All that must stand still in a world at rest. */
  protected abstract get seen(): unknown;
  /** What runs, a line for each. */
  abstract get shown(): readonly string[];

  /** A user makes the object, and the first manager begins. */
  protected start(object: T): void {
    this.api.seed(this.#subject.type, asNew(object));
    this.story.tellWrites(this.api);
    this.begin();
  }

  /** A new process takes over. */
  begin(): void {
    const { gates = {}, absent = [], guards = [], nextDeath, resourceWriting = 'Ignored', before, after } = this.options;
    const death = nextDeath?.(this.lives.length);
    const options = { gates, absent, guards, resourceWriting, death, story: this.story, before, after };
    const { controller, others = [] } = this.#subject;
    this.lives.push(new ControllerLife(this.api, this.clock, [controller, ...others], options));
  }

  get life(): ControllerLife {
    return this.lives.at(-1) as ControllerLife;
  }

  /** Undefined when it is gone. */
  get found(): T | undefined {
    return this.api.peek(this.#subject.type, this.#subject.key);
  }

  protected get object(): T {
    const { found } = this;
    if (found === undefined) throw new Error(`${this.#subject.key.name} is gone`);
    return found;
  }

  /** Each condition of the status as `Type Reason: message`. */
  get conditions(): readonly string[] {
    const { conditions = [] } = (this.object.status ?? {}) as { readonly conditions?: readonly Told[] };
    return conditions.map(({ type, reason = '', message = '' }) => `${type} ${reason}: ${message}`);
  }

  /** Each event as `Reason: message`. */
  get told(): readonly string[] {
    return this.lives.flatMap(({ told }) => told.map(({ reason, message }) => `${reason}: ${message}`));
  }

  /** Changes the spec as a user would. */
  change(spec: Partial<T['spec']>): void {
    const { metadata, ...rest } = this.object;
    const generation = (metadata.generation ?? 0) + 1;
    this.api.seed(this.#subject.type, { ...rest, metadata: { ...metadata, generation }, spec: { ...rest.spec, ...spec } } as T);
  }

  /** A Pod is gone at once, as when its kubelet has ended it. */
  protected async endPod(name: string): Promise<void> {
    await this.api.delete(pods, { namespace: this.#subject.key.namespace, name }, { gracePeriodSeconds: 0 });
  }

  /** One second: the manager does what is due, then everybody else does. A process that died is replaced. */
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

  async ticks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.tick();
  }

  /** Ticks until nothing changes for `quiet` seconds. @throws Error after `limit` */
  async settle(limit = 200, quiet = 3): Promise<void> {
    let since = 0;
    let before = '';
    for (let i = 0; i < limit; i++) {
      await this.tick();
      const now = JSON.stringify([this.seen, this.object.status]);
      since = now === before ? since + 1 : 0;
      before = now;
      if (since >= quiet) return;
    }
    throw new Error(`not settled after ${limit} s: ${this.shown.join(', ')}; ${this.conditions.join(', ')}`);
  }

  async disturbManager({ kind }: ManagerDisturbance): Promise<void> {
    if (kind === 'Blind') return this.api.holdWatches();
    if (kind === 'Clear') return this.clear();
    if (kind === 'Kill') await this.life.stop();
    this.begin();
  }

  /** One manager is left, and it sees. */
  async clear(): Promise<void> {
    this.api.releaseWatches();
    for (const older of this.lives.slice(0, -1)) await older.stop();
  }

  /** An hour in which no user does anything. @returns what was written all the same: it should be nothing */
  quietHour(): Promise<readonly string[]> {
    return quietHour({ api: this.api, clock: this.clock, turn: () => this.tick() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.life.stop();
  }
}
