/**
 * A spread workload with everything that its Pods need: the controllers of CloneSets and Deployments, the Pod webhook, the scheduler and the
 * kubelets, which work in steps, and a manager that may stop and start again. The run records what is written and reported.
 */
import { cloneSets, type WorkloadSpread } from '@kruise/api';
import type { Timeline } from '@kruise/kube/testing';
import {
  createJsonPatch,
  deepEqual,
  isControlledBy,
  isPodReady,
  newControllerRef,
  nodes,
  pods,
  type KubeObject,
  type Node,
  type OwnerReference,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { jobFit, rankForDeletion } from '@kruise/pods';
import { deployments, replicaSets } from '@kruise/workloads';
import { kubeletStep } from '../../../module/fixtures/kubelet-step.testing.ts';
import type { ControllerProcess } from '../../../module/controller-process.testing.ts';
import { costOf, matchedOf } from '@kruise/kinds/workloadspread';
import { aNode, unschedulable, zone, type Subset } from '@kruise/kinds/workloadspread/testing';
import { SpreadCluster } from '../cluster.testing.ts';

const namespace = 'default';
const key = { namespace, name: 'web' };
const templateHash = 'pod-template-hash';
const revision = 'deployment.kubernetes.io/revision';

interface Sized extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** Who has Pods, how many it is to have, and how they are labelled. */
interface Source {
  readonly owner: OwnerReference;
  readonly replicas: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** One node a zone. */
const nodeIn = (name: string): Node => ({
  ...aNode(`n-${name}`, { [zone]: name }),
  status: { allocatable: { pods: '100', cpu: '100', memory: '100Gi' } },
});

export class Fleet {
  readonly cluster: SpreadCluster;
  #manager: ControllerProcess | undefined;

  constructor(subsets: readonly Subset[], over: Partial<WorkloadSpread['spec']> = {}, zones: readonly string[] = ['a', 'b']) {
    this.cluster = new SpreadCluster(subsets, over, { size: 0 });
    this.cluster.record();
    for (const one of zones) this.cluster.api.seed(nodes, nodeIn(one));
    this.begin();
  }

  get timeline(): Timeline {
    return this.cluster.timeline;
  }

  /** Starts a manager. */
  begin(): void {
    this.#manager = this.cluster.begin();
  }

  async stopManager(): Promise<void> {
    await this.#manager?.stop();
    this.#manager = undefined;
  }

  /** The user wants so many Pods of the CloneSet. */
  async scale(replicas: number): Promise<void> {
    this.timeline.note(`the user wants ${replicas} Pods`);
    this.resize(replicas);
    await this.settle();
  }

  /** The same, without waiting for them. */
  resize(replicas: number): void {
    this.#resize(cloneSets, 'web', replicas);
  }

  /** The user creates the Deployment, or gives it another image; its controller creates a ReplicaSet, and replaces the Pods with a surge of one. */
  async deploy(hash: string, replicas: number): Promise<void> {
    this.timeline.note(`the user wants ${replicas} Pods of version ${hash}`);
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: `app:${hash}` }] } };
    const held = this.cluster.api.peek(deployments, key);
    const made = this.#sets.length + 1;
    const owner = this.cluster.api.seed(deployments, {
      metadata: { ...held?.metadata, ...key, annotations: { [revision]: String(made) } },
      spec: { replicas, template, selector: { matchLabels: { app: 'web' } } },
      status: { observedGeneration: made },
    } as KubeObject);
    const isKnown = this.#sets.some(({ metadata }) => metadata.labels?.[templateHash] === hash);
    if (!isKnown)
      this.cluster.api.seed(replicaSets, {
        metadata: {
          namespace,
          name: `web-${hash}`,
          labels: { app: 'web', [templateHash]: hash },
          ownerReferences: [newControllerRef(owner, deployments)],
        },
        spec: {
          replicas: 0,
          template: { ...template, metadata: { labels: { app: 'web', [templateHash]: hash } } },
          selector: { matchLabels: { app: 'web', [templateHash]: hash } },
        },
      } as KubeObject);
    await this.settle(hash);
  }

  /** Pods of the CloneSet that were created without a call of the webhook. */
  wereThere(names: readonly string[], node: string): void {
    for (const name of names) this.cluster.api.seed(pods, this.cluster.newPod({ name, node }));
  }

  /** Cordons or uncordons the node. */
  cordon(name: string, isClosed = true): void {
    const held = this.cluster.api.peek(nodes, { namespace: '', name: `n-${name}` }) ?? nodeIn(name);
    this.cluster.api.seed(nodes, { ...held, spec: { ...held.spec, unschedulable: isClosed } });
  }

  /** Deletes the node with its Pods. */
  async loseNode(name: string): Promise<void> {
    this.timeline.note(`node n-${name} is gone`);
    await this.cluster.api.delete(nodes, { namespace: '', name: `n-${name}` });
    for (const pod of this.cluster.pods.filter(({ spec }) => spec.nodeName === `n-${name}`)) await this.#remove(pod);
  }

  /** One second. */
  async tick(hash?: string): Promise<void> {
    await (this.#manager?.settle() ?? this.cluster.clock.settle());
    await this.#step(hash);
    await this.cluster.clock.step(1000);
  }

  async ticks(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await this.tick();
  }

  /** Ticks until nothing has changed for some seconds. */
  async settle(hash?: string): Promise<void> {
    let [since, before] = [0, ''];
    for (let index = 0; index < 100; index += 1) {
      await this.tick(hash);
      const now = JSON.stringify([this.shown, this.cluster.spread.status]);
      since = now === before ? since + 1 : 0;
      before = now;
      if (since >= 3) return;
    }
    throw new Error(`not settled after 100 s: ${this.shown.join(', ')}`);
  }

  /** Each active Pod as `name subset node cost`. */
  get shown(): readonly string[] {
    return this.cluster.active.map((pod) =>
      [pod.metadata.name, matchedOf(pod)?.subset ?? 'none', pod.spec.nodeName ?? 'waits', costOf(pod) ?? ''].join(' ').trim(),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopManager();
    await this.cluster.stop();
  }

  get #sets(): readonly Sized[] {
    return this.cluster.api.peekAll(replicaSets, namespace);
  }

  #resize(type: ResourceType<Sized>, name: string, replicas: number): void {
    const held = this.cluster.api.peek(type, { namespace, name });
    if (held !== undefined) this.cluster.api.seed(type, { ...held, spec: { ...held.spec, replicas } });
  }

  get #sources(): readonly Source[] {
    const labels = { app: 'web' };
    const set = this.cluster.api.peek(cloneSets, key);
    const ofCloneSet = set === undefined ? [] : [{ owner: newControllerRef(set, cloneSets), replicas: set.spec.replicas ?? 1, labels }];
    const ofDeployment = this.#sets.map((one) => ({
      owner: newControllerRef(one, replicaSets),
      replicas: one.spec?.replicas ?? 1,
      labels: { ...labels, [templateHash]: one.metadata.labels?.[templateHash] ?? '' },
    }));
    return [...ofCloneSet, ...ofDeployment];
  }

  #podsOf({ owner }: Source): readonly Pod[] {
    return this.cluster.active.filter((pod) => isControlledBy(pod, owner.uid));
  }

  async #step(hash: string | undefined): Promise<void> {
    for (const pod of this.cluster.pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)) await this.#remove(pod);
    if (hash !== undefined) this.#rollOut(hash);
    for (const source of this.#sources) await this.#fill(source);
    for (const pod of this.cluster.active) this.#run(pod);
  }

  /** Creates one Pod of the new version before it deletes an old one. */
  #rollOut(hash: string): void {
    const wanted = (this.cluster.api.peek(deployments, key) as Sized | undefined)?.spec?.replicas ?? 0;
    const isReady = this.cluster.active.every(isPodReady);
    const ofHash = (set: Sized): boolean => set.metadata.labels?.[templateHash] === hash;
    const total = this.#sets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
    const [next, old] = [this.#sets.find(ofHash), this.#sets.find((set) => !ofHash(set) && (set.spec?.replicas ?? 0) > 0)];
    const change = (set: Sized | undefined, by: number): void => {
      if (set !== undefined) this.#resize(replicaSets, set.metadata.name, (set.spec?.replicas ?? 0) + by);
    };
    if (old === undefined) change(next, wanted - (next?.spec?.replicas ?? 0));
    else if (total > wanted) change(isReady ? old : undefined, -1);
    else change(next, 1);
  }

  async #fill(source: Source): Promise<void> {
    const held = this.#podsOf(source);
    for (let count = held.length; count < source.replicas; count += 1) await this.#create(source);
    const surplus = rankForDeletion(held, isPodReady, new Map()).slice(0, Math.max(0, held.length - source.replicas));
    for (const { metadata } of surplus) await this.cluster.delete(metadata.name);
  }

  /** By way of the webhook; who is refused is tried again in the next step. */
  async #create({ owner, labels }: Source): Promise<void> {
    const { status: _status, spec, ...asked } = this.cluster.newPod({ owner, labels });
    const { nodeName: _node, readinessGates: _gates, ...rest } = spec;
    const pod: Pod = { ...asked, spec: rest, status: { phase: 'Pending' } };
    const decision = await this.cluster.create(pod);
    const { name } = pod.metadata;
    if (decision.kind === 'Changed') {
      const changes = createJsonPatch(pod, decision.object).map((one) =>
        [one.op, one.path, ...('value' in one ? [JSON.stringify(one.value)] : [])].join(' '),
      );
      this.timeline.record(`Pod ${name} comes`, changes);
    } else this.timeline.record(`Pod ${name} ${decision.kind === 'Allowed' ? 'comes as it is' : 'is refused'}`);
  }

  async #remove({ metadata: { name } }: Pod): Promise<void> {
    await this.cluster.api.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
  }

  #run(pod: Pod): void {
    const next = this.#scheduled(pod);
    const now = this.cluster.clock.now();
    const ran = next.spec.nodeName === undefined ? unschedulable(next) : kubeletStep(next, now);
    if (!deepEqual(ran, pod)) this.cluster.api.seed(pods, ran);
  }

  #scheduled(pod: Pod): Pod {
    if (pod.spec.nodeName !== undefined) return pod;
    const fits = jobFit(pod.spec);
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const weightOf = (node: Node): number =>
      preferred.reduce(
        (sum, { weight, preference }) => sum + (jobFit({ containers: [], affinity: requiring(preference) })(node) ? weight : 0),
        0,
      );
    const [node] = this.cluster.api
      .peekAll(nodes)
      .filter(fits)
      .toSorted((a, b) => weightOf(b) - weightOf(a));
    return node === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName: node.metadata.name } };
  }
}

const requiring = (preference: object) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [preference] } },
});
