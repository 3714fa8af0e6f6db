import type { Request, Watch } from './watch.ts';

/**
 * A watch that is fed by hand: from another controller, a timer, an event stream that is no Kubernetes watch. What comes while its controller
 * does not run is lost, as its controller looks at everything when it starts.
 */
export class Trigger implements Watch {
  readonly #takers = new Set<(requests: readonly Request[], initial: boolean) => void>();

  /** Wakes the controllers that watch this. */
  enqueue(...requests: readonly Request[]): void {
    if (requests.length === 0) return;
    for (const take of this.#takers) take(requests, false);
  }

  start(take: (requests: readonly Request[], initial: boolean) => void): () => void {
    this.#takers.add(take);
    return () => this.#takers.delete(take);
  }

  /** There is no cache to wait for. */
  waitForSync(): Promise<void> {
    return Promise.resolve();
  }
}
