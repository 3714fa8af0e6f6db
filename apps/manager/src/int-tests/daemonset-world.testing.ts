/** DaemonSets of group apps.kruise.io and their Pods in a namespace of their own, as a user of the API sees them. */
import { conditionTypes, type DaemonSet, daemonSets } from '@kruise/api';
import { isPodReady, type Pod, pods } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { isObserved, openNamespace, WorkloadWorld } from './workload-world.testing.ts';

export interface DaemonSetShape {
  readonly name: string;
  /** Of the container `main`. */
  readonly image: string;
  readonly rollingUpdate?: Readonly<Record<string, unknown>>;
  /** Further members of the container `main`. */
  readonly container?: Readonly<Record<string, unknown>>;
  /** Further members of the template's spec. */
  readonly podSpec?: Readonly<Record<string, unknown>>;
  /** Further labels of the template. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of the DaemonSet. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Further members of the spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Nothing but what must be there, where the shape says no more; Pods stop at once. */
export function daemonSetOf(namespace: string, shape: DaemonSetShape): DaemonSet {
  const { name, image, rollingUpdate, container = {}, podSpec = {}, labels = {}, annotations, spec: more = {} } = shape;
  const template = {
    metadata: { labels: { app: name, ...labels } },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image, ...container }], ...podSpec },
  };
  const updateStrategy = rollingUpdate === undefined ? {} : { updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
  const spec = { selector: { matchLabels: { app: name } }, template, ...updateStrategy, ...more };
  const metadata = { namespace, name, ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', metadata, spec } as unknown as DaemonSet;
}

/** For the template's spec: Pods on one node alone, without a label that is put on it. */
export const onNode = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });

export class DaemonSetWorld extends WorkloadWorld<DaemonSet> {
  /** Makes the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<DaemonSetWorld> {
    return new DaemonSetWorld(daemonSets, await openNamespace(kubeconfigPath, namespace), namespace);
  }

  apply(shape: DaemonSetShape): Promise<DaemonSet> {
    return this.client.create(daemonSets, daemonSetOf(this.namespace, shape));
  }

  /** What `of` returns for the Pods that stay, by their node. */
  async byNode<T>(name: string, of: (pod: Pod) => T): Promise<Readonly<Record<string, T>>> {
    return Object.fromEntries((await this.pods(name)).map((pod) => [nodeOf(pod) ?? '', of(pod)]));
  }

  /** The Pod that stays on a node. @throws when there is none */
  async podOn(name: string, node: string): Promise<Pod> {
    const pod = (await this.byNode(name, (one) => one))[node];
    if (pod === undefined) throw new Error(`${name} has no Pod on ${node}`);
    return pod;
  }

  /** One that is ready is on the node, and is none of those. @returns it */
  async untilPodOn(name: string, node: string, other: readonly string[] = []): Promise<Pod> {
    let pod: Pod | undefined;
    await this.eventually(async () => {
      pod = (await this.byNode(name, (one) => one))[node];
      return pod !== undefined && isPodReady(pod) && !other.includes(pod.metadata.uid ?? '');
    }, `another Pod of ${name} is ready on ${node}`);
    return pod as Pod;
  }

  /** Lets the Pod stay, terminating, when it is deleted; see {@link release}. */
  hold(pod: string): Promise<void> {
    return this.patchPod(pod, { metadata: { finalizers: ['example.com/held'] } });
  }

  release(pod: string): Promise<void> {
    return this.patchPod(pod, { metadata: { finalizers: null } });
  }

  async deletePod(pod: string): Promise<void> {
    await this.client.delete(pods, { namespace: this.namespace, name: pod });
  }

  /** The controller has seen the present object. */
  untilObserved(name: string): Promise<DaemonSet> {
    return this.until(name, isObserved);
  }

  /** As many nodes as should run the Pod have it, and exactly `count` of them run the present template. */
  untilUpdated(name: string, count: number, nodes = 3): Promise<DaemonSet> {
    return this.until(name, (seen) => {
      const { desiredNumberScheduled, updatedNumberScheduled, numberAvailable } = seen.status ?? {};
      return isObserved(seen) && desiredNumberScheduled === nodes && updatedNumberScheduled === count && numberAvailable === nodes;
    });
  }

  /** Every node that should run the Pod has the present template, available. */
  untilRolledOut(name: string, nodes = 3): Promise<DaemonSet> {
    return this.untilUpdated(name, nodes, nodes);
  }

  /** What holds it up, by the condition's word. */
  untilBlocked(name: string, reason: string): Promise<DaemonSet> {
    return this.until(
      name,
      (seen) => isObserved(seen) && seen.status?.conditions?.find(({ type }) => type === conditionTypes.blocked)?.reason === reason,
    );
  }
}
