/**
 * Deployments, their Pods and budgets on an in-memory API server, with the controller, and replicas of the Pod webhook, through which every change,
 * deletion or eviction of a Pod passes. Replicas have caches and connections of their own.
 */
import type { AdmissionRequest, Decision, Operation, StatusCause } from '@kruise/admission';
import { defaultGates, podUnavailableBudgets, type Gates, type PodUnavailableBudget, type PodUnavailableBudgetSpec } from '@kruise/api';
import { CachingClient, Informers, unlessDeleted } from '@kruise/kube';
import { silentLogger, type FakeApi, type FakeClock, type FakeFaults } from '@kruise/kube/testing';
import { pods, type KubeObject, type ObjectMeta, type OwnerReference, type Pod, type ResourceType } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { podAdmission } from '../../pod-admission/index.ts';
import type { ProtectionRecord } from '../../process/protection-log.ts';
import { deployments, replicaSets } from '@kruise/workloads';
import { podUnavailableBudgetController } from './controller.ts';
import { podUnavailableBudget } from './index.ts';

export const namespace = 'default';
export const relatedPub = 'pub.kruise.io/related-pub';

/** What came of a request: 200, or the code and message of the refusal. */
export interface Answer {
  readonly code: number;
  readonly message: string;
  /** The cause in the answer to an eviction. */
  readonly cause?: StatusCause;
}

const answerOf = (decision: Decision | undefined): Answer => {
  switch (decision?.kind) {
    case 'Denied':
      return { code: 403, message: decision.message };
    case 'NotYet':
      return { code: 429, message: decision.message, cause: decision.cause };
    case 'Failed':
      return { code: decision.code, message: decision.message };
    default:
      return { code: 200, message: '' };
  }
};

export interface Asked {
  readonly operation: Operation;
  readonly name: string;
  readonly subResource?: string;
  readonly object?: KubeObject | null;
  readonly oldObject?: KubeObject | null;
  readonly dryRun?: boolean;
  readonly options?: object;
}

/** One replica of the webhook. */
export class WebhookReplica {
  readonly refused: ProtectionRecord[] = [];
  readonly events: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #decide: (path: string, request: AdmissionRequest) => Promise<Decision | undefined>;

  constructor(api: FakeApi, clock: FakeClock, options: { readonly gates?: Partial<Gates>; readonly faults?: FakeFaults } = {}) {
    const connection = api.connect('webhook', options.faults);
    const informers = new Informers({ client: connection, clock, logger: silentLogger() });
    const client = new CachingClient(connection, informers);
    const dependencies: HandlerDependencies = {
      client: connection,
      writes: { updateStatus: (type, object) => client.updateStatus(type, object) },
      caches: new Caches(informers, ''),
      gates: { ...defaultGates, PodUnavailableBudgetUpdateGate: true, ...options.gates },
      podNamespace: 'kruise-system',
      allowPrivileged: true,
      clock,
      onProtected: (record) => this.refused.push(record),
      recorderFor: (source) => ({
        event: (target, type, reason) =>
          void this.events.push(`${source} ${type} ${reason} on ${'metadata' in target ? target.metadata.name : ''}`),
      }),
    };
    const handlers = podAdmission([podUnavailableBudget], dependencies, () => true);
    this.#decide = async (path, request) => handlers.find((handler) => handler.path === path)?.decide(request, this.#stop.signal);
    this.#running = informers.run(this.#stop.signal);
  }

  async ask({ operation, name, subResource = '', dryRun, options, ...objects }: Asked): Promise<Answer> {
    const path = operation === 'CREATE' && subResource === '' ? '/mutate-pod' : '/validate-pod';
    const request = {
      uid: 'u',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation,
      subResource,
      name,
      namespace,
      userInfo: { username: 'alice' },
      ...objects,
      ...(options === undefined ? {} : { options }),
      ...(dryRun === undefined ? {} : { dryRun }),
    } as AdmissionRequest;
    const decision = await this.#decide(path, request);
    return answerOf(decision);
  }

