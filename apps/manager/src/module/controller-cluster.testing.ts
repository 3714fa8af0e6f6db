/** One object with its controller, one manager at a time, on an API server in memory: what the worlds of the kinds have in common. */
import type { Gates } from '@kruise/api';
import type { DeleteOptions } from '@kruise/kube';
import { quietHour, Timeline, type ConnectionFaults, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { pods, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import fc from 'fast-check';
import type { ControllerModule, KindModule } from './kind-module.ts';
import { asNew, ControllerProcess, newClock, newFakeApi, type ProcessOptions } from './controller-process.testing.ts';

export interface ClusterOptions extends ConnectionFaults, Pick<ProcessOptions, 'resourceWriting'> {
  readonly gates?: Partial<Gates>;
  /** Kinds that the cluster does not have. */
  readonly absent?: readonly string[];
  /** Who has a say in updates. */
  readonly guards?: readonly KindModule[];
  /** Where the process of that number, from 0, dies. */
  readonly nextDeath?: (index: number) => Death | undefined;
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

interface ReportedCondition {
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

export abstract class ControllerCluster<T extends Tended> {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  /** What the manager begins, writes and tells. */
  readonly timeline = new Timeline(this.clock);
  /** Every process so far; the last one runs. */
  readonly managers: ControllerProcess[] = [];
  /** What others do in every second, before kubelets do what is theirs. */
  onTick: (() => void) | undefined;
  protected readonly options: ClusterOptions;
  readonly #subject: Subject<T>;

  constructor(subject: Subject<T>, options: ClusterOptions) {
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
    this.timeline.recordWrites(this.api);
    this.begin();
  }

  /** A new process takes over. */
  begin(): void {
    const { gates = {}, absent = [], guards = [], nextDeath, resourceWriting = 'Ignored', before, after } = this.options;
    const death = nextDeath?.(this.managers.length);
    const options = { gates, absent, guards, resourceWriting, death, timeline: this.timeline, before, after };
    const { controller, others = [] } = this.#subject;
    this.managers.push(new ControllerProcess(this.api, this.clock, [controller, ...others], options));
  }

  get manager(): ControllerProcess {
    return this.managers.at(-1) as ControllerProcess;
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
    const { conditions = [] } = (this.object.status ?? {}) as { readonly conditions?: readonly ReportedCondition[] };
    return conditions.map(({ type, reason = '', message = '' }) => `${type} ${reason}: ${message}`);
  }

  /** Each event as `Reason: message`. */
  get events(): readonly string[] {
    return this.managers.flatMap(({ events }) => events.map(({ reason, message }) => `${reason}: ${message}`));
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
    await this.manager.settle();
    if (this.manager.dead) {
      await this.manager.stop();
      this.begin();
      await this.manager.settle();
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
    if (kind === 'Kill') await this.manager.stop();
    this.begin();
  }

  /** One manager is left, and it sees. */
  async clear(): Promise<void> {
    this.api.releaseWatches();
    for (const older of this.managers.slice(0, -1)) await older.stop();
  }

  /** An hour in which no user does anything. @returns what was written all the same: it should be nothing */
  quietHour(): Promise<readonly string[]> {
    return quietHour({ api: this.api, clock: this.clock, turn: () => this.tick() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.stop();
  }
}
