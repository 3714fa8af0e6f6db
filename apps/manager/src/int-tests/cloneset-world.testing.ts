/** CloneSets and their Pods in a namespace of their own, as a user of the API sees them. */
import { type CloneSet, cloneSets } from '@kruise/api';
import { isObserved, openNamespace, WorkloadWorld } from './workload-world.testing.ts';

export { isObserved } from './workload-world.testing.ts';

export interface Shape {
  readonly name: string;
  readonly replicas: number;
  /** Of the container `main`. */
  readonly image: string;
  readonly rollingUpdate?: Readonly<Record<string, unknown>>;
  /** Further members of the spec; `template` replaces the whole template. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

export function cloneSetOf(namespace: string, { name, replicas, image, rollingUpdate = {}, spec: more = {} }: Shape): CloneSet {
  const app = { app: name };
  const spec = {
    replicas,
    selector: { matchLabels: app },
    template: { metadata: { labels: app }, spec: { containers: [{ name: 'main', image }] } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', ...rollingUpdate } },
    ...more,
  };
  return { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { namespace, name }, spec } as unknown as CloneSet;
}

export class CloneSetWorld extends WorkloadWorld<CloneSet> {
  #markers = 0;

  /** Makes the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<CloneSetWorld> {
    return new CloneSetWorld(cloneSets, await openNamespace(kubeconfigPath, namespace), namespace);
  }

  apply(shape: Shape): Promise<CloneSet> {
    return this.create(cloneSetOf(this.namespace, shape));
  }

  /**
   * Waits until the manager has seen the Pods as they are now. It learns of all Pods by one watch: once it counts a Pod as ready that was created
   * afterwards, it has seen the others.
   */
  async untilPodsAreSeen(image: string): Promise<void> {
    this.#markers += 1;
    const name = `marker-${this.#markers}`;
    await this.apply({ name, replicas: 1, image });
    await this.until(name, ({ status }) => status?.readyReplicas === 1);
    await this.client.delete(cloneSets, { namespace: this.namespace, name });
  }

  /** At least `count` Pods run the present template; what the status says of an earlier one does not count. */
  untilUpdated(name: string, count: number, timeoutMs?: number): Promise<CloneSet> {
    return this.until(name, (seen) => isObserved(seen) && (seen.status?.updatedReplicas ?? 0) >= count, timeoutMs);
  }

  /** All Pods exist, run the present template and are available, and the controller has seen the present object. */
  untilRolledOut(name: string, timeoutMs?: number): Promise<CloneSet> {
    return this.until(name, isRolledOut, timeoutMs);
  }
}

export function isRolledOut({ metadata, spec, status }: CloneSet): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    status?.observedGeneration === metadata.generation &&
    status?.replicas === replicas &&
    status.updatedReplicas === replicas &&
    status.updatedAvailableReplicas === replicas &&
    status.currentRevision === status.updateRevision
  );
}
