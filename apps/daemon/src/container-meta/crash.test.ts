/**
 * Agents that are killed at every report and every stop of an in-place update that changes the environment of two containers, before and after the
 * other side did it, with the kubelet faster than the next agent or not: each container is restarted once, and the report is correct in the end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CountingChannel, ScriptedFailure, ScriptedRuntime } from '@kruise/cri/testing';
import { CachingClient, Informers, type Informer, type StoreEvent } from '@kruise/kube';
import { deathsAtEveryStep, FakeApi, FakeClock, Lifetime, silentLogger, type Death } from '@kruise/kube/testing';
import { pods, type Container, type Pod } from '@kruise/objects';
import { metadataEnvHash, runtimeMetaOf } from '@kruise/pods';
import { Registry } from 'prom-client';
import { aNodePod, app, runContainer } from '../testing.ts';
import { ContainerMetaController } from './controller.ts';
import { createContainerMetaMetrics } from './metrics.ts';
import type { Restart } from './plan-restart.ts';
import { requestsOfPod } from './plan-triggers.ts';
import { Restarter, restartRequest } from './restarter.ts';

const key = { namespace: 'default', name: 'web' };
const names = ['app', 'side'] as const;
const containers: readonly Container[] = names.map((name) => ({ ...app, name }));
const signal = new AbortController().signal;
const unavailable = 14;

const killed = (): ScriptedFailure => new ScriptedFailure(unavailable, 'killed');

/** A simulated node: a runtime behind a real socket, a kubelet, an API server, and one agent at a time. */
class Node {
  readonly #folder = mkdtempSync(join(tmpdir(), 'meta-crash-'));
  readonly runtime = new ScriptedRuntime({ socket: join(this.#folder, 'run.sock') });
  readonly api = new FakeApi();
  readonly clock = new FakeClock();
  /** Ids of containers that a stop ended. */
  readonly ended: string[] = [];
  agent: Agent | undefined;

  async start(): Promise<void> {
    await this.runtime.start();
    const ids = Object.fromEntries(names.map((name) => [name, `containerd://${name}-1`]));
    const shape = aNodePod({ containers, ids });
    const created = await this.api.create(pods, shape);
    await this.api.updateStatus(pods, { ...created, status: shape.status ?? {} });
    for (const name of names) this.#run(name, 1);
    this.runtime.on('StopContainer', ({ containerId }: { containerId: string }) => {
      const stop = (): object => {
        const container = this.runtime.containers.get(containerId);
        if (container?.state === 'CONTAINER_RUNNING') {
          this.runtime.containers.set(containerId, { ...container, state: 'CONTAINER_EXITED' });
          this.ended.push(containerId);
        }
        return {};
      };
      return this.agent === undefined ? stop() : this.agent.lifetime.carryOut(stop, killed);
    });
  }

  async end(): Promise<void> {
    await this.agent?.stop();
    await this.runtime.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async newAgent(death?: Death): Promise<Agent> {
    await this.agent?.stop();
    this.agent = new Agent(this, death);
    return this.agent;
  }

  get pod(): Pod {
    return this.api.peek(pods, key) as Pod;
  }

  #run(name: (typeof names)[number], number: number): void {
    runContainer(this.runtime, this.pod, {
      id: `${name}-${number}`,
      spec: { ...app, name },
      createdAt: String(BigInt(this.clock.now()) * 1_000_000n + BigInt(number)),
      restartCount: number - 1,
      env: { CFG: this.pod.metadata.annotations?.['cfg'] ?? '' },
    });
  }

  newest(name: string): string {
    const ids = [...this.runtime.containers.values()].filter(({ metadata }) => metadata?.name === name).map(({ id }) => id);
    return ids.toSorted().at(-1) ?? '';
  }

  /** Recreates ended containers, and reports what runs. */
  kubelet(): void {
    for (const name of names) {
      const id = this.newest(name);
      if (this.runtime.containers.get(id)?.state === 'CONTAINER_EXITED') this.#run(name, Number(id.slice(name.length + 1)) + 1);
    }
    const { pod } = this;
    const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => ({
      ...status,
      containerID: `containerd://${this.newest(status.name)}`,
    }));
    this.api.seed(pods, { ...pod, status: { ...pod.status, containerStatuses } });
  }

  /** The manager's half of the update: out of service, then the new annotation. */
  update(cfg: string): void {
    const { pod } = this;
    const conditions = [{ type: 'InPlaceUpdateReady', status: 'False' }];
    const annotations = { ...pod.metadata.annotations, cfg };
    this.api.seed(pods, { ...pod, metadata: { ...pod.metadata, annotations }, status: { ...pod.status, conditions } });
  }

  get isDone(): boolean {
    const metas = runtimeMetaOf(this.pod) ?? [];
    return names.every((name) => {
      const meta = metas.find((one) => one.name === name);
      const wanted = metadataEnvHash({ ...app, name }, this.pod.metadata);
      return meta?.containerID === `containerd://${this.newest(name)}` && meta.metadataEnvHash === wanted;
    });
  }
}

/** An agent until its death, whose steps are its reports and stops. The restarts that it plans are only in its memory. */
class Agent {
  readonly lifetime: Lifetime;
  readonly #clock: FakeClock;
  readonly #connection: CountingChannel;
  readonly #informers: Informers;
  readonly #pods: Informer<Pod>;
  readonly #controller: ContainerMetaController;
  readonly #restarter: Restarter;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  #wanted: Restart[] = [];
  #seen: Pod | undefined;
  #mustLook = false;

  constructor(node: Node, death?: Death) {
    this.lifetime = new Lifetime(death);
    this.#connection = new CountingChannel(node.runtime.socket);
    const client = this.lifetime.connect(node.api, 'daemon');
    const logger = silentLogger();
    const { clock } = node;
    this.#clock = clock;
    this.#informers = new Informers({ client, clock, logger });
    this.#pods = this.#informers.informer(pods, {});
    const runtime = { name: 'containerd', version: '1', socket: node.runtime.socket, connection: this.#connection };
    const runtimes = { named: (name: string) => (name === 'containerd' ? runtime : undefined), missed: () => undefined };
    const metrics = createContainerMetaMetrics(new Registry());
    this.#controller = new ContainerMetaController({
      pods: this.#pods,
      client: new CachingClient(client, this.#informers),
      runtimes,
      logger,
      metrics,
      withEnv: true,
      restart: (restart) => void this.#wanted.push(restart),
    });
    this.#restarter = new Restarter({ pods: this.#pods.store, runtimes, clock, logger, metrics, events: { event: () => undefined } });
    this.#running = this.#informers.run(AbortSignal.any([this.#end.signal, this.lifetime.ended]));
  }

  /** Runs a pass. An event of the watch enqueues the Pod or not; a failure enqueues it again. */
  async pass(): Promise<void> {
    await this.#informers.waitForSync(signal);
    await this.#clock.settle();
    const pod = this.#pods.store.get(key);
    if (pod === undefined) return;
    const event = (
      this.#seen === undefined ? { kind: 'Added', object: pod } : { kind: 'Updated', object: pod, previous: this.#seen }
    ) as StoreEvent<Pod>;
    if (this.#seen !== pod) this.#mustLook ||= requestsOfPod(event, true).length > 0;
    this.#seen = pod;
    if (this.#mustLook) {
      await this.#controller.reconcile(key, signal);
      this.#mustLook = false;
    }
    for (const restart of this.#wanted.splice(0)) {
      const request = restartRequest(restart);
      if (request !== undefined && 'key' in request) await this.#restarter.reconcile(request.key, signal);
    }
  }

  async stop(): Promise<void> {
    this.lifetime.kill();
    this.#end.abort();
    await this.#running;
    this.#connection.close();
  }
}

let node: Node | undefined;
afterEach(() => node?.end());

interface Course {
  readonly death?: Death;
  /** Whether the Pod has a report already when the update begins. */
  readonly isReported: boolean;
  readonly kubeletIsFirst: boolean;
}

/** Runs the update to its end, or as long as it may take. @returns how the first agent was killed, too */
async function drive(course: Course): Promise<{ readonly node: Node; readonly dead: boolean; readonly steps: number }> {
  const { death, isReported, kubeletIsFirst } = course;
  await node?.end();
  node = new Node();
  await node.start();
  if (isReported) {
    const reporter = await node.newAgent();
    await reporter.pass();
    node.api.seed(pods, { ...node.pod, metadata: { ...node.pod.metadata, labels: { changed: 'yes' } } });
    await reporter.pass();
    expect(runtimeMetaOf(node.pod)).toHaveLength(2);
  }
  const first = await node.newAgent(death);
  await first.pass().catch(() => undefined);
  node.update('two');
  let agent = first;
  for (let turn = 0; turn < 30 && !node.isDone; turn++) {
    await agent.pass().catch(() => undefined);
    if (agent.lifetime.dead) {
      if (kubeletIsFirst) node.kubelet();
      agent = await node.newAgent();
      await agent.pass().catch(() => undefined);
    }
    await node.clock.step(1000);
    node.kubelet();
  }
  return { node, dead: first.lifetime.dead, steps: first.lifetime.steps };
}

describe.each([true, false])('an agent that is killed in the middle of an update (reported before: %p)', (isReported) => {
  it('restarts each container once, and leaves its report to the next', async () => {
    const calm = await drive({ isReported, kubeletIsFirst: false });
    expect([...calm.node.ended].sort()).toEqual(['app-1', 'side-1']);
    expect(calm.node.isDone).toBe(true);
    expect(calm.steps).toBeGreaterThanOrEqual(3);
    for (const when of ['before', 'after'] as const) {
      for (const kubeletIsFirst of [true, false]) {
        const deaths = await deathsAtEveryStep(when, async (death) => {
          const { node: disturbed, dead } = await drive({ death, isReported, kubeletIsFirst });
          const seen = { death, kubeletIsFirst, ended: [...disturbed.ended].sort(), isDone: disturbed.isDone };
          expect(seen).toEqual({ death, kubeletIsFirst, ended: ['app-1', 'side-1'], isDone: true });
          expect(names.map((name) => disturbed.newest(name))).toEqual(['app-2', 'side-2']);
          return { dead };
        });
        expect({ when, kubeletIsFirst, deaths }).toEqual({ when, kubeletIsFirst, deaths: calm.steps });
      }
    }
  }, 60_000);
});
