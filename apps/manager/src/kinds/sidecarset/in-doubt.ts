/**
 * Writes whose answer was lost: they may have taken effect without the store knowing. Until that is clear nothing more is updated, as one
 * Pod too many could go down.
 *
 * An entry leaves when the Pod is gone, when the store shows a newer version, when the server shows that the write never happened, and at the
 * latest after `--expectation-timeout`.
 * @see spec/sidecarset.md 5.5 step 4
 */
import type { Client, StoreReader } from '@kruise/kube';
import { isFailure } from '@kruise/kube';
import { keyOf, pods, type Instant, type Milliseconds, type Pod } from '@kruise/objects';

interface Doubt {
  readonly pod: Pod;
  readonly since: Instant;
}

export class InDoubt {
  readonly #store: StoreReader<Pod>;
  readonly #timeout: Milliseconds;
  /** By name of the SidecarSet, then by uid of the Pod. */
  readonly #doubts = new Map<string, Map<string, Doubt>>();

  constructor(store: StoreReader<Pod>, timeout: Milliseconds) {
    this.#store = store;
    this.#timeout = timeout;
  }

  /** Remembers a write to `pod` that nobody answered. */
  add(sidecarSet: string, pod: Pod, now: Instant): void {
    const doubts = this.#doubts.get(sidecarSet) ?? new Map<string, Doubt>();
    doubts.set(pod.metadata.uid ?? '', { pod, since: now });
    this.#doubts.set(sidecarSet, doubts);
  }

  /** The SidecarSet is gone. */
  forget(sidecarSet: string): void {
    this.#doubts.delete(sidecarSet);
  }

  /**
   * Looks at the server where the store cannot tell.
   *
   * @returns whether something is still in doubt
   * @throws when the server does not answer
   */
  async remains(sidecarSet: string, client: Pick<Client, 'get'>, now: Instant, signal: AbortSignal): Promise<boolean> {
    const doubts = this.#doubts.get(sidecarSet);
    if (doubts === undefined) return false;
    for (const [uid, doubt] of doubts) {
      if (now - doubt.since >= this.#timeout || !(await this.#isOpen(doubt.pod, client, signal))) doubts.delete(uid);
    }
    if (doubts.size === 0) this.#doubts.delete(sidecarSet);
    return doubts.size > 0;
  }

  async #isOpen(pod: Pod, client: Pick<Client, 'get'>, signal: AbortSignal): Promise<boolean> {
    const held = this.#store.get(keyOf(pod));
    if (held === undefined || held.metadata.resourceVersion !== pod.metadata.resourceVersion) return false;
    try {
      const { metadata } = await client.get(pods, keyOf(pod), { signal });
      return metadata.resourceVersion !== pod.metadata.resourceVersion;
    } catch (error) {
      if (isFailure(error, 'NotFound')) return false;
      throw error;
    }
  }
}
