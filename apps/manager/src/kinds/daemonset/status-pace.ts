/**
 * How often numbers alone are worth a write. Where nodes or Pods change all the time the counters of a large DaemonSet would be written after every
 * change; nobody reads them that often.
 */
import type { DaemonSet, DaemonSetStatus } from '@kruise/api';
import { deepEqual, type Instant, type Milliseconds } from '@kruise/objects';

/** Milliseconds for each node between two writes of numbers, and in all at most: 3 for 3 nodes, 500 from 500 on. */
const forEachNode = 1;
const most = 500;

const withoutNumbers = (status: Partial<DaemonSetStatus> = {}): object =>
  Object.fromEntries(Object.entries(status).filter(([name]) => !/^(current|desired|updated)?[nN]umber/.test(name)));

export class StatusPace {
  readonly #written = new Map<string, Instant>();

  /**
   * Asked once for a status that is to be written.
   *
   * @returns how long the write is to wait; 0: it is done now
   */
  wait({ metadata, status: held }: DaemonSet, status: DaemonSetStatus, now: Instant): Milliseconds {
    const { uid = '' } = metadata;
    const pause = Math.min(status.desiredNumberScheduled * forEachNode, most);
    const left = (this.#written.get(uid) ?? Number.NEGATIVE_INFINITY) + pause - now;
    // A clock that was set back is no reason to wait longer.
    if (left > 0 && left <= pause && deepEqual(withoutNumbers(held), withoutNumbers(status))) return left as Milliseconds;
    this.#written.set(uid, now);
    return 0 as Milliseconds;
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
