/**
 * Counts Pods in the status of their WorkloadSpread while they are created and deleted: the one place where admission writes for it. A place is never
 * given twice, for the ledger writes exactly the version that was counted on.
 * @see spec/workloadspread.md 4.3, 4.5
 */
import { workloadSpreads, type WorkloadSpread } from '@kruise/api';
import { ApiError, isFailure, unlessDeleted, type Clock } from '@kruise/kube';
import { keyOf } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { StatusLedger, type Entry } from '../../writes/status-ledger.ts';
import { Counting, type Answer, type Asked, usesPercent } from '@kruise/kinds/workloadspread';
import type { SpreadLookup } from './observe-spread.ts';

export type { Answer } from '@kruise/kinds/workloadspread';

export interface BookkeepingParts extends Pick<HandlerDependencies, 'client' | 'writes' | 'onSpread'> {
  readonly lookup: SpreadLookup;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

export class Bookkeeping {
  readonly #parts: BookkeepingParts;
  readonly #ledger: StatusLedger<WorkloadSpread>;

  constructor(parts: BookkeepingParts) {
    const { client, clock, lookup } = parts;
    this.#parts = parts;
    this.#ledger = new StatusLedger({
      store: lookup.spreads.store,
      read: (key) => unlessDeleted(client.get(workloadSpreads, key)),
      write: (spread) => this.#write(spread),
      clock,
    });
  }

  /**
   * @param spread the cached WorkloadSpread
   * @throws ApiError when the Pod could not be counted: a Conflict after all attempts; the reason of `signal` when it aborts
   */
  count(spread: WorkloadSpread, asked: Asked, signal: AbortSignal): Promise<Answer> {
    return this.#ledger.change({ ...keyOf(spread), uid: spread.metadata.uid }, (newest) => this.#countOn(newest, asked), signal);
  }

  async #countOn(spread: WorkloadSpread | undefined, asked: Asked): Promise<Entry<WorkloadSpread, Answer>> {
    if (spread === undefined || spread.metadata.deletionTimestamp !== undefined) return { result: { kind: 'Gone' } };
    const now = this.#parts.clock.now();
    const total = await this.#totalFor(spread, (known) => new Counting(spread, now, known).needsTotal([asked]));
    const counting = new Counting(spread, now, total);
    return { result: counting.count(asked), status: counting.status };
  }

  async #write(spread: WorkloadSpread): Promise<void> {
    const { writes, onSpread } = this.#parts;
    if (writes === undefined) throw new ApiError('nothing may be counted here', { kind: 'MethodNotAllowed' });
    try {
      await writes.updateStatus(workloadSpreads, spread);
    } catch (error) {
      if (isFailure(error, 'Conflict')) onSpread?.('Conflict');
      throw error;
    }
  }

  /** The number of the workload's Pods, if the answer depends on it. */
  async #totalFor(spread: WorkloadSpread, isNeeded: (total: undefined) => boolean): Promise<number | undefined> {
    const { lookup } = this.#parts;
    if (!usesPercent(spread) || !isNeeded(undefined)) return undefined;
    return lookup.workloads.totalOf(spread, lookup.whiteList.reading(), new AbortController().signal);
  }
}
