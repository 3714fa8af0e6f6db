/**
 * A simulated node: a scripted runtime behind a real socket, a kubelet that recreates ended containers, the manager's half of a request, and agents
 * that may be killed at any write and at any stop.
 */
import { containerRecreateRequests, type ContainerRecreateRequest } from '@kruise/api';
import { CountingChannel, type ScriptedContainer, ScriptedFailure } from '@kruise/cri/testing';
import { CachingClient, Informers, type Informer, type Outcome } from '@kruise/kube';
import { FakeClock, Lifetime, silentLogger, type Death } from '@kruise/kube/testing';
import { formatKey, type Pod } from '@kruise/objects';
import { NodeFixture } from '../node-fixture.testing.ts';
import { aNodePod, runContainer } from '../testing.ts';
import { byPod, podKeyOfRequest, RecreateController } from './controller.ts';
import { RequestWriter } from './requests.ts';
import { later } from './testing.ts';

export const podKey = { namespace: 'default', name: 'web' };
const unavailable = 14;

/** A StopContainer that the runtime received. */
export interface SeenStop {
  readonly id: string;
  /** Whether it ended a container. */
  readonly hit: boolean;
}

export class RecreateFixture extends NodeFixture {
  readonly pod: Pod;
  readonly stops: SeenStop[] = [];
  readonly #names: readonly string[];
  /** Runs while a container is being stopped, before the runtime does it. */
  meanwhile: (id: string) => void = () => undefined;
  #agent: Agent | undefined;

  constructor(names: readonly string[] = ['app']) {
    super({ clock: new FakeClock(later(1)) });
    this.#names = names;
    this.pod = aNodePod({ containers: names.map((name) => ({ name, image: 'app:1' })) });
  }

  /** Starts the first instance of each container, a minute old. */
  async start(): Promise<void> {
    await this.runtime.start();
    this.record();
    for (const name of this.#names) this.#run(name, 1, later(-60));
    this.runtime.on('StopContainer', ({ containerId }: { containerId: string }) => {
      const stop = (): object => {
        this.meanwhile(containerId);
        const hit = this.#end(containerId);
        this.stops.push({ id: containerId, hit });
        return {};
      };
      return this.#agent === undefined ? stop() : this.#agent.lifetime.carryOut(stop, killed);
    });
  }

  override async end(): Promise<void> {
    await this.#agent?.stop();
    await super.end();
  }

  #run(name: string, number: number, at: number): void {
    runContainer(this.runtime, this.pod, {
      id: `${name}-${number}`,
      spec: { name, image: 'app:1' },
      createdAt: String(BigInt(at) * 1_000_000n + BigInt(number)),
      restartCount: number - 1,
    });
  }

