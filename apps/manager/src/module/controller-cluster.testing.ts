/** A cluster in memory with one object and its controller, for kinds whose tests follow one object: its spec, status, rest and rival managers. */
import type { DeleteOptions } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import type { KubeObject, ObjectKey, ResourceType } from '@kruise/objects';
import fc from 'fast-check';
import { asNew } from './controller-process.testing.ts';
import { InMemoryCluster, type ProcessesOptions } from './in-memory-cluster.testing.ts';
import type { ControllerModule } from './kind-module.ts';

export interface ClusterOptions extends ProcessesOptions {
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
 * Disturbances of managers: another process takes over (`Kill`) or begins beside the first (`Rival`), or no cache receives events (`Blind`) until one
 * manager is left and its watches catch up (`Clear`).
 */
export const managerDisturbances = ['Kill', 'Rival', 'Blind', 'Clear'] as const;
export interface ManagerDisturbance {
  readonly kind: (typeof managerDisturbances)[number];
}
/** All of them but the plain death, which breaks no promise. */
export const blurs: fc.Arbitrary<ManagerDisturbance> = fc.record({ kind: fc.constantFrom('Rival', 'Blind', 'Clear') });

export const isOfManager = (disturbance: { readonly kind: string }): disturbance is ManagerDisturbance =>
  (managerDisturbances as readonly string[]).includes(disturbance.kind);

/**
 * A deletion names the object by its uid, so that it spares a successor of the name, and keeps the grace period. That of a Pod also names the version,
 * so that it spares a Pod that has become ready since. @returns what is wrong with it
 */
export function carelessness({ key, body, type }: FakeCall): readonly string[] {
  const { preconditions, gracePeriodSeconds } = (body ?? {}) as DeleteOptions;
  return [
    ...(preconditions?.uid === undefined ? [`${type?.kind ?? ''} ${key.name} was deleted, whatever has the name`] : []),
    ...(type?.kind === 'Pod' && preconditions?.resourceVersion === undefined ? [`Pod ${key.name} was deleted in any version`] : []),
    ...(gracePeriodSeconds === undefined ? [] : [`${key.name} was deleted without the time that it may take`]),
  ];
}

export abstract class ControllerCluster<T extends Tended> extends InMemoryCluster {
  protected readonly options: ClusterOptions;
  readonly #subject: Subject<T>;

  constructor(subject: Subject<T>, options: ClusterOptions) {
    super([subject.controller, ...(subject.others ?? [])], options);
    this.#subject = subject;
    this.options = options;
  }

  /** Everything that must not change in a cluster at rest. */
  protected abstract get seen(): unknown;
  /** What runs, a line for each. */
  abstract get shown(): readonly string[];

  /** A user creates the object, and the first process begins. */
  protected start(object: T): void {
    this.api.seed(this.#subject.type, asNew(object));
    this.record();
    this.begin();
  }

  /** Undefined when it is deleted. */
  get found(): T | undefined {
    return this.api.peek(this.#subject.type, this.#subject.key);
  }

  protected get object(): T {
    const { found } = this;
    if (found === undefined) throw new Error(`${this.#subject.key.name} does not exist`);
    return found;
  }

  /** Each condition of the status as `Type Reason: message`. */
  get conditions(): readonly string[] {
    const { conditions = [] } = (this.object.status ?? {}) as { readonly conditions?: readonly ReportedCondition[] };
    return conditions.map(({ type, reason = '', message = '' }) => `${type} ${reason}: ${message}`);
  }

  /** Changes the spec as a user would. */
  change(spec: Partial<T['spec']>): void {
    const { metadata, ...rest } = this.object;
    const generation = (metadata.generation ?? 0) + 1;
    this.api.seed(this.#subject.type, { ...rest, metadata: { ...metadata, generation }, spec: { ...rest.spec, ...spec } } as T);
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

  /** Stops all processes but the newest one, whose watches catch up. */
  async clear(): Promise<void> {
    this.api.releaseWatches();
    for (const older of this.managers.slice(0, -1)) await older.stop();
  }
}
