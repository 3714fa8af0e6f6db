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

/** What can be waited for: an `Informer`. */
export interface Cache {
  readonly reflector: Pick<Watch, 'waitForSync'>;
}

/** A controller as its kind defines it. */
export interface ControllerDefinition {
  /** e.g. `cloneset-controller`: metric label, log field, event source. */
  readonly name: string;
  /** Reconciles at a time, at least 1. */
  readonly workers: number;
  readonly watches: readonly Watch[];
  /** Caches that reconciling reads and whose changes wake nobody: they are only waited for. */
  readonly caches?: readonly Cache[];
  /** Must stop soon after `signal` aborts: at the reconcile timeout and at the end of the grace time of a stop. */
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome>;
}

/** What controllers of a process share, and how long they wait. */
export interface ControllerRunnerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Those that are absent are not counted. */
  readonly metrics?: Partial<ControllerMetrics>;
  readonly queueMetrics?: QueueMetrics;
  readonly retryLimits?: RetryLimits;
  /** One for all controllers of a process; its own when absent. */
  readonly turns?: EventLoopTurns;
  /** How long its caches may take; 2 min when absent. */
  readonly cacheSyncTimeout?: Milliseconds;
  /** After this time the signal of a reconcile aborts; never when absent. */
  readonly reconcileTimeout?: Milliseconds;
  /** How long running reconciles may go on when the controller is stopped; 30 s when absent. */
  readonly stopGrace?: Milliseconds;
}

/** The caches of a controller were not there in time. Fatal: the process cannot do its work. */
export class CacheSyncTimeout extends Error {
  override readonly name = 'CacheSyncTimeout';
}

/** Reconciles went on although their signal was aborted. Who holds the leadership must not give it up for others to take. */
export class ControllerNotStopped extends Error {
  override readonly name = 'ControllerNotStopped';
}

/** What a reconcile gets after its signal aborted before its worker goes on without it. */
const patience = seconds(5);

/**
 * One namespace has as many workers at a time as the controller is to have. This one is for others meanwhile, so that objects of one namespace whose passes take
 * long, such as those with very large templates, do not hold up all others.
 */
const spareWorkers = 1;

/**
 * Runs one controller: watches, queue, workers. Errors of a reconcile never end it. A reconcile that ignores its aborted signal keeps its
 * key to itself, but not its worker.
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
  /** The abort of every running reconcile, by key; an entry leaves when its reconcile ends. */
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

  /** Adds a key from outside of the watches. */
  enqueue(request: Request): void {
    this.#take([request], false);
  }

  /**
   * Runs until `signal` aborts and everything that ran has ended.
   *
   * @throws CacheSyncTimeout when a cache is not there in time; ControllerNotStopped when a reconcile outlives its grace time
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
    this.#logger.info({ workers }, 'controller started');
    const done = Promise.all(Array.from({ length: workers + spareWorkers }, () => this.#runWorker(signal)));
    await Promise.race([done, untilAborted(signal)]);
    await this.#stop();
    await done;
    this.#logger.info({}, 'controller stopped');
  }

  async #runWorker(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.get(signal); key !== undefined; key = await this.queue.get(signal)) {
      await this.#turns.next();
      if (signal.aborted) this.queue.done(key);
      else await this.#process(key);
    }
  }

  /** Resolves when the reconcile of `key` ended, or when it is no longer waited for. */
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

  /** Resolves some time after `signal` aborted when `ended` did not come by then. */
  #abandoned(signal: AbortSignal, ended: Promise<void>, key: string): Promise<void> {
    return new Promise((resolve) => {
      const wait = (): void => {
        const timer = this.#clock.schedule(patience, () => {
          this.#logger.error({ key }, 'reconcile goes on after its signal aborted; its key stays locked');
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
    this.#logger.error({ key, error: thrown }, 'reconcile panicked');
    return retry(thrown instanceof Error ? thrown : new Error(`reconcile threw ${String(thrown)}`));
  }

  /** Tells the queue what comes next for `key`. */
  #settle(key: string, outcome: Outcome): ReconcileResult {
    switch (outcome.kind) {
      case 'Settled':
        this.queue.forget(key);
        this.#spins.clear(key);
        return 'success';
      case 'LookAgain':
        this.queue.forget(key);
        this.queue.addAfter(key, this.#paced(key, outcome.after));
        return 'requeue_after';
      case 'Retry':
        this.#logRetry(key, outcome.error);
        this.queue.addRateLimited(key, askedWait(outcome.error));
        if (outcome.within !== undefined) this.queue.addAfter(key, outcome.within);
        return 'error';
      case 'GiveUp':
        this.#logger.error({ key, error: outcome.error }, 'reconcile failed and waits for a change');
        this.queue.forget(key);
        this.#spins.clear(key);
        this.#metrics.gaveUp?.();
        return 'error';
      default:
        return unreachable(outcome);
    }
  }

  /** When `key`, which asked for a time, comes back: later than that when it turns in place. */
  #paced(key: string, asked: Milliseconds): Milliseconds {
    const { after, heldBack, looks } = this.#spins.pace(key, asked);
    if (heldBack) {
      this.#metrics.heldBack?.();
      this.#logger.warn({ key, looks, after }, 'reconcile asks to run again at once though nothing has changed; it waits');
    }
    return after;
  }

  /** Conflicts are part of normal work, and what a stop cut off is no failure. */
  #logRetry(key: string, error: Error): void {
    const quiet =
      this.#state === 'Stopped' || (error instanceof ApiError && (error.failure.kind === 'Conflict' || error.failure.kind === 'Aborted'));
    const fields = { key, retries: this.queue.retries(key), error };
    if (quiet) this.#logger.debug(fields, 'reconcile is tried again');
    else this.#logger.error(fields, 'reconcile failed and is tried again');
  }

  async #stop(): Promise<void> {
    this.#state = 'Stopped';
    this.queue.shutDown({ discard: true });
    const drained = this.queue.shutDownWithDrain().then(() => true as const);
    if (await this.#within(drained, this.#options.stopGrace ?? seconds(30))) return;
    this.#logger.warn({ keys: [...this.#running.keys()] }, 'reconciles are cut off at the end of the grace time');
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
      'event filter panicked',
    );
  }
}
