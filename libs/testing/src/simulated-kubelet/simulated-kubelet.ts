/**
 * Simulates the kubelets of many nodes in one process: registers the nodes, renews their leases, and updates the Pods bound to them as a kubelet and
 * its container runtime would, without containers. Chosen over kwok because readiness that follows readiness gates, restarts of single containers on
 * a new image, grace periods and faults are rules over old and new state, which kwok's stage templates can hardly express; and because one Node
 * process that writes only differences leaves more of the machine to what is measured.
 *
 * A Pod: seen -> (startDelay) -> Running -> [image changed -> (startDelay) -> restarted]* -> deletion seen -> (stopDelay, at most the grace) ->
 * deleted with grace 0. One PATCH of the status for each of these steps; the final status is written only for Pods with finalizers, because no other
 * client can see it. All state is in the API server, except for the timers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isPodFinished, type Pod } from '@kruise/objects';
import { type ApiClient, type ApiEvent, ApiRequestError } from '../cluster/api-client.ts';
import { AddressPool } from './address-pool.ts';
import { leaseOf, nodeAddress, nodeOf } from './node-objects.ts';
import { computePodStatus, nextChangeAt, startNeeded, statusPatch } from './pod-status.ts';

/** How many nodes are simulated, and how fast they are. */
export interface SimulatedKubeletOptions {
  readonly nodes: number;
  /** Default `simulated`. */
  readonly prefix?: string;
  /** Default 50 ms. */
  readonly startDelayMs?: number;
  /** Default 50 ms. */
  readonly stopDelayMs?: number;
  readonly taint?: boolean;
  /** Parallel requests; default 24. */
  readonly concurrency?: number;
  readonly log?: (line: string) => void;
}

interface Tracked {
  pod: Pod;
  /** What the running delay is for; '' when none runs. */
  need: string;
  dueAt: number;
  busy: boolean;
  again: boolean;
  failures: number;
  timer?: NodeJS.Timeout | undefined;
}

const leaseRenewMs = 10_000;
const versionOf = (pod: Pod): number => Number(pod.metadata.resourceVersion ?? 0);

/** Removes field ownership, which is about half of a Pod and not used here. */
function withoutManagedFields(pod: Pod): Pod {
  const { managedFields: _unused, ...metadata } = pod.metadata as Pod['metadata'] & { readonly managedFields?: unknown };
  return { ...pod, metadata };
}

const rfc3339 = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Simulates the kubelets of many nodes: starts, restarts and ends containers only in the API. */
export class SimulatedKubelet {
  readonly #api: ApiClient;
  readonly #options: Required<SimulatedKubeletOptions>;
  readonly #stopped = new AbortController();
  readonly #nodeIndex = new Map<string, number>();
  /** By uid. An entry is removed when the Pod no longer exists in the API server. */
  readonly #pods = new Map<string, Tracked>();
  readonly #addresses = new AddressPool();
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #loops: Promise<void> = Promise.resolve();

