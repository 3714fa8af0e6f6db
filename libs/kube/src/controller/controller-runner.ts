import { formatKey, parseKey, seconds, unreachable, type KubeObject, type Milliseconds, type ObjectKey } from '@kruise/objects';
import { ApiError, askedWait } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { retry, type Outcome } from '../outcome.ts';
import { rejection, untilAborted } from '../until-aborted.ts';
import { controllerRateLimiter, type RetryLimits } from '../workqueue/rate-limiter.ts';
import { WorkQueue, type QueueMetrics } from '../workqueue/work-queue.ts';
import { isPanic, type ControllerMetrics, type ReconcileResult } from './controller-metrics.ts';
import { EventLoopTurns } from './event-loop-turns.ts';
import { SpinGuard } from './spin-guard.ts';
import type { Request, Watch } from './watch.ts';

/** Something to wait for: an `Informer`. */
interface Cache {
  readonly reflector: Pick<Watch, 'waitForSync'>;
}

/** A controller as its kind defines it. */
export interface ControllerDefinition {
  /** For example `cloneset-controller`: metric label, log field, event source. */
  readonly name: string;
  /** Number of parallel reconciles, at least 1. */
  readonly workers: number;
  readonly watches: readonly Watch[];
  /** Caches that reconciles read and whose changes enqueue nothing. The controller only waits for them. */
  readonly caches?: readonly Cache[];
  /** Reconciles one key. It must stop soon after `signal` aborts: at the reconcile timeout and at the end of the grace time of a stop. */
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome>;
}

/** The tools that the controllers of a process share, and their waits. */
export interface ControllerRunnerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent metrics are not counted. */
  readonly metrics?: Partial<ControllerMetrics>;
  readonly queueMetrics?: QueueMetrics;
  readonly retryLimits?: RetryLimits;
  /** Shared by all controllers of a process; its own when absent. */
  readonly turns?: EventLoopTurns;
  /** How long its caches may take; 2 min when absent. */
  readonly cacheSyncTimeout?: Milliseconds;
  /** The time after which the signal of a reconcile aborts; never when absent. */
  readonly reconcileTimeout?: Milliseconds;
  /** How long running reconciles may continue when the controller is stopped; 30 s when absent. */
  readonly stopGrace?: Milliseconds;
}

/** Thrown when the caches of a controller did not sync in time. Fatal: the process cannot do its work. */
export class CacheSyncTimeout extends Error {
  override readonly name = 'CacheSyncTimeout';
}

/** Thrown when reconciles continued although their signal was aborted. A leader must not release the lease then. */
export class ControllerNotStopped extends Error {
  override readonly name = 'ControllerNotStopped';
}

/** How long a worker waits for a reconcile whose signal aborted before it continues without it. */
const patience = seconds(5);

/**
 * One namespace may use as many workers at a time as the controller has. This additional worker serves other namespaces meanwhile, so that objects of
 * one namespace with long passes, such as those with very large templates, do not block all others.
 */
const spareWorkers = 1;

/**
 * Runs one controller: watches, queue, workers. Errors of a reconcile never end it. A reconcile that ignores its aborted signal keeps its key locked,
 * but not its worker.
 *
 *   run -> watching -> caches synced -> working --signal--> stopping (nothing new; running ones have their grace) -> done
 *
 * @see spec/manager.md 5.6
 */
export class ControllerRunner {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #definition: ControllerDefinition;
  readonly #options: ControllerRunnerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: Partial<ControllerMetrics>;
  readonly #turns: EventLoopTurns;
  readonly #spins = new SpinGuard();
  /** The abort of every running reconcile, by key. An entry is removed when its reconcile ends. */
  readonly #running = new Map<string, AbortController>();
  #state: 'New' | 'Syncing' | 'Working' | 'Stopped' = 'New';

  constructor(definition: ControllerDefinition, options: ControllerRunnerOptions) {
    this.name = definition.name;
    this.#definition = definition;
    this.#options = options;
    this.#clock = options.clock;
    this.#logger = options.logger.child({ controller: definition.name });
    this.#metrics = options.metrics ?? {};
    this.#turns = options.turns ?? new EventLoopTurns();
    this.queue = new WorkQueue({
      clock: options.clock,
      limiter: controllerRateLimiter(options.clock, options.retryLimits),
      mostOfNamespace: definition.workers,
      ...(options.queueMetrics === undefined ? {} : { metrics: options.queueMetrics }),
    });
  }