  async mutate(pod: Pod): Promise<Pod> {
    const request = {
      uid: 'u',
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation: 'CREATE',
      namespace,
      userInfo: {},
      object: pod,
    } as unknown as AdmissionRequest;
    const decision = await this.#decide('/mutate-pod', request);
    return decision?.kind === 'Changed' ? (decision.object as Pod) : pod;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

interface WorkloadSpec {
  readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };
}

export class BudgetCluster extends InMemoryCluster {
  readonly #replicas: WebhookReplica[] = [];

  constructor() {
    super(podUnavailableBudgetController);
  }

  async replica(options: ConstructorParameters<typeof WebhookReplica>[2] = {}): Promise<WebhookReplica> {
    const replica = new WebhookReplica(this.api, this.clock, options);
    this.#replicas.push(replica);
    await this.clock.settle();
    return replica;
  }

  override async stop(): Promise<void> {
    for (const replica of this.#replicas) await replica.stop();
    await super.stop();
  }

  budget(spec: Partial<PodUnavailableBudgetSpec>, metadata: Partial<ObjectMeta> = {}): PodUnavailableBudget {
    const whole = { ...(spec.targetRef === undefined ? { selector: { matchLabels: { app: 'web' } } } : {}), ...spec };
    return this.api.seed(podUnavailableBudgets, { metadata: { name: 'b', namespace, ...metadata }, spec: whole });
  }

  get(name = 'b'): PodUnavailableBudget | undefined {
    return this.api.peek(podUnavailableBudgets, { namespace, name });
  }

  /** Total, desired, current, allowed. */
  numbers(name = 'b'): readonly (number | undefined)[] {
    const status = this.get(name)?.status;
    return [status?.totalReplicas, status?.desiredAvailable, status?.currentAvailable, status?.unavailableAllowed];
  }

  /** Makes a workload with its ReplicaSet, or changes the number of its replicas. */
  deployment(name: string, replicas: number, labels: Readonly<Record<string, string>> = { app: 'web' }): KubeObject {
    const spec = {
      replicas,
      selector: { matchLabels: { ...labels, of: name } },
      template: { metadata: { labels: { ...labels, of: name } } },
    };
    const deployment = this.#put(deployments, name, { spec });
    this.#put(replicaSets, `${name}-1`, { spec, owner: refer(deployment, deployments) });
    return deployment;
  }

  /** From now on the server has the kind. */
  serveRollouts(): void {
    const resource = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ['get'] });
    this.api.rawAnswers.set('/apis/g.example.com/v1', {
      resources: [resource('rollouts', 'Rollout'), resource('rollouts/scale', 'Scale')],
    });
  }

  /** Makes one for the Pods of the app `web`, or changes the number of its replicas. */
  rollout(name: string, replicas: number): KubeObject {
    const held = this.api.peek(rollouts, { namespace, name });
    const object = { apiVersion: 'g.example.com/v1', kind: 'Rollout', metadata: held?.metadata ?? { name, namespace } };
    return this.api.seed(rollouts, { ...object, spec: { replicas }, status: { labelSelector: 'app=web' } } as KubeObject);
  }

