/** Both controllers of a node with one Pod: a scripted runtime over a real socket and a fake API server. */
import { CountingChannel } from '@kruise/cri/testing';
import { CachingClient, Informers, type Informer } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { pods, type Pod } from '@kruise/objects';
import { Registry } from 'prom-client';
import { NodeFixture } from '../node-fixture.testing.ts';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { aNodePod, runContainer, recordCalls, type PodShape } from '../testing.ts';
import { ContainerMetaController } from './controller.ts';
import { createContainerMetaMetrics } from './metrics.ts';
import type { Restart } from './plan-restart.ts';
import { Restarter } from './restarter.ts';

export const key = { namespace: 'default', name: 'web' };
export const signal = new AbortController().signal;

export class ContainerMetaFixture extends NodeFixture {
  readonly logger = silentLogger();
  readonly connection = new CountingChannel(this.runtime.socket);
  readonly informers = new Informers({ client: this.api, clock: this.clock, logger: this.logger });
  readonly informer: Informer<Pod> = this.informers.informer(pods, { fieldSelector: 'spec.nodeName=node1' });
  readonly restarts: Restart[] = [];
  readonly events: string[] = [];
  missed = 0;
  hasRuntime = true;

  readonly #runtimes = {
    named: (name: string): CriRuntime | undefined => (this.hasRuntime && name === 'containerd' ? this.found(this.connection) : undefined),
    missed: () => void this.missed++,
  };
  readonly #shared = {
    runtimes: this.#runtimes,
    logger: this.logger,
    metrics: createContainerMetaMetrics(new Registry()),
    clock: this.clock,
  };
  controller = this.#controller(true);
  readonly restarter = new Restarter({
    ...this.#shared,
    pods: this.informer.store,
    events: this.recorder((text) => void this.events.push(text)),
  });

  #controller(withEnv: boolean): ContainerMetaController {
    const client = new CachingClient(this.api, this.informers);
    return new ContainerMetaController({
      ...this.#shared,
      pods: this.informer,
      client,
      withEnv,
      restart: (restart) => void this.restarts.push(restart),
    });
  }

  switchGateOff(): void {
    this.controller = this.#controller(false);
  }

  /** Adds a Pod that the API server has and the informer knows, and its running container. */
  async begin(shape: PodShape = {}): Promise<Pod> {
    await this.runtime.start();
    recordCalls(this.timeline, this.runtime);
    const pod = await this.api.create(pods, aNodePod(shape));
    const withStatus = await this.api.updateStatus(pods, { ...pod, status: aNodePod(shape).status ?? {} });
    this.informer.store.observe(withStatus);
    runContainer(this.runtime, withStatus);
    this.timeline.recordWrites(this.api);
    return withStatus;
  }

  get pod(): Pod {
    const pod = this.informer.store.get(key);
    if (pod === undefined) throw new Error('the Pod is gone');
    return pod;
  }

  /** Changes the Pod as the manager does. */
  async change(change: (pod: Pod) => Pod): Promise<void> {
    const changed = change(this.pod);
    const written = await this.api.update(pods, changed);
    this.informer.store.observe(await this.api.updateStatus(pods, { ...written, status: changed.status ?? {} }));
  }

  async updateInPlace(cfg: string): Promise<void> {
    await this.change((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, cfg } },
      status: { ...pod.status, conditions: [{ type: 'InPlaceUpdateReady', status: 'False' }] },
    }));
  }

  get patches(): number {
    return this.api.calls.filter(({ verb, subresource }) => verb === 'patch' && subresource === 'status').length;
  }

  override async end(): Promise<void> {
    this.connection.close();
    await super.end();
  }
}
