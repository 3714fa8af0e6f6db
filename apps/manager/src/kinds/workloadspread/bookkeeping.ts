/**
 * Counts Pods in the status of their WorkloadSpread while they are created and deleted: the one place where admission writes.
 *
 *   request -> waiting --nobody writes for this WorkloadSpread--> all that wait are counted, in one write -> each gets its answer
 *                                   ^ conflict: read again from the API server, counted anew with who has come since (10 tries)
 *
 * Every replica and the controller write the same status. Each writes exactly the version that it has counted on, so a place is never given twice;
 * within this process one write at a time, for all who wait, keeps them from getting in each other's way.
 * @see spec/workloadspread.md 4.3, 4.5
 */
import { workloadSpreads, type WorkloadSpread } from '@kruise/api';
import {
  ApiError,
  isFailure,
  orAborted,
  retryOnConflict,
  unlessGone,
  type Clock,
  type ConflictPreset,
  type StoreReader,
} from '@kruise/kube';
import { keyOf, milliseconds } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { Counting, type Answer, type Asked } from './counting.ts';
import type { SpreadLookup } from './observe-spread.ts';
import { usesPercent } from './replicas.ts';

export type { Answer } from './counting.ts';

/**
 * Who writes next is decided anew each time, so that no replica loses for long. More tries than the original has: there one process writes for all,
 * here every replica does.
 */
const conflictTries: ConflictPreset = { tries: 10, firstWait: milliseconds(5), factor: 1.5, jitter: 1 };

interface Waiting {
  readonly asked: Asked;
  readonly signal: AbortSignal;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Those who wait for one WorkloadSpread; there as long as somebody does. */
interface Queue {
  readonly waiting: Waiting[];
}

export interface BookkeepingParts extends Pick<HandlerDependencies, 'client' | 'writes' | 'onSpread'> {
  readonly lookup: SpreadLookup;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

export class Bookkeeping {
  readonly #parts: BookkeepingParts;
  /** By uid. */
  readonly #queues = new Map<string, Queue>();

  constructor(parts: BookkeepingParts) {
    this.#parts = parts;
  }

  /**
   * @param spread as it is known
   * @throws ApiError when nobody could count: a Conflict after all tries; the reason of `signal` when it aborts
   */
  count(spread: WorkloadSpread, asked: Asked, signal: AbortSignal): Promise<Answer> {
    const { uid = '' } = spread.metadata;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const waiting: Waiting = { asked, signal, resolve, reject };
    const queue = this.#queues.get(uid);
    if (queue !== undefined) queue.waiting.push(waiting);
    else void this.#serve(spread, waiting);
    return orAborted(promise, signal);
  }

  /** Until nobody waits any more; never rejects. */
  async #serve(spread: WorkloadSpread, first: Waiting): Promise<void> {
    const { uid = '' } = spread.metadata;
    const queue: Queue = { waiting: [first] };
    this.#queues.set(uid, queue);
    while (queue.waiting.length > 0) await this.#serveAll(spread, queue);
    this.#queues.delete(uid);
  }

  /** All who wait, and those who come while others write: after a conflict they are counted along. */
  async #serveAll(spread: WorkloadSpread, queue: Queue): Promise<void> {
    const batch: Waiting[] = [];
    try {
      const answers = await retryOnConflict(conflictTries, { clock: this.#parts.clock }, (readFrom) => {
        batch.push(...queue.waiting.splice(0).filter(({ signal }) => !signal.aborted));
        return this.#answer(spread, batch, readFrom);
      });
      batch.forEach(({ resolve }, index) => resolve(answers[index] ?? { kind: 'Gone' }));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async #answer(spread: WorkloadSpread, batch: readonly Waiting[], readFrom: 'Cache' | 'Server'): Promise<readonly Answer[]> {
    const asked = batch.map((waiting) => waiting.asked);
    const newest = asked.length === 0 ? undefined : await this.#read(spread, readFrom);
    if (newest === undefined || newest.metadata.deletionTimestamp !== undefined) return asked.map(() => ({ kind: 'Gone' }));
    return this.#tryToCount(newest, asked);
  }

  /** Undefined when it is gone, or another has its name. */
  async #read(spread: WorkloadSpread, from: 'Cache' | 'Server'): Promise<WorkloadSpread | undefined> {
    const { client, lookup } = this.#parts;
    const store: StoreReader<WorkloadSpread> = lookup.spreads.store;
    const key = keyOf(spread);
    const newest = from === 'Cache' ? store.get(key) : await unlessGone(client.get(workloadSpreads, key));
    return newest?.metadata.uid === spread.metadata.uid ? newest : undefined;
  }

  async #tryToCount(spread: WorkloadSpread, asked: readonly Asked[]): Promise<readonly Answer[]> {
    const { clock, writes, onSpread } = this.#parts;
    const counting = new Counting(
      spread,
      clock.now(),
      await this.#totalFor(spread, (total) => new Counting(spread, clock.now(), total).needsTotal(asked)),
    );
    const answers = asked.map((one) => counting.count(one));
    const status = counting.status;
    if (status === undefined) return answers;
    if (writes === undefined) throw new ApiError('nothing may be counted here', { kind: 'MethodNotAllowed' });
    try {
      await writes.updateStatus(workloadSpreads, { ...spread, status });
    } catch (error) {
      if (isFailure(error, 'Conflict')) onSpread?.('Conflict');
      throw error;
    }
    return answers;
  }

  /** The number of the workload's Pods, where it matters to somebody who asks. */
  async #totalFor(spread: WorkloadSpread, isNeeded: (total: undefined) => boolean): Promise<number | undefined> {
    const { lookup } = this.#parts;
    if (!usesPercent(spread) || !isNeeded(undefined)) return undefined;
    return lookup.workloads.totalOf(spread, lookup.whiteList.reading(), new AbortController().signal);
  }
}
