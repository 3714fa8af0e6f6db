/**
 * A CloneSet whose Pods come and go by way of the Pod webhook, on an API server in memory: replicas of the webhook with caches of their own, and the
 * controller of WorkloadSpreads.
 */
import { randomUUID } from 'node:crypto';
import type { AdmissionHandler, AdmissionRequest, Decision } from '@kruise/admission';
import { cloneSets, defaultGates, workloadSpreadDeclaration, workloadSpreads, type WorkloadSpread } from '@kruise/api';
import { CachingClient, Informers } from '@kruise/kube';
import { Lifetime, silentLogger, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { isPodActive, pods, type Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import type { SpreadResult } from '../../metrics/spread-metrics.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { podAdmission } from '../../pod-admission/index.ts';
import { quickReads, quickWrites } from '../../webhooks/quick-reads.ts';
import { workloadSpreadController } from './controller.ts';
import { workloadSpread } from './index.ts';
import { matchedOf } from '@kruise/kinds/workloadspread';
import { aSpread, type Subset } from '@kruise/kinds/workloadspread/testing';

const namespace = 'default';

/** One replica of the Pod webhook. */
export class Replica {
  readonly results: SpreadResult[] = [];
  readonly lifetime: Lifetime;
  readonly #handlers: readonly AdmissionHandler[];
  readonly #informers: Informers;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    api: FakeApi,
    clock: FakeClock,
    options: Pick<Started, 'gates'> & {
      readonly flags?: Started['flags'] | undefined;
      readonly death?: Death | undefined;
      readonly before?: (call: FakeCall) => void;
    } = {},
  ) {
    this.lifetime = new Lifetime(options.death);
    const connection = this.lifetime.connect(api, 'webhook', options);
    this.#informers = new Informers({ client: connection, clock, logger: silentLogger() });
    const dependencies: HandlerDependencies = {
      client: quickReads(connection),
      writes: quickWrites(new CachingClient(connection, this.#informers), [workloadSpreadDeclaration]),
      caches: new Caches(this.#informers, ''),
      gates: { ...defaultGates, ...options.gates },
      podNamespace: 'kruise-system',
      allowPrivileged: true,
      clock,
      ...(options.flags === undefined ? {} : { flags: options.flags }),
      onSpread: (result) => this.results.push(result),
    };
    this.#handlers = podAdmission([workloadSpread], dependencies, () => true);
    this.#running = this.#informers.run(AbortSignal.any([this.#stop.signal, this.lifetime.ended]));
  }

  /** Whether it serves this path. */
  serves(path: string): boolean {
    return this.#handlers.some((handler) => handler.path === path);
  }

  async ask(path: string, request: Partial<AdmissionRequest>, signal: AbortSignal = new AbortController().signal): Promise<Decision> {
    const handler = this.#handlers.find((one) => one.path === path);
    if (handler === undefined) throw new Error(`nobody serves ${path}`);
    const resource = { group: '', version: 'v1', resource: 'pods' };
    return handler.decide(
      { uid: 'request', kind: { ...resource, kind: 'Pod' }, resource, namespace, userInfo: {}, ...request } as AdmissionRequest,
      signal,
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

export interface Started {
  readonly replicas?: number;
  readonly size?: number;
  readonly deaths?: readonly (Death | undefined)[];
  readonly gates?: object;
  /** Of the webhook. */
  readonly flags?: NonNullable<HandlerDependencies['flags']>;
}

export class SpreadCluster extends InMemoryCluster {
  readonly replicas: Replica[] = [];
  /** Called before each call of a replica or a controller reaches the server; a throw is a call that took no effect. */
  before: (call: FakeCall) => void = () => undefined;
  #serial = 0;

  constructor(
    subsets: readonly Subset[],
    over: Partial<WorkloadSpread['spec']> = {},
    { replicas = 1, size = 100, deaths = [], gates = {}, flags }: Started = {},
  ) {
    super(workloadSpreadController, { before: (call) => this.before(call) });
    this.api.seed(cloneSets, {
      metadata: { name: 'web', namespace },
      spec: { replicas: size, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } } } },
    });
    const { uid: _uid, ...metadata } = aSpread([]).metadata;
    this.api.seed(workloadSpreads, { ...aSpread(subsets, over), metadata });
    for (let index = 0; index < replicas; index += 1)
      this.replicas.push(new Replica(this.api, this.clock, { death: deaths[index], gates, flags, before: (call) => this.before(call) }));
  }

  get spread(): WorkloadSpread {
    const held = this.api.peek(workloadSpreads, { namespace, name: 'spread' });
    if (held === undefined) throw new Error('there is no WorkloadSpread');
    return held;
  }

  change(spec: Partial<WorkloadSpread['spec']>): void {
    const { metadata } = this.spread;
    this.api.seed(workloadSpreads, {
      ...this.spread,
      metadata: { ...metadata, generation: (metadata.generation ?? 1) + 1 },
      spec: { ...this.spread.spec, ...spec },
    });
  }

  get pods(): readonly Pod[] {
    return this.api.peekAll(pods);
  }

  get active(): readonly Pod[] {
    return this.pods.filter(isPodActive);
  }

  /** Active Pods by their subset. */
  get placed(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const pod of this.active) {
      const subset = matchedOf(pod)?.subset ?? 'none';
      counts[subset] = (counts[subset] ?? 0) + 1;
    }
    return counts;
  }

  /** Of all versions: `a 3/0` is three Pods, and none missing. */
  get counted(): readonly string[] {
    return (this.spread.status?.subsetStatuses ?? []).map(
      ({ name, replicas, missingReplicas }) => `${name} ${replicas}/${missingReplicas}`,
    );
  }

  get promised(): readonly string[] {
    const states = Object.values(this.spread.status?.versionedSubsetStatuses ?? {}).flat();
    return states.flatMap(({ creatingPods = {}, deletingPods = {} }) => [...Object.keys(creatingPods), ...Object.keys(deletingPods)]);
  }

  newPod(shape: PodShape = {}): Pod {
    const set = this.api.peek(cloneSets, { namespace, name: 'web' });
    this.#serial += 1;
    const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: set?.metadata.uid ?? '', controller: true };
    return asNew(aPod({ name: `web-${this.#serial}`, labels: { app: 'web' }, owner, node: 'n', createdAt: this.clock.now(), ...shape }));
  }

  /** As the API server does it: asks the webhook, then stores. @returns what was decided */
  async create(pod: Pod, replica = 0, request: Partial<AdmissionRequest> = {}): Promise<Decision> {
    const decision = await this.#ask(replica, '/mutate-pod', { operation: 'CREATE', object: pod, name: pod.metadata.name, ...request });
    const isStored = request.dryRun !== true && (decision.kind === 'Allowed' || decision.kind === 'Changed');
    if (isStored) this.api.seed(pods, asNew(decision.kind === 'Changed' ? (decision.object as Pod) : pod));
    return decision;
  }

  /** A Pod of a name that the API server makes. @param annotations of its template */
  async createUnnamed(replica = 0, annotations: Readonly<Record<string, string>> = {}): Promise<Decision> {
    const pod = this.newPod();
    const { name: _name, ...metadata } = pod.metadata;
    const decision = await this.#ask(replica, '/mutate-pod', {
      operation: 'CREATE',
      object: {
        ...pod,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations }, generateName: 'web-' },
      } as unknown as Pod,
    });
    if (decision.kind === 'Changed') {
      const made = decision.object as Pod;
      this.api.seed(pods, asNew({ ...made, metadata: { ...made.metadata, name: `web-${randomUUID()}` } }));
    }
    return decision;
  }

  /** Asks the webhook, and takes the Pod away. */
  async delete(name: string, replica = 0, request: Partial<AdmissionRequest> = {}): Promise<Decision> {
    const pod = this.api.peek(pods, { namespace, name });
    const decision = await this.#ask(replica, '/validate-pod', { operation: 'DELETE', oldObject: pod ?? null, name, ...request });
    if (request.dryRun !== true && decision.kind === 'Allowed') await this.api.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
    return decision;
  }

  evict(name: string, replica = 0, object: object = {}): Promise<Decision> {
    const resource = { group: '', version: 'v1', resource: 'pods' };
    return this.#ask(replica, '/validate-pod', {
      operation: 'CREATE',
      subResource: 'eviction',
      resource,
      name,
      object: { metadata: { name, namespace }, ...object },
    });
  }

  /** Advances the clock until the call returns, so that it can retry after conflicts. */
  async #ask(replica: number, path: string, request: Partial<AdmissionRequest>): Promise<Decision> {
    const asked = (this.replicas[replica] as Replica).ask(path, request);
    let isOver = false;
    const ended = asked.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    while (!isOver) await this.clock.step(5);
    await ended;
    return asked;
  }

  override async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await super.stop();
  }
}
