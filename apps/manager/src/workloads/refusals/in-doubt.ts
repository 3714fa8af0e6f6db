/**
 * Writes to Pods whose answer was lost: they may have taken effect, and the watch may be late. Until that is clear the owner of the Pod changes no other, as
 * one Pod too many could be out of service.
 *
 * An entry leaves when the store shows a newer version or no Pod, when the API server shows that the write had no effect, with the owner, and
 * at the latest after `--expectation-timeout`.
 * @see spec/sidecarset.md 5.5 step 4
 */
import { isFailure, requeue, type Client, type StoreReader } from '@kruise/kube';
import { keyOf, milliseconds, pods, type Instant, type Milliseconds, type Pod, type Failed, type PlannedAction } from '@kruise/objects';

/** How soon a pass that found a write in doubt is repeated. */
export const doubtCheckedAfter = milliseconds(1000);

/** How a pass ends while a write is in doubt. */
export const whileInDoubt = requeue(doubtCheckedAfter);

interface ActionOnPod extends PlannedAction {
  readonly pod?: Pod;
}

interface Doubt {
  readonly pod: Pod;
  readonly since: Instant;
}

export class InDoubt {
  readonly #store: StoreReader<Pod>;
  readonly #timeout: Milliseconds;
  /** By uid of the owner, then by uid of the Pod. */
  readonly #doubts = new Map<string, Map<string, Doubt>>();

  constructor(store: StoreReader<Pod>, timeout: Milliseconds) {
    this.#store = store;
    this.#timeout = timeout;
  }

  /** Remembers a write to `pod` that got no answer. */
  add(owner: string, pod: Pod, now: Instant): void {
    const doubts = this.#doubts.get(owner) ?? new Map<string, Doubt>();
    // An action may write twice: what it wrote before is in the store.
    doubts.set(pod.metadata.uid ?? '', { pod: this.#store.get(keyOf(pod)) ?? pod, since: now });
    this.#doubts.set(owner, doubts);
  }

  /** Remembers the Pods of actions that got no answer. */
  note(owner: string, failures: readonly Failed<ActionOnPod>[], now: Instant): void {
    for (const { action, error } of failures)
      if (action.pod?.metadata.uid !== undefined && isFailure(error, 'Unreachable')) this.add(owner, action.pod, now);
  }

  /** Called for every owner that is deleted. */
  forget(owner: string): void {
    this.#doubts.delete(owner);
  }

  /**
   * Asks the API server if the store does not know.
   *
   * @returns whether something is still in doubt
   * @throws ApiError when the API server does not answer
   */
  async remains(owner: string, client: Pick<Client, 'get'>, now: Instant, signal: AbortSignal): Promise<boolean> {
    const doubts = this.#doubts.get(owner);
    if (doubts === undefined) return false;
    for (const [uid, doubt] of doubts) {
      if (now - doubt.since >= this.#timeout || !(await this.#isOpen(doubt.pod, client, signal))) doubts.delete(uid);
    }
    if (doubts.size === 0) this.#doubts.delete(owner);
    return doubts.size > 0;
  }

  async #isOpen(pod: Pod, client: Pick<Client, 'get'>, signal: AbortSignal): Promise<boolean> {
    const held = this.#store.get(keyOf(pod));
    if (held === undefined || held.metadata.resourceVersion !== pod.metadata.resourceVersion) return false;
    try {
      const { metadata } = await client.get(pods, keyOf(pod), { signal });
      return metadata.resourceVersion !== pod.metadata.resourceVersion;
    } catch (error) {
      // The store counts it as a Pod that runs.
      if (isFailure(error, 'NotFound')) return true;
      throw error;
    }
  }
}
