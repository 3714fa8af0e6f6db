/** A node whose probes are run: controller and workers, a scripted runtime behind a real socket, and a fake API server. */
import { expect } from '@jest/globals';
import { nodePodProbes, type ContainerProbe, type NodePodProbe, type PodProbe } from '@kruise/api';
import { CountingChannel, isQuiet } from '@kruise/cri/testing';
import { CachingClient, Informers, Trigger } from '@kruise/kube';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import { pods, seconds, type Pod } from '@kruise/objects';
import { isBusyWithFiles } from '@kruise/testing';
import { NodeFixture } from '../node-fixture.testing.ts';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { aNodePod, runContainer } from '../testing.ts';
import { ProbeController } from './controller.ts';
import { ProbeTurns } from './probe-turns.ts';
import { ProbeWorkers } from './probe-workers.ts';

export const probeKey = { namespace: '', name: 'node1' };
const signal = new AbortController().signal;
export const exec = (...command: readonly string[]): ContainerProbe => ({ exec: { command }, periodSeconds: 1 });

export class ProbesFixture extends NodeFixture {
  readonly connection = new CountingChannel(this.runtime.socket);
  /** In their order on the node. */
  readonly runtimes: CriRuntime[] = [this.found(this.connection)];
  readonly informers = new Informers({ client: this.api, clock: this.clock, logger: silentLogger() });
  readonly events: string[] = [];
  pod = aNodePod();
  readonly #pods = this.informers.informer(pods);
  readonly #lists = this.informers.informer(nodePodProbes);
  readonly #results = new Trigger();
  workers: ProbeWorkers;
  readonly #watched: boolean;
  #controller: ProbeController;

  /** Creates a node. @param watched whether the agent knows the Pods of its node */
  constructor({ watched = true }: { readonly watched?: boolean } = {}) {
    super({ clock: new FakeClock(undefined, 'WhenIdle') });
    this.#watched = watched;
    [this.workers, this.#controller] = this.#live();
  }

  /** Creates what a start of the agent does. */
  #live(): readonly [ProbeWorkers, ProbeController] {
    const { runtimes } = this;
    const common = { clock: this.clock, pods: this.#watched ? this.#pods.store : undefined };
    const workers = new ProbeWorkers({
      ...common,
      runtimes: {
        all: runtimes,
        named: (wanted) => runtimes.find(({ name }) => name === wanted),
        missed: () => undefined,
      },
      logger: silentLogger(),
      random: () => 0,
      startedAt: this.clock.monotonic(),
      turns: new ProbeTurns(this.clock),
      onResult: () => this.#results.enqueue(probeKey),
    });
    const controller = new ProbeController({
      ...common,
      nodeName: 'node1',
      lists: this.#lists,
      workers,
      results: this.#results,
      client: new CachingClient(this.api, this.informers),
      events: this.recorder((text, type) => void this.events.push(`${type} ${text}`)),
    });
    return [workers, controller];
  }

  /** Ends the agent and starts it again, with `meanwhile` in between. */
  async restart(meanwhile?: () => void): Promise<void> {
    await this.workers.stop();
    meanwhile?.();
    await this.clock.step(seconds(2));
    [this.workers, this.#controller] = this.#live();
    this.#controller.sync(probeKey);
    await this.write();
  }

  async begin(): Promise<void> {
    // The clock does not advance before files are read and the runtime has answered every call except those that a script delays.
    this.clock.isBusy = () => isBusyWithFiles() || !isQuiet(this.runtime, [this.connection]);
    await this.runtime.start();
    this.pod = await this.api.create(pods, this.pod);
    this.#pods.store.observe(this.pod);
    await this.api.create(nodePodProbes, { metadata: { name: 'node1' }, spec: {} });
    this.runApp();
    await this.clock.step(seconds(5));
    this.record();
  }

  /** Starts a (new) instance of the container. */
  runApp(id = 'app-1', createdAt = '1000'): void {
    runContainer(this.runtime, this.pod, { id, createdAt });
  }

  /** Adds another Pod that the API server has on this node, or updates the own one. */
  observe(pod: Pod): void {
    this.#pods.store.observe(pod);
  }

  /** Returns the Pod's entry in a list. */
  entry(probes: Readonly<Record<string, ContainerProbe>>, over: Partial<PodProbe> = {}): PodProbe {
    const { name, namespace = '', uid = '' } = this.pod.metadata;
    const listed = Object.entries(probes).map(([probe, of]) => ({ name: `m#${probe}`, containerName: 'app', probe: of }));
    return { name, namespace, uid, IP: '', probes: listed, ...over };
  }

  /** Writes the whole list of the node. */
  async ask(...podProbes: readonly PodProbe[]): Promise<void> {
    const held = await this.api.get(nodePodProbes, probeKey);
    this.#lists.store.observe(await this.api.update(nodePodProbes, { ...held, spec: podProbes.length === 0 ? {} : { podProbes } }));
    this.#controller.sync(probeKey);
    await this.write();
  }

  async list(probes: Readonly<Record<string, ContainerProbe>>): Promise<void> {
    await this.ask(...(Object.keys(probes).length === 0 ? [] : [this.entry(probes)]));
  }

  async write(): Promise<void> {
    await this.#controller.writeStatus(probeKey, signal);
  }

  states(): readonly string[] {
    return this.workers.results.map(({ probe, state, message }) => `${probe}=${state} ${message}`.trim());
  }

  /** Lets a second pass, and the runtime answer. */
  async pass(): Promise<void> {
    await this.settle();
    await this.clock.step(seconds(1));
    await this.settle();
  }

  settle(): Promise<void> {
    return this.clock.settle();
  }

  /** Lets time pass until the workers report these results. */
  async until(...expected: readonly string[]): Promise<void> {
    for (let second = 0; second < 60 && JSON.stringify(this.states()) !== JSON.stringify(expected); second++) await this.pass();
    expect(this.states()).toEqual(expected);
  }

  async status(): Promise<readonly string[]> {
    await this.write();
    const { status }: NodePodProbe = await this.api.get(nodePodProbes, probeKey);
    return (status?.podProbeStatuses ?? []).flatMap(({ name: pod, probeStates = [] }) =>
      probeStates.map(({ name, state }) => `${pod}/${name}=${state}`),
    );
  }

  override async end(): Promise<void> {
    await this.workers.stop();
    this.connection.close();
    await super.end();
  }
}
