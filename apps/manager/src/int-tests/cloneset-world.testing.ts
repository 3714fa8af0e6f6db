/** CloneSets and their Pods in a namespace of their own, as a user of the API sees them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CloneSet, cloneSets } from '@kruise/api';
import { type Client, createClient, isFailure, loadClusterConfig } from '@kruise/kube';
import { controllerRevisions, events, isControlledBy, type KubeObject, namespaces, type Pod, pods } from '@kruise/objects';

/** How long a wait may take. It ends at once when what it waits for is there, so only a fault takes that long, however slow the machine. */
const longestWaitMs = 180_000;

/** An event as far as it is looked at. */
interface EventObject extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly involvedObject?: { readonly name?: string };
}

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

/** Whether the status is that of the present spec. */
export const isObserved = ({ metadata, status }: CloneSet): boolean => status?.observedGeneration === metadata.generation;

export class CloneSetWorld {
  readonly client: Client;
  readonly namespace: string;

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Makes the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<CloneSetWorld> {
    const client = createClient(loadClusterConfig({ path: kubeconfigPath }), { userAgent: 'integration-test' });
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    return new CloneSetWorld(client, namespace);
  }

  apply(shape: Shape): Promise<CloneSet> {
    return this.client.create(cloneSets, cloneSetOf(this.namespace, shape));
  }

  /** Tries again while the API server or the webhook is away. */
  async patch(name: string, change: unknown): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.client.patch(cloneSets, { namespace: this.namespace, name }, change, { type: 'merge' });
        return;
      } catch (error) {
        if (attempt === 50 || isFailure(error, 'Invalid')) throw error;
        await sleep(200);
      }
    }
  }

  setImage(name: string, image: string): Promise<void> {
    return this.patch(name, { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } });
  }

  get(name: string): Promise<CloneSet> {
    return this.client.get(cloneSets, { namespace: this.namespace, name });
  }

  /** Pods of the CloneSet that are not on their way out, by name. */
  async pods(name: string): Promise<readonly Pod[]> {
    const { metadata } = await this.get(name);
    const { items } = await this.client.list(pods, { namespace: this.namespace });
    const own = items.filter((pod) => isControlledBy(pod, metadata.uid ?? '') && pod.metadata.deletionTimestamp === undefined);
    return own.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  pod(name: string): Promise<Pod> {
    return this.client.get(pods, { namespace: this.namespace, name });
  }

  async patchPod(name: string, change: unknown): Promise<void> {
    await this.client.patch(pods, { namespace: this.namespace, name }, change, { type: 'merge' });
  }

  /** Deletes a CloneSet and waits until its Pods are gone. */
  async remove(name: string): Promise<void> {
    await this.client.delete(cloneSets, { namespace: this.namespace, name });
    const isLeft = async (): Promise<boolean> => {
      const { items } = await this.client.list(pods, { namespace: this.namespace, labelSelector: `app=${name}` });
      return items.length > 0;
    };
    await this.eventually(async () => !(await isLeft()), `the Pods of ${name} are gone`);
  }

  async revisions(name: string): Promise<readonly { readonly name: string; readonly revision: number }[]> {
    const { items } = await this.client.list(controllerRevisions, { namespace: this.namespace });
    const own = items.filter((item) => item.metadata.ownerReferences?.some((owner) => owner.name === name));
    return own.map((item) => ({ name: item.metadata.name, revision: Number(item.revision) })).toSorted((a, b) => a.revision - b.revision);
  }

  async events(name: string): Promise<readonly EventObject[]> {
    const { items } = await this.client.list<EventObject>(events, { namespace: this.namespace });
    return items.filter((event) => event.involvedObject?.name === name);
  }

  /** Waits until something `holds`. @throws when it takes too long */
  async eventually(holds: () => Promise<boolean>, what: string, timeoutMs = longestWaitMs): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`${what}: not so after ${timeoutMs / 1000} s`);
      await sleep(100);
    }
  }

  /** Waits until a CloneSet `holds`; a failing read counts as not yet. @throws with what was seen last when it takes too long */
  async until(name: string, holds: (cloneSet: CloneSet) => boolean, timeoutMs = longestWaitMs): Promise<CloneSet> {
    const deadline = performance.now() + timeoutMs;
    let seen: unknown;
    for (;;) {
      try {
        const cloneSet = await this.get(name);
        if (holds(cloneSet)) return cloneSet;
        seen = cloneSet.status;
      } catch (error) {
        seen = error;
      }
      if (performance.now() > deadline)
        throw new Error(`${name} did not get there: ${seen instanceof Error ? seen.message : JSON.stringify(seen)}`);
      await sleep(50);
    }
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