  #end(id: string): boolean {
    const container = this.runtime.containers.get(id);
    if (container?.state !== 'CONTAINER_RUNNING') return false;
    this.runtime.containers.set(id, { ...container, state: 'CONTAINER_EXITED' });
    return true;
  }

  newest(name: string): ScriptedContainer {
    const all = [...this.runtime.containers.values()].filter(({ metadata }) => metadata?.name === name);
    const newest = all.reduce((a, b) => (BigInt(b.createdAt) > BigInt(a.createdAt) ? b : a));
    return newest;
  }

  /** Ends the container by itself. */
  crash(name: string): void {
    this.#end(this.newest(name).id);
  }

  /** Recreates what has ended, as the kubelet does, and removes all except the last two instances. */
  kubelet(): void {
    for (const name of this.#names) {
      const { id, state } = this.newest(name);
      if (state !== 'CONTAINER_EXITED') continue;
      const number = Number(id.slice(name.length + 1));
      this.#run(name, number + 1, this.clock.now());
      this.runtime.containers.delete(`${name}-${number - 1}`);
    }
  }

  requests(): readonly ContainerRecreateRequest[] {
    return this.api.peekAll(containerRecreateRequests);
  }

  request(name: string): ContainerRecreateRequest {
    const request = this.api.peek(containerRecreateRequests, { namespace: 'default', name });
    if (request === undefined) throw new Error(`request ${name} is gone`);
    return request;
  }

  add(request: ContainerRecreateRequest): void {
    const { uid: _, resourceVersion: __, ...metadata } = request.metadata;
    this.api.seed(containerRecreateRequests, { ...request, metadata });
  }

  /** The manager's half: the reports of the kubelet, and the end of being active. */
  manager(): void {
    for (const request of this.requests()) {
      const { metadata, status, spec } = request;
      if (status?.phase === 'Completed') {
        const { 'crr.apps.kruise.io/active': _, ...labels } = metadata.labels ?? {};
        this.api.seed(containerRecreateRequests, { ...request, metadata: { ...metadata, labels } });
      } else if (status?.phase === 'Recreating') {
        const containerStatusSnapshot = spec.containers.flatMap(({ name, statusContext }) => {
          const { id, state, annotations } = this.newest(name);
          const containerID = `containerd://${id}`;
          const restartCount = Number(annotations['io.kubernetes.container.restartCount']);
          const isNew = state === 'CONTAINER_RUNNING' && containerID !== statusContext?.containerID;
          return isNew ? [{ name, ready: true, restartCount, containerID }] : [];
        });
        if (containerStatusSnapshot.length > 0)
          this.api.seed(containerRecreateRequests, { ...request, status: { ...status, containerStatusSnapshot } });
      }
    }
  }

  /** Starts an agent; the previous one has ended. */
  async agent(death?: Death): Promise<Agent> {
    await this.#agent?.stop();
    this.#agent = new Agent(this, death);
    return this.#agent;
  }
}

const killed = (): ScriptedFailure => new ScriptedFailure(unavailable, 'killed');

/** An agent until its death, whose steps are its writes and stops. */
export class Agent {
  readonly lifetime: Lifetime;
  readonly #informers: Informers;
  readonly #requests: Informer<ContainerRecreateRequest>;
  readonly controller: RecreateController;
  readonly #connection: CountingChannel;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  readonly events: string[] = [];
  hasRuntime = true;
  missed = 0;

  constructor(fixture: RecreateFixture, death?: Death) {
    this.lifetime = new Lifetime(death);
    this.#connection = new CountingChannel(fixture.runtime.socket);
    const client = this.lifetime.connect(fixture.api, 'daemon');
    const { clock } = fixture;
    const logger = silentLogger();
    this.#informers = new Informers({ client, clock, logger });
    this.#requests = this.#informers.informer(containerRecreateRequests, {
      labelSelector: 'crr.apps.kruise.io/node-name=node1,crr.apps.kruise.io/active=true',
      indexes: { [byPod]: (request: ContainerRecreateRequest) => [formatKey(podKeyOfRequest(request))] },
    });
    const runtime = fixture.found(this.#connection);
    const here = (): boolean => this.hasRuntime;
    this.controller = new RecreateController({
      requests: this.#requests,
      writer: new RequestWriter(new CachingClient(client, this.#informers)),
      runtimes: {
        named: (name) => (here() && name === 'containerd' ? runtime : undefined),
        missed: () => void this.missed++,
        get trouble() {
          return here() ? undefined : 'no container runtime: none answers';
        },
      },
      clock,
      logger,
      events: fixture.recorder((text) => void this.events.push(text)),
      metrics: { stopped: () => undefined },
    });
    this.#running = this.#informers.run(AbortSignal.any([this.#end.signal, this.lifetime.ended]));
  }

  get dead(): boolean {
    return this.lifetime.dead;
  }

  /** Runs one pass over the Pod, with everything the API server has sent so far. */
  async pass(signal: AbortSignal = this.#end.signal): Promise<Outcome> {
    await this.#informers.waitForSync(this.#end.signal);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    return this.controller.reconcile(podKey, signal);
  }

  async stop(): Promise<void> {
    this.lifetime.kill();
    this.#end.abort();
    await this.#running;
    this.#connection.close();
  }
}
