/**
 * Which workloads wrote a revision in their last pass. The caches show it in the next one, unless its name was in use: then it is another client's, or the
 * answer to its creation was lost, and the watch may be late. A pass that wants to write it again waits for the watch, which enqueues the workload, or a second.
 */
import { milliseconds, type Milliseconds } from '@kruise/objects';

const again = milliseconds(1000);

/** The workloads whose revisions the cache does not show yet. */
export class AwaitedRevisions {
  readonly #owners = new Set<string>();

  /**
   * Called when a pass has written revisions.
   *
   * @param owner its uid
   * @returns when the next pass begins
   */
  written(owner: string): Milliseconds {
    const wasWritten = this.#owners.has(owner);
    this.#owners.add(owner);
    return wasWritten ? again : milliseconds(0);
  }

  /** Called when a pass had no revision to write. */
  shown(owner: string): void {
    this.#owners.delete(owner);
  }

  /** Called for every owner that is deleted. */
  forget(owner: string): void {
    this.#owners.delete(owner);
  }
}
