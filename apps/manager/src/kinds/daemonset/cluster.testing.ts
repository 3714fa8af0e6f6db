/** A DaemonSet with nodes and kubelets, and one manager at a time, on an API server in memory. */
import { daemonSets, labels, type DaemonSet } from '@kruise/api';
import { controllerRevisions, isPodReady, nodes, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { Kubelets } from '../../module/fixtures/kubelet-step.testing.ts';
import { onceFor } from '../../module/fixtures/once-for.testing.ts';
import { daemonSetController } from './controller.ts';
import { aDaemonSet, aNode, type SetShape } from '@kruise/kinds/daemonset/testing';

export interface NodesOptions extends ClusterOptions {
  readonly nodes?: readonly string[];
}

const namespace = 'default';
/** One collator for all comparisons: creating it for each took a quarter of the time of generated runs. */
const byNumber = new Intl.Collator('en', { numeric: true });
const placeOf = (pod: Pod): string => `${nodeOf(pod) ?? ''} ${pod.metadata.name}`;
const inOrder = onceFor((listed: readonly Pod[]) => listed.toSorted((a, b) => byNumber.compare(placeOf(a), placeOf(b))));
const byNode = onceFor((listed: readonly Pod[]) => Map.groupBy(listed, (pod) => nodeOf(pod)));
const key = { namespace, name: 'agent' };

export class DaemonSetCluster extends ControllerCluster<DaemonSet> {
  readonly #kubelets = new Kubelets();
  /** Nodes whose kubelet does nothing. */
  readonly lost = new Set<string>();
  /** Nodes whose kubelet refuses every Pod. */
  readonly refusing = new Set<string>();

  constructor(shape: SetShape = {}, options: NodesOptions = {}) {
    super({ type: daemonSets, key, controller: daemonSetController }, options);
    for (const name of options.nodes ?? ['n1', 'n2', 'n3']) this.node(name);
    this.start(aDaemonSet(shape));
  }

  get set(): DaemonSet {
    return this.object;
  }

  /** By node, then by name. */
  get pods(): readonly Pod[] {
    return inOrder(this.api.peekAll(pods, namespace));
  }

  get revisions(): readonly string[] {
    return this.api.peekAll(controllerRevisions, namespace).map(({ metadata, revision }) => `${metadata.name} ${revision}`);
  }

  /** Each Pod as `node image`, with what is unusual about it. */
  get shown(): readonly string[] {
    return this.pods.map((pod) => {
      const { metadata, spec } = pod;
      const marks = [isPodReady(pod) ? '' : 'unready', metadata.deletionTimestamp === undefined ? '' : 'going'].filter(
        (mark) => mark !== '',
      );
      return [nodeOf(pod), spec.containers[0]?.image, metadata.labels?.[labels.lifecycleState] ?? '', ...marks]
        .filter((part) => part !== '')
        .join(' ');
    });
  }

  /** The counters of the status, in the order of printer columns. */
  get summary(): string {
    const { status } = this.set;
    const counters = [
      ['desired', status?.desiredNumberScheduled],
      ['current', status?.currentNumberScheduled],
      ['ready', status?.numberReady],
      ['updated', status?.updatedNumberScheduled],
      ['available', status?.numberAvailable ?? 0],
      ['misscheduled', status?.numberMisscheduled],
    ] as const;
    return counters.map(([name, value]) => `${name} ${value}`).join(', ');
  }

  node(name: string, over: Parameters<typeof aNode>[1] = {}): void {
    this.api.seed(nodes, aNode(name, over));
  }

  changeImage(image: string): void {
    const { template } = this.set.spec;
    this.change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image }] } } });
  }

  /** Changes members of the rolling update and leaves the others as they are. */
  roll(over: NonNullable<SetShape['rollingUpdate']>): void {
    const { updateStrategy } = this.set.spec;
    this.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, ...over } } });
  }

  podsOn(node: string): readonly Pod[] {
    return byNode(this.pods).get(node) ?? [];
  }

  podOn(node: string): Pod {
    const [pod] = this.podsOn(node);
    if (pod === undefined) throw new Error(`no Pod on ${node}`);
    return pod;
  }

  setPod(pod: Pod, change: (pod: Pod) => Pod): void {
    this.api.seed(pods, change(pod));
  }

  async deletePod(node: string): Promise<void> {
    await this.api.delete(pods, { namespace, name: this.podOn(node).metadata.name });
  }

  protected get seen(): unknown {
    return [this.pods, this.revisions];
  }

  protected override runKubelets(): Promise<void> {
    return this.runPods(
      this.pods.filter((pod) => !this.lost.has(nodeOf(pod) ?? '')),
      (pod) => this.#step(pod),
      ({ metadata }) => (metadata.finalizers ?? []).length === 0,
    );
  }

  /** The scheduler binds the Pod, and its kubelet refuses or runs it. */
  #step(pod: Pod): Pod | undefined {
    const node = nodeOf(pod) ?? '';
    if (pod.status?.phase === 'Failed') return undefined;
    if (this.refusing.has(node)) return failed(pod);
    const bound = pod.spec.nodeName === node ? pod : { ...pod, spec: { ...pod.spec, nodeName: node } };
    return this.#kubelets.change(bound, this.clock.now(), this.options) ?? bound;
  }
}

/** What the kubelet writes about a Pod that it refuses. */
export const failed = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: 'Failed', reason: 'OutOfcpu', conditions: [] } });