  constructor(api: ApiClient, options: SimulatedKubeletOptions) {
    this.#api = api;
    this.#options = {
      prefix: 'simulated',
      startDelayMs: 50,
      stopDelayMs: 50,
      taint: false,
      concurrency: 24,
      log: () => undefined,
      ...options,
    };
  }

  /** Registers the nodes and begins. Resolves when every node is registered. */
  async start(): Promise<void> {
    const { nodes, prefix } = this.#options;
    const names = Array.from({ length: nodes }, (_, index) => `${prefix}-${index}`);
    names.forEach((name, index) => this.#nodeIndex.set(name, index));
    await Promise.all(names.map((name, index) => this.#register(name, index)));
    this.#loops = Promise.all([this.#followPods(), this.#keepLeases(names)]).then(() => undefined);
  }

  /** Ends all loops. Nodes and Pods are left unchanged, as after the crash of a kubelet. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const tracked of this.#pods.values()) clearTimeout(tracked.timer);
    await this.#loops;
  }

  async #register(name: string, index: number): Promise<void> {
    const node = nodeOf({ name, index, taint: this.#options.taint, now: rfc3339(Date.now()) });
    await this.#createOrKeep('/api/v1/nodes', node);
    await this.#call(() =>
      this.#api.request(`/api/v1/nodes/${name}/status`, {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: { status: node.status },
      }),
    );
    await this.#createOrKeep('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', leaseOf(name, new Date().toISOString()));
  }

  async #createOrKeep(path: string, body: unknown): Promise<void> {
    try {
      await this.#call(() => this.#api.request(path, { method: 'POST', body }));
    } catch (error) {
      if (!(error instanceof ApiRequestError && error.reason === 'AlreadyExists')) throw error;
    }
  }

  /** Runs at most `concurrency` requests at a time, in the order of the calls. */
  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.#options.concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inFlight -= 1;
      else next();
    }
  }

  async #keepLeases(names: readonly string[]): Promise<void> {
    while (await this.#pause(leaseRenewMs)) {
      const body = { spec: { renewTime: `${new Date().toISOString().slice(0, -1)}000Z` } };
      const renew = (name: string): Promise<unknown> =>
        this.#call(() =>
          this.#api.request(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`, {
            method: 'PATCH',
            contentType: 'application/merge-patch+json',
            body,
          }),
        );
      const results = await Promise.allSettled(names.map(renew));
      const failed = results.filter((result) => result.status === 'rejected');
      if (failed.length > 0 && !this.#stopped.signal.aborted)
        this.#options.log(`${failed.length} of ${names.length} leases not renewed: ${String(failed[0]?.reason)}`);
    }
  }

  /** Waits. @returns false when stopped meanwhile */
  async #pause(ms: number): Promise<boolean> {
    try {
      await sleep(ms, undefined, { signal: this.#stopped.signal });
      return true;
    } catch {
      return false;
    }
  }

  async #followPods(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#listThenWatch('/api/v1/pods?fieldSelector=spec.nodeName%21%3D');
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!this.#stopped.signal.aborted) this.#options.log(`watch of pods broke, listing again: ${reason}`);
      }
      await this.#pause(300);
    }
  }

  /** Continues to watch where the last watch ended, until one ends without any event. */
  async #listThenWatch(path: string): Promise<void> {
    const list = (await this.#api.request(`${path}&resourceVersion=0`)) as { metadata: { resourceVersion: string }; items: Pod[] };
    this.#relist(list.items);
    let version = list.metadata.resourceVersion;
    for (let before = ''; before !== version && !this.#stopped.signal.aborted;) {
      before = version;
      version = await this.#watch(`${path}&watch=1&allowWatchBookmarks=true&resourceVersion=${version}`, version);
    }
  }

  /** Watches. @returns the last version seen */
  async #watch(path: string, from: string): Promise<string> {
    let version = from;
    const onEvent = (event: ApiEvent): void => {
      const object = event.object as Pod;
      if (event.type === 'ERROR') throw new Error('watch expired');
      version = object.metadata.resourceVersion ?? version;
      if (event.type === 'DELETED') this.#forget(object);
      else if (event.type !== 'BOOKMARK') this.#see(object);
    };
    await this.#api.watch(path, onEvent, this.#stopped.signal);
    return version;
  }

  #relist(pods: readonly Pod[]): void {
    const listed = new Set(pods.map((pod) => pod.metadata.uid));
    for (const tracked of this.#pods.values()) if (!listed.has(tracked.pod.metadata.uid)) this.#forget(tracked.pod);
    for (const pod of pods) this.#see(pod);
  }

  #forget(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    clearTimeout(this.#pods.get(uid)?.timer);
    this.#pods.delete(uid);
    this.#addresses.release(uid);
  }

  #see(seen: Pod): void {
    if (!this.#nodeIndex.has(seen.spec?.nodeName ?? '')) return;
    const pod = withoutManagedFields(seen);
    const uid = pod.metadata.uid ?? '';
    const known = this.#pods.get(uid);
    if (known !== undefined && versionOf(known.pod) >= versionOf(pod)) return;
    const tracked = known ?? { pod, need: '', dueAt: 0, busy: false, again: false, failures: 0 };
    tracked.pod = pod;
    this.#pods.set(uid, tracked);
    this.#addresses.keep(uid, pod.status?.podIP);
    this.#consider(tracked);
  }

  #consider(tracked: Tracked): void {
    if (tracked.busy) {
      tracked.again = true;
      return;
    }
    const delay = this.#delayOf(tracked);
    clearTimeout(tracked.timer);
    tracked.timer = undefined;
    if (delay === undefined) return;
    if (delay > 0) tracked.timer = setTimeout(() => this.#consider(tracked), delay);
    else void this.#act(tracked); // catches all errors itself
  }

  /** Returns the milliseconds until the next step; undefined: nothing until the Pod changes. */
  #delayOf(tracked: Tracked): number | undefined {
    const { pod } = tracked;
    const { startDelayMs, stopDelayMs } = this.#options;
    if (pod.metadata.deletionTimestamp !== undefined) {
      const deleted = pod.metadata.deletionGracePeriodSeconds === 0;
      return deleted
        ? undefined
        : this.#remaining(tracked, 'stop', Math.min(stopDelayMs, (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000));
    }
    if (isPodFinished(pod)) return undefined;
    const need = startNeeded(pod);
    if (need !== '') return this.#remaining(tracked, need, startDelayMs);
    tracked.need = '';
    if (this.#patchOf(pod) !== undefined) return 0;
    const at = nextChangeAt(pod);
    return at === undefined ? undefined : Math.max(at - Date.now(), 1) + 1;
  }

  /** Returns the rest of a delay, which begins when its need is first seen and continues while the need is the same. */
  #remaining(tracked: Tracked, need: string, delayMs: number): number {
    const now = performance.now();
    if (tracked.need !== need) {
      tracked.need = need;
      tracked.dueAt = now + delayMs;
    }
    return tracked.dueAt - now;
  }

  #patchOf(pod: Pod): unknown {
    const index = this.#nodeIndex.get(pod.spec?.nodeName ?? '') ?? 0;
    const hostIp = nodeAddress(index);
    const podIp = pod.spec?.hostNetwork === true ? hostIp : this.#addresses.addressOf(pod.metadata.uid ?? '');
    return statusPatch(pod, computePodStatus(pod, { now: rfc3339(Date.now()), hostIp, podIp }));
  }

  async #act(tracked: Tracked): Promise<void> {
    tracked.busy = true;
    let retryMs = 0;
    try {
      await this.#call(() => this.#write(tracked));
      tracked.failures = 0;
    } catch (error) {
      retryMs = this.#afterFailure(tracked, error);
    }
    tracked.busy = false;
    if (this.#stopped.signal.aborted || !this.#pods.has(tracked.pod.metadata.uid ?? '')) return;
    if (retryMs > 0) tracked.timer = setTimeout(() => this.#consider(tracked), retryMs);
    else this.#consider(tracked);
  }

  async #write(tracked: Tracked): Promise<void> {
    const { pod } = tracked;
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
    const uid = pod.metadata.uid;
    if (pod.metadata.deletionTimestamp !== undefined) {
      const answer = await this.#api.request(path, {
        method: 'DELETE',
        body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } },
      });
      if ((answer as { kind?: string }).kind === 'Pod')
        tracked.pod = { ...(answer as Pod), metadata: { ...(answer as Pod).metadata, deletionGracePeriodSeconds: 0 } };
      return;
    }
    const status = this.#patchOf(pod);
    if (status === undefined) return;
    const body = { metadata: { uid }, status };
    const written = (await this.#api.request(`${path}/status`, {
      method: 'PATCH',
      contentType: 'application/strategic-merge-patch+json',
      body,
    })) as Pod;
    // An immediate retry would keep all others waiting indefinitely.
    if (versionOf(written) === versionOf(pod)) throw new Error(`the API server sees no change in the status ${JSON.stringify(status)}`);
    if (versionOf(written) > versionOf(tracked.pod)) tracked.pod = withoutManagedFields(written);
  }

  /**
   * Handles a failure. A conflict is a race with other writers or, on another uid, the end of the Pod, which the watch shows.
   * @returns milliseconds to the next attempt
   */
  #afterFailure(tracked: Tracked, error: unknown): number {
    const status = error instanceof ApiRequestError ? error.status : 0;
    if (status === 404) this.#forget(tracked.pod);
    else if (status !== 409 && !this.#stopped.signal.aborted)
      this.#options.log(`${tracked.pod.metadata.namespace}/${tracked.pod.metadata.name}: ${String(error)}`);
    tracked.failures += 1;
    return Math.min(100 * 2 ** tracked.failures, 5_000);
  }
}
