/** Advanced StatefulSets and their Pods in a namespace of their own, as a user of the API sees them. */
import { type StatefulSet, statefulSets } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { isObserved, openNamespace, WorkloadWorld } from './workload-world.testing.ts';

export interface SetShape {
  readonly name: string;
  readonly replicas: number;
  /** Of the container `main`. */
  readonly image: string;
  readonly parallel?: boolean;
  readonly rollingUpdate?: Readonly<Record<string, unknown>>;
  /** Further members of the container `main`. */
  readonly container?: Readonly<Record<string, unknown>>;
  /** Further members of the template's spec. */
  readonly podSpec?: Readonly<Record<string, unknown>>;
  /** Further labels of the template. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Further members of the spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Pods stop at once, and can be updated in place. */
export function statefulSetOf(namespace: string, shape: SetShape): StatefulSet {
  const { name, replicas, image, parallel = false, rollingUpdate = {}, container = {}, podSpec = {}, labels = {}, spec: more = {} } = shape;
  const template = {
    metadata: { labels: { app: name, ...labels } },
    spec: {
      terminationGracePeriodSeconds: 1,
      readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
      containers: [{ name: 'main', image, ...container }],
      ...podSpec,
    },
  };
  const spec = {
    replicas,
    serviceName: name,
    podManagementPolicy: parallel ? 'Parallel' : 'OrderedReady',
    selector: { matchLabels: { app: name } },
    template,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', ...rollingUpdate } },
    ...more,
  };
  return { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', metadata: { namespace, name }, spec } as unknown as StatefulSet;
}

export class StatefulSetWorld extends WorkloadWorld<StatefulSet> {
  /** Makes the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<StatefulSetWorld> {
    return new StatefulSetWorld(statefulSets, await openNamespace(kubeconfigPath, namespace), namespace);
  }

  apply(shape: SetShape): Promise<StatefulSet> {
    return this.client.create(statefulSets, statefulSetOf(this.namespace, shape));
  }

  /** Of every container; what else they have stays. */
  override async setImage(name: string, image: string): Promise<void> {
    const { spec } = await this.get(name);
    const containers = (spec.template.spec?.containers ?? []).map((container) => ({ ...container, image }));
    await this.patch(name, { spec: { template: { spec: { containers } } } });
  }

  /** Ordinals of the Pods that stay, ascending. */
  async ordinals(name: string): Promise<readonly number[]> {
    const present: readonly Pod[] = await this.pods(name);
    return present.map(({ metadata }) => Number(metadata.name.slice(name.length + 1))).toSorted((a, b) => a - b);
  }

  /** At least `count` Pods run the present template; what the status says of an earlier one does not count. */
  untilUpdated(name: string, count: number, timeoutMs?: number): Promise<StatefulSet> {
    return this.until(name, (seen) => isObserved(seen) && (seen.status?.updatedReplicas ?? 0) >= count, timeoutMs);
  }

  /** As many Pods as asked for are there and available, and the controller has seen the present object. */
  untilAvailable(name: string, timeoutMs?: number): Promise<StatefulSet> {
    const isThere = ({ spec, status }: StatefulSet): boolean =>
      status?.replicas === (spec.replicas ?? 1) && status.availableReplicas === status.replicas;
    return this.until(name, (seen) => isObserved(seen) && isThere(seen), timeoutMs);
  }

  /** As {@link untilAvailable}, and every Pod runs the present template. */
  untilRolledOut(name: string, timeoutMs?: number): Promise<StatefulSet> {
    const isDone = ({ spec: { replicas = 1 }, status }: StatefulSet): boolean =>
      status?.replicas === replicas &&
      status.updatedReplicas === replicas &&
      status.updatedAvailableReplicas === replicas &&
      status.currentRevision === status.updateRevision;
    return this.until(name, (seen) => isObserved(seen) && isDone(seen), timeoutMs);
  }
}
