/**
 * A cluster in memory: the API server, a clock that only advances when a test advances it, the processes of the manager with the refusals and deaths
 * of their writes, the kubelets, and the garbage collector. A kind adds the builders of its objects, and what users and nodes do.
 */
import { quietHour, Timeline, type Death, type FakeApi, type FakeClock } from '@kruise/kube/testing';
import { pods, type Pod, type ResourceType } from '@kruise/objects';
import { ControllerProcess, newClock, newFakeApi, type ProcessOptions } from './controller-process.testing.ts';
import { collectGarbage } from './garbage-collector.testing.ts';
import type { ControllerModule } from './kind-module.ts';

/** Options of every process of the cluster. */
export interface ProcessesOptions extends Omit<ProcessOptions, 'death' | 'timeline'> {
  /** The write at which the process of that number, from 0, dies. */
  readonly nextDeath?: ((index: number) => Death | undefined) | undefined;
}

/** What a kubelet does with a Pod; undefined if it changes nothing. */
export type KubeletStep = (pod: Pod) => Pod | undefined;

export class InMemoryCluster implements AsyncDisposable {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  /** The actions and events of every process, and from {@link record} on the writes of all clients. */
  readonly timeline = new Timeline(this.clock);
  /** Every process so far, the newest one last. */
  readonly managers: ControllerProcess[] = [];
  /** What other clients do in every second, before the nodes do their part. */
  onTick: (() => void) | undefined;
  readonly #controllers: ControllerModule | readonly ControllerModule[];
  readonly #options: ProcessesOptions;

  /** @param controllers that each process runs */
  constructor(controllers: ControllerModule | readonly ControllerModule[], options: ProcessesOptions = {}) {
    this.#controllers = controllers;
    this.#options = options;
  }

  /** Starts another process. @param over options of this process alone */
  begin(over: ProcessOptions = {}, controllers = this.#controllers): ControllerProcess {
    const { nextDeath, ...options } = this.#options;
    const death = nextDeath?.(this.managers.length);
    const manager = new ControllerProcess(this.api, this.clock, controllers, { timeline: this.timeline, ...options, death, ...over });
    this.managers.push(manager);
    return manager;
  }

  /** The newest process. */
  get manager(): ControllerProcess {
    return this.managers.at(-1) as ControllerProcess;
  }

  /** Each event as `Reason: message`. */
  get events(): readonly string[] {
    return this.managers.flatMap(({ events }) => events.map(({ reason, message }) => `${reason}: ${message}`));
  }

  /** Records all writes from now on. */
  record(): void {
    this.timeline.recordWrites(this.api);
  }

  /** What nodes and other controllers do in a second. */
  protected runKubelets(): Promise<void> {
    return Promise.resolve();
  }

  /** The manager does what is due now. */
  protected async settleManager(): Promise<void> {
    await this.manager.settle();
  }

  /** Advances the clock by a second: first the manager does what is due, then the others. A process that died is replaced. */
  async tick(seconds = 1): Promise<void> {
    await this.settleManager();
    await this.replaceDead();
    this.onTick?.();
    await this.runKubelets();
    await this.clock.step(seconds * 1000);
  }

  async ticks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.tick();
  }

  /** Another process follows one that died. */
  protected async replaceDead(): Promise<void> {
    if (!this.manager.dead) return;
    await this.manager.stop();
    this.begin();
    await this.settleManager();
  }

  /**
   * The kubelets delete Pods whose deletion has been requested, and run the others.
   *
   * @param mayEnd whether the containers of a Pod that is being deleted have ended
   */
  protected async runPods(all: readonly Pod[], step: KubeletStep, mayEnd: (pod: Pod) => boolean = () => true): Promise<void> {
    for (const pod of all) {
      if (pod.metadata.deletionTimestamp !== undefined) {
        if (mayEnd(pod)) await this.endPod(pod);
        continue;
      }
      const next = step(pod);
      if (next !== undefined && next !== pod) this.api.seed(pods, next);
    }
  }

  /** Deletes a Pod without grace period, as its kubelet does after its containers have ended. */
  protected async endPod({ metadata: { namespace = '', name } }: Pod): Promise<void> {
    await this.api.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
  }

  /** The garbage collector deletes the objects of these types whose owners no longer exist. */
  protected collect(types: readonly ResourceType[], owners: readonly ResourceType[]): Promise<void> {
    return collectGarbage(this.api, types, owners);
  }

  /** Runs an hour in which no user does anything. @returns what was written nevertheless: it should be nothing */
  quietHour(): Promise<readonly string[]> {
    return quietHour({ api: this.api, clock: this.clock, turn: () => this.tick() });
  }

  /** Stops all processes. */
  async stop(): Promise<void> {
    for (const manager of this.managers) await manager.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