  #put(type: ResourceType, name: string, { spec, owner }: { readonly spec: WorkloadSpec; readonly owner?: OwnerReference }): KubeObject {
    const held = this.api.peek(type, { namespace, name });
    const metadata = {
      ...held?.metadata,
      name,
      namespace,
      labels: spec.template.metadata.labels,
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    };
    return this.api.seed(type, { apiVersion: `${type.group}/${type.version}`, kind: type.kind, metadata, spec } as KubeObject);
  }

  /** A Pod of a Deployment, or as it has become. */
  pod(name: string, of: string | undefined, shape: PodShape = {}): Pod {
    const replicaSet = of === undefined ? undefined : this.api.peek(replicaSets, { namespace, name: `${of}-1` });
    const owner = replicaSet === undefined ? {} : { owner: refer(replicaSet, replicaSets) };
    const labels = { app: 'web', ...(of === undefined ? {} : { of }), ...shape.labels };
    const held = this.api.peek(pods, { namespace, name });
    const made = asNew(aPod({ name, ...owner, ...shape, labels }));
    if (held === undefined) return this.api.seed(pods, made);
    const { uid, resourceVersion, creationTimestamp } = held.metadata;
    const annotations = { ...held.metadata.annotations, ...shape.annotations };
    return this.api.seed(pods, {
      ...made,
      metadata: { ...made.metadata, annotations, ...{ uid, resourceVersion, creationTimestamp } },
    } as Pod);
  }

  pods(of: string, count: number): void {
    for (let i = 0; i < count; i++) this.pod(`${of}-${i}`, of);
  }

  getPod(name: string): Pod | undefined {
    return this.api.peek(pods, { namespace, name });
  }

  get podList(): readonly Pod[] {
    return this.api.peekAll(pods, namespace);
  }

  /** Deletes the Pod immediately, like a Pod without a kubelet. */
  async remove(name: string): Promise<void> {
    await unlessDeleted(this.api.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 }));
  }

  /** As the API server deletes a Pod for a user: it asks about the very state that it deletes. */
  async delete(name: string, replica: WebhookReplica, more: Partial<Asked> = {}): Promise<Answer> {
    for (;;) {
      const oldObject = this.getPod(name);
      const answer = await replica.ask({ operation: 'DELETE', name, oldObject: oldObject ?? null, ...more });
      if (answer.code !== 200 || more.dryRun === true || oldObject === undefined) return answer;
      if (!this.#isAs(oldObject)) continue;
      await this.remove(name);
      return answer;
    }
  }

  /** As the API server evicts one: it asks first, and reads the Pod then. */
  async evict(name: string, replica: WebhookReplica, more: Partial<Asked> = {}): Promise<Answer> {
    const before = this.getPod(name);
    const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const answer = await replica.ask({ operation: 'CREATE', subResource: 'eviction', name, object, ...more });
    const isSame = this.getPod(name)?.metadata.uid === before?.metadata.uid;
    if (answer.code === 200 && more.dryRun !== true && isSame) await this.remove(name);
    return answer;
  }

  /** As the API server writes a Pod for a user: it asks about the very change that it makes. */
  async update(name: string, change: (pod: Pod) => Pod, replica: WebhookReplica, more: Partial<Asked> = {}): Promise<Answer> {
    for (;;) {
      const oldObject = this.getPod(name);
      if (oldObject === undefined) return { code: 404, message: 'not found' };
      const object = change(oldObject);
      const answer = await replica.ask({ operation: 'UPDATE', name, object, oldObject, ...more });
      if (answer.code !== 200 || more.dryRun === true) return answer;
      if (!this.#isAs(oldObject)) continue;
      this.api.seed(pods, object);
      return answer;
    }
  }

  #isAs({ metadata }: Pod): boolean {
    const held = this.getPod(metadata.name)?.metadata;
    return held?.uid === metadata.uid && held?.resourceVersion === metadata.resourceVersion;
  }
}

/** A kind of workload that is known by its Scale alone. */
export const rollouts: ResourceType = { group: 'g.example.com', version: 'v1', kind: 'Rollout', plural: 'rollouts', namespaced: true };
export const rolloutReference = (name: string) => ({ apiVersion: 'g.example.com/v1', kind: 'Rollout', name });

export const refer = ({ metadata: { name, uid = '' } }: KubeObject, { group, version, kind }: ResourceType): OwnerReference => ({
  apiVersion: `${group}/${version}`,
  kind,
  name,
  uid,
  controller: true,
});

/** The image of the only container. */
export const toImage =
  (image: string) =>
  (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map((container) => ({ ...container, image })) } });

export const labelled =
  (key: string, value: string) =>
  (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [key]: value } } });