  /** True from the moment its workers run until it is stopped. */
  get working(): boolean {
    return this.#state === 'Working';
  }

  /** Adds a key from outside the watches. */
  enqueue(request: Request): void {
    this.#take([request], false);
  }

  /**
   * Runs until `signal` aborts and every reconcile has ended.
   *
   * @throws CacheSyncTimeout when a cache is not synced in time; ControllerNotStopped when a reconcile outlives its grace time
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'New') throw new Error(`controller ${this.name} was run before`);
    this.#state = 'Syncing';
    const stops = this.#definition.watches.map((watch) =>
      watch.start(
        (requests, initial) => this.#take(requests, initial),
        (error, object) => this.#reportWatchPanic(error, object),
      ),
    );
    try {
      await this.#waitForCaches(signal);
      if (!signal.aborted) await this.#work(signal);
    } finally {
      this.#state = 'Stopped';
      for (const stop of stops) stop();
      this.queue.shutDown({ discard: true });
    }
  }

  #take(requests: readonly Request[], initial: boolean): void {
    for (const request of requests) {
      const key = formatKey('after' in request ? request.key : request);
      this.#spins.clear(key);
      if ('after' in request) this.queue.addAfter(key, request.after);
      else this.queue.add(key, initial ? 'Background' : 'Live');
    }
  }

  async #waitForCaches(signal: AbortSignal): Promise<void> {
    const timeout = this.#options.cacheSyncTimeout ?? seconds(120);
    const late = new AbortController();
    const timer = this.#clock.schedule(timeout, () => late.abort());
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const { watches, caches = [] } = this.#definition;
      const awaited = [...watches, ...caches.map(({ reflector }) => reflector)];
      await Promise.race([Promise.all(awaited.map((source) => source.waitForSync(either))), rejection(either)]);
    } catch (error) {
      if (signal.aborted) return;
      if (late.signal.aborted) throw new CacheSyncTimeout(`the caches of ${this.name} did not sync within ${timeout} ms`, { cause: error });
      throw error;
    } finally {
      timer.cancel();
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { workers } = this.#definition;
    this.#state = 'Working';
    this.#metrics.maxConcurrent?.(workers);
    this.#metrics.activeWorkers?.(0);
    this.#logger.info({ workers }, 'Started the controller');
    const done = Promise.all(Array.from({ length: workers + spareWorkers }, () => this.#runWorker(signal)));
    await Promise.race([done, untilAborted(signal)]);
    await this.#stop();
    await done;
    this.#logger.info({}, 'Stopped the controller');
  }

  async #runWorker(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.get(signal); key !== undefined; key = await this.queue.get(signal)) {
      await this.#turns.next();
      if (signal.aborted) this.queue.done(key);
      else await this.#process(key);
    }
  }

  /** Reconciles `key`. Resolves when that ended, or when it is no longer waited for. */
  async #process(key: string): Promise<void> {
    const abort = new AbortController();
    this.#running.set(key, abort);
    this.#metrics.activeWorkers?.(this.#running.size);
    const ended = this.#reconcile(key, abort.signal).finally(() => {
      this.#running.delete(key);
      this.queue.done(key);
      this.#metrics.activeWorkers?.(this.#running.size);
    });
    const limit = this.#options.reconcileTimeout;
    const timer =
      limit === undefined
        ? undefined
        : this.#clock.schedule(limit, () => abort.abort(new DOMException(`the reconcile took longer than ${limit} ms`, 'TimeoutError')));
    await Promise.race([ended, this.#abandoned(abort.signal, ended, key)]);
    timer?.cancel();
  }

  /** Resolves some time after `signal` aborted when `ended` did not resolve by then. */
  #abandoned(signal: AbortSignal, ended: Promise<void>, key: string): Promise<void> {
    return new Promise((resolve) => {
      const wait = (): void => {
        const timer = this.#clock.schedule(patience, () => {
          this.#logger.error({ key }, 'Reconcile continues after its signal aborted; its key stays locked');
          this.queue.letGo(key);
          resolve();
        });
        void ended.finally(() => timer.cancel());
      };
      signal.addEventListener('abort', wait);
    });
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const from = this.#clock.monotonic();
    let result: ReconcileResult;
    try {
      result = this.#settle(key, await this.#definition.reconcile(parseKey(key), signal));
    } catch (thrown) {
      result = this.#settle(key, this.#outcomeOf(thrown, key));
    }
    this.#metrics.reconciled?.(result, (this.#clock.monotonic() - from) / 1000);
  }

  #outcomeOf(thrown: unknown, key: string): Outcome {
    if (!isPanic(thrown)) return retry(thrown);
    this.#metrics.panicked?.();
    this.#logger.error({ key, error: thrown }, 'Reconcile panicked');
    return retry(thrown instanceof Error ? thrown : new Error(`reconcile threw ${String(thrown)}`));
  }

  /** Passes to the queue what follows for `key`. */
  #settle(key: string, outcome: Outcome): ReconcileResult {
    switch (outcome.kind) {
      case 'Settled':
        this.queue.forget(key);
        this.#spins.clear(key);
        return 'success';
      case 'Requeue':
        this.queue.forget(key);
        this.queue.addAfter(key, this.#paced(key, outcome.after));
        return 'requeue_after';
      case 'Retry':
        this.#logRetry(key, outcome.error);
        this.queue.addRateLimited(key, askedWait(outcome.error));
        if (outcome.within !== undefined) this.queue.addAfter(key, outcome.within);
        return 'error';
      case 'GiveUp':
        this.#logger.error({ key, error: outcome.error }, 'Reconcile failed; waiting for a change');
        this.queue.forget(key);
        this.#spins.clear(key);
        this.#metrics.gaveUp?.();
        return 'error';
      default:
        return unreachable(outcome);
    }
  }

  /** Returns the wait of `key`, which requested one: longer than that when it spins. */
  #paced(key: string, asked: Milliseconds): Milliseconds {
    const { after, heldBack, looks } = this.#spins.pace(key, asked);
    if (heldBack) {
      this.#metrics.heldBack?.();
      this.#logger.warn({ key, looks, after }, 'Reconcile requeues immediately although nothing has changed; delaying it');
    }
    return after;
  }

  /** Logs a retry. Conflicts are part of normal work, and an aborted reconcile of a stop is no failure. */
  #logRetry(key: string, error: Error): void {
    const quiet =
      this.#state === 'Stopped' || (error instanceof ApiError && (error.failure.kind === 'Conflict' || error.failure.kind === 'Aborted'));
    const fields = { key, retries: this.queue.retries(key), error };
    if (quiet) this.#logger.debug(fields, 'Retrying reconcile');
    else this.#logger.error(fields, 'Reconcile failed; retrying');
  }

  async #stop(): Promise<void> {
    this.#state = 'Stopped';
    this.queue.shutDown({ discard: true });
    const drained = this.queue.shutDownWithDrain().then(() => true as const);
    if (await this.#within(drained, this.#options.stopGrace ?? seconds(30))) return;
    this.#logger.warn({ keys: [...this.#running.keys()] }, 'Aborting reconciles at the end of the grace time');
    for (const abort of this.#running.values()) abort.abort(new DOMException('the controller is stopped', 'AbortError'));
    if (await this.#within(drained, patience)) return;
    throw new ControllerNotStopped(`reconciles of ${this.name} did not stop: ${[...this.#running.keys()].join(', ')}`);
  }

  async #within(done: Promise<true>, length: Milliseconds): Promise<boolean> {
    const enough = new AbortController();
    try {
      return (await Promise.race([done, this.#clock.sleep(length, enough.signal)])) === true;
    } finally {
      enough.abort();
    }
  }

  #reportWatchPanic(error: unknown, object: KubeObject): void {
    this.#metrics.panicked?.();
    this.#logger.error(
      { object: `${object.kind ?? ''} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, error },
      'Event filter panicked',
    );
  }
}
