/** A StatefulSet with its Pods, claims and kubelets, and one manager at a time, on an API server in memory. */
import { labels, statefulSets, type StatefulSet } from '@kruise/api';
import { controllerRevisions, deepEqual, nodes, persistentVolumeClaims, pods, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { Kubelets } from '../../module/fixtures/kubelet-step.testing.ts';
import { onceFor } from '../../module/fixtures/once-for.testing.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import { statefulSetController } from './controller.ts';
import { aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';

const namespace = 'default';
/** One collator for all comparisons: creating it for each took a quarter of the time of generated runs. */
const byNumber = new Intl.Collator('en', { numeric: true });
const inOrder = onceFor((listed: readonly Pod[]) => listed.toSorted((a, b) => byNumber.compare(a.metadata.name, b.metadata.name)));
const key = { namespace, name: 'web' };

/** Binds a claim, and grows it as far as it requests. */
const bound = (claim: PersistentVolumeClaim): PersistentVolumeClaim => ({
  ...claim,
  status: { ...claim.status, phase: 'Bound', capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '0' } },
});

export class StatefulSetCluster extends ControllerCluster<StatefulSet> {
  /** Names of Pods that the kubelets leave alone. */
  readonly stuck = new Set<string>();
  /** How long the containers of a Pod that is being deleted run on. */
  terminationSeconds = 0;
  readonly #kubelets = new Kubelets();
  /** When each Pod that is being deleted was seen first, by uid. */
  readonly #terminatingSince = new Map<string, number>();
  /** Whether the fixture binds and grows claims. */
  bindsClaims = true;

  constructor(shape: SetShape = {}, options: ClusterOptions = {}) {
    super({ type: statefulSets, key, controller: statefulSetController }, options);
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    this.start(aStatefulSet(shape));
  }

  get set(): StatefulSet {
    return this.object;
  }

  /** By name. */
  get pods(): readonly Pod[] {
    return inOrder(this.api.peekAll(pods, namespace));
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.api.peekAll(persistentVolumeClaims, namespace);
  }

  get revisions(): readonly string[] {
    return this.api.peekAll(controllerRevisions, namespace).map(({ metadata }) => metadata.name);
  }

  /** Each Pod as `name image state`, with what is unusual about it. */
  get shown(): readonly string[] {
    return this.pods.map(({ metadata, spec, status }) => {
      const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
      const marks = [isReady ? '' : 'unready', metadata.deletionTimestamp === undefined ? '' : 'going'].filter((mark) => mark !== '');
      const state = metadata.labels?.[labels.lifecycleState] ?? '';
      return [metadata.name, spec.containers[0]?.image, ...(state === 'Normal' ? [] : [state]), ...marks].join(' ');
    });
  }

  changeImage(image: string): void {
    const { template } = this.set.spec;
    this.change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image }] } } });
  }

  changePod(name: string, change: (pod: Pod) => Pod): void {
    this.api.seed(pods, change(this.api.peek(pods, { namespace, name }) as Pod));
  }

  /** A user deletes the StatefulSet and creates it again before its Pods have ended; the garbage collector deletes them. */
  async recreate(): Promise<void> {
    const { status: _status, ...object } = this.set;
    await this.api.delete(statefulSets, key);
    this.api.seed(statefulSets, asNew(object));
  }

  protected get seen(): unknown {
    return [this.pods, this.claims, this.revisions];
  }

  /** Whether the containers of a Pod that is being deleted have run for {@link terminationSeconds} since. */
  #mayEnd({ metadata: { uid = '' } }: Pod): boolean {
    const since = this.#terminatingSince.get(uid) ?? this.clock.now();
    this.#terminatingSince.set(uid, since);
    return since + this.terminationSeconds * 1000 <= this.clock.now();
  }

  #step(pod: Pod): Pod | undefined {
    if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return undefined;
    return this.#kubelets.change(pod, this.clock.now(), this.options);
  }

  protected override async runKubelets(): Promise<void> {
    await this.runPods(
      this.pods.filter(({ metadata }) => !this.stuck.has(metadata.name)),
      (pod) => this.#step(pod),
      (pod) => this.#mayEnd(pod),
    );
    await this.collect([persistentVolumeClaims], [statefulSets, pods]);
    if (!this.bindsClaims) return;
    for (const claim of this.claims) if (!deepEqual(claim, bound(claim))) this.api.seed(persistentVolumeClaims, bound(claim));
  }
}

/** A client deletes a Pod; the kubelet terminates it. */
export async function deletePod(cluster: StatefulSetCluster, name: string): Promise<void> {
  await cluster.api.delete(pods, { namespace, name });
}

/** What the kubelet writes about a Pod that has ended with an error. */
export const failed = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: 'Failed', conditions: [] } });
