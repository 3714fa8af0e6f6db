import type { Request, Watch } from './watch.ts';

/**
 * A watch whose events other code sends: another controller, a timer, an event stream that is no Kubernetes watch. Events that arrive while its
 * controller does not run are lost, because its controller processes everything when it starts.
 */
export class Trigger implements Watch {
  readonly #takers = new Set<(requests: readonly Request[], initial: boolean) => void>();

  /** Enqueues the requests in the controllers that watch this. */
  enqueue(...requests: readonly Request[]): void {
    if (requests.length === 0) return;
    for (const take of this.#takers) take(requests, false);
  }

  start(take: (requests: readonly Request[], initial: boolean) => void): () => void {
    this.#takers.add(take);
    return () => this.#takers.delete(take);
  }

  /** Resolves immediately: there is no cache to wait for. */
  waitForSync(): Promise<void> {
    return Promise.resolve();
  }
}
