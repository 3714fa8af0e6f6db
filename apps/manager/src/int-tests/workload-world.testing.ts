/** Workloads of one kind and their Pods in a namespace of their own, as a user of the API sees them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient, isFailure, loadClusterConfig } from '@kruise/kube';
import {
  controllerRevisions,
  events,
  isControlledBy,
  type KubeObject,
  namespaces,
  type Pod,
  pods,
  type ResourceType,
} from '@kruise/objects';

/** How long a wait may take. It ends at once when what it waits for is there, so only a fault takes that long, however slow the machine. */
const longestWaitMs = 180_000;

/** Between two checks of a condition, in ms. */
const shortestPauseMs = 50;
const longestPauseMs = 400;
/** In ms. A condition may depend on the clock, too. */
const longestWatchMs = 1_000;

/** An event as far as it is looked at. */
export interface EventObject extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly involvedObject?: { readonly name?: string };
}

interface Observed extends KubeObject {
  readonly status?: { readonly observedGeneration?: number };
}

/** Whether the status is that of the present spec. */
export const isObserved = ({ metadata, status }: Observed): boolean => status?.observedGeneration === metadata.generation;

/** Makes the namespace. @returns a client of the cluster */
export async function openNamespace(kubeconfigPath: string, namespace: string): Promise<Client> {
  const client = createClient(loadClusterConfig({ path: kubeconfigPath }), { userAgent: 'integration-test' });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return client;
}

export class WorkloadWorld<T extends KubeObject> {
  readonly client: Client;
  readonly namespace: string;
  readonly #type: ResourceType<T>;

  constructor(type: ResourceType<T>, client: Client, namespace: string) {
    this.#type = type;
    this.client = client;
    this.namespace = namespace;
  }

  /** Creates an object of the workload's kind. Tries again while the API server has not learned yet where a new manager answers. */
  async create(object: T): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.client.create(this.#type, object);
      } catch (error) {
        if (attempt === 50 || !String(error).includes('failed calling webhook')) throw error;
        await sleep(200);
      }
    }
  }

  /** Tries again while the API server or the webhook is away. */
  async patch(name: string, change: unknown): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.client.patch(this.#type, { namespace: this.namespace, name }, change, { type: 'merge' });
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

  get(name: string): Promise<T> {
    return this.client.get(this.#type, { namespace: this.namespace, name });
  }

  /** Pods of the workload that are not terminating, by name. */
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

  /** Deletes a workload and waits until its Pods are deleted. */
  async remove(name: string): Promise<void> {
    await this.client.delete(this.#type, { namespace: this.namespace, name });
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

  /** Events are written a moment after their cause. @returns the first of this reason */
  async untilEvent(name: string, reason: string): Promise<EventObject> {
    let found: EventObject | undefined;
    await this.eventually(async () => {
      found = (await this.events(name)).find((event) => event.reason === reason);
      return found !== undefined;
    }, `event ${reason} of ${name} is there`);
    return found as EventObject;
  }

  /**
   * Waits until something `holds`, and checks it less often the longer that takes: what many tests ask the API server for is a good part of the load.
   *
   * @throws when it takes too long
   */
  async eventually(holds: () => Promise<boolean>, what: string, timeoutMs = longestWaitMs): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (let pauseMs = shortestPauseMs; !(await holds()); pauseMs = Math.min(pauseMs * 1.25, longestPauseMs)) {
      if (performance.now() > deadline) throw new Error(`${what}: not so after ${timeoutMs / 1000} s`);
      await sleep(pauseMs);
    }
  }

  /** Waits until a workload `holds`; a failing read counts as not yet. @throws with what was seen last when it takes too long */
  async until(name: string, holds: (seen: T) => boolean, timeoutMs = longestWaitMs): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    let seen: unknown;
    for (;;) {
      let held: T | undefined;
      try {
        held = await this.get(name);
        if (holds(held)) return held;
        seen = 'status' in held ? held.status : undefined;
      } catch (error) {
        seen = error;
      }
      if (performance.now() > deadline)
        throw new Error(`${name} did not get there: ${seen instanceof Error ? seen.message : JSON.stringify(seen)}`);
      await this.#untilChanged(name, held);
    }
  }

  /**
   * Every state of an object after `from`, up to the first that `holds`: a watch delivers also those that are too short for polling.
   *
   * @param from the object as a read or a write has answered it
   * @throws with what was seen last when it takes too long
   */
  async statesSince(from: T, holds: (seen: T) => boolean, timeoutMs = longestWaitMs): Promise<readonly T[]> {
    const { name, resourceVersion = '' } = from.metadata;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), timeoutMs);
    const states: T[] = [];
    try {
      const options = { namespace: this.namespace, fieldSelector: `metadata.name=${name}`, resourceVersion, signal: stop.signal };
      for await (const event of this.client.watch(this.#type, options)) {
        if (event.type === 'BOOKMARK') continue;
        states.push(event.object);
        if (holds(event.object)) return states;
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
    throw new Error(`${name} did not get there: ${JSON.stringify(states.at(-1))}`);
  }

  /** Waits until the object differs from what was read, and never longer than {@link longestWatchMs}. A watch costs less than reading it again and again. */
  async #untilChanged(name: string, held: T | undefined): Promise<void> {
    if (held?.metadata.resourceVersion === undefined) return void (await sleep(longestPauseMs));
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), longestWatchMs);
    const { resourceVersion } = held.metadata;
    const options = { namespace: this.namespace, fieldSelector: `metadata.name=${name}`, resourceVersion, signal: stop.signal };
    try {
      for await (const event of this.client.watch(this.#type, options)) if (event.type !== 'BOOKMARK') return;
    } catch {
      if (!stop.signal.aborted) await sleep(longestPauseMs);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }
}
