/** A UnitedDeployment with workloads and their Pods, and one manager at a time, on an API server in memory. */
import { unitedDeployments, type UnitedDeployment, type UnitedDeploymentSpec } from '@kruise/api';
import { quietHour, Story, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { controllerRevisions } from '@kruise/objects';
import { asNew, ControllerLife, newClock, newFakeApi } from '../../module/one-controller.testing.ts';
import { unitedDeploymentController } from './controller.ts';
import { aUnited, templateOf, type UnitedShape } from './testing.ts';
import { Workloads } from './workloads.testing.ts';

export interface WorldOptions {
  /** Where the process of that number, from 0, dies. */
  readonly nextDeath?: (life: number) => Death | undefined;
  /** Called before each call of a manager reaches the server; a throw is a call that took no effect. */
  readonly before?: (call: FakeCall) => void;
  /** Objects that are there before the manager starts. */
  readonly prepare?: (api: FakeApi) => void;
}

const namespace = 'default';
const key = { namespace, name: 'web' };

export class World {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  /** What the manager begins, writes and tells. */
  readonly story = new Story(this.clock);
  readonly workloads = new Workloads(this.api, this.clock);
  /** Every process so far; the last one runs. */
  readonly lives: ControllerLife[] = [];
  readonly #options: WorldOptions;

  constructor(shape: UnitedShape = {}, options: WorldOptions = {}) {
    this.#options = options;
    options.prepare?.(this.api);
    this.api.seed(unitedDeployments, asNew(aUnited(shape)));
    this.story.tellWrites(this.api);
    this.begin();
  }

  /** A new process takes over. */
  begin(): void {
    const { nextDeath, before } = this.#options;
    const options = { death: nextDeath?.(this.lives.length), story: this.story, ...(before === undefined ? {} : { before }) };
    this.lives.push(new ControllerLife(this.api, this.clock, unitedDeploymentController, options));
  }

  get life(): ControllerLife {
    return this.lives.at(-1) as ControllerLife;
  }

  get united(): UnitedDeployment {
    return this.api.peek(unitedDeployments, key) as UnitedDeployment;
  }

  get shown(): readonly string[] {
    return this.workloads.shown;
  }

  get revisions(): readonly string[] {
    return this.api.peekAll(controllerRevisions, namespace).map(({ metadata, revision }) => `${metadata.name} ${revision}`);
  }

  get status(): NonNullable<UnitedDeployment['status']> {
    return this.united.status ?? { currentRevision: '', replicas: 0, updatedReplicas: 0 };
  }

  /** Each condition as `Type Status Reason`. */
  get conditions(): readonly string[] {
    return (this.status.conditions ?? []).map(({ type, status, reason = '' }) => `${type} ${status} ${reason}`.trim());
  }

  /** Each subset as `name replicas`, with what is unusual about it. */
  get subsets(): readonly string[] {
    return (this.status.subsetStatuses ?? []).map(({ name = '', replicas = 0, reservedPods = 0, conditions = [] }) =>
      [name, replicas, reservedPods > 0 ? `${reservedPods} reserved` : '', ...conditions.map(({ status }) => `Schedulable=${status}`)]
        .filter((part) => part !== '')
        .join(' '),
    );
  }

  get told(): readonly string[] {
    return this.lives.flatMap(({ told }) => told.map(({ reason, message }) => `${reason}: ${message}`));
  }

  /** Changes the spec as a user would. */
  change(spec: Partial<UnitedDeploymentSpec>): void {
    const { metadata, ...rest } = this.united;
    const generation = (metadata.generation ?? 0) + 1;
    this.api.seed(unitedDeployments, { ...rest, metadata: { ...metadata, generation }, spec: { ...rest.spec, ...spec } });
  }

  changeImage(image: string, kind: UnitedShape['kind'] = 'CloneSet', child: object = {}): void {
    this.change({ template: templateOf(kind, image, child) });
  }

  /** One second: the manager does what is due, then workloads and kubelets do. A process that died is replaced. */
  async tick(seconds = 1): Promise<void> {
    await this.life.settle();
    if (this.life.dead) {
      await this.life.stop();
      this.begin();
      await this.life.settle();
    }
    await this.workloads.step();
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
      const now = JSON.stringify([this.shown, this.status, this.revisions]);
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
