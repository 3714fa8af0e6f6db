import { keyOf, milliseconds, seconds, type KubeObject, type Milliseconds } from '@kruise/objects';
import { ApiError, isFailure } from '../api-error.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { Fifo } from '../workqueue/fifo.ts';
import { coreEvents, newEvent, referenceTo, type EventType, type ObjectReference } from './core-event.ts';
import { EventCorrelator, type Correlated, type CorrelatorLimits } from './event-correlator.ts';

/** Reports events of objects for controllers. It never waits and never throws. */
export interface EventRecorder {
  /**
   * Records an event.
   *
   * @param target the object, or a reference to it; one without kind is logged and dropped
   * @param reason short, in CamelCase
   * @param message cut at 1024 bytes
   */
  event(target: KubeObject | ObjectReference, type: EventType, reason: string, message: string): void;
}

/** The target of events, and how many may wait. */
export interface EventSinkOptions {
  /** Only `create` and `patch` are used. */
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: CorrelatorLimits;
  /** Events that may wait to be written; further ones are dropped. Default 1000. */
  readonly queued?: number;
  /** Attempts to write one event while the server does not answer. Default 12. */
  readonly tries?: number;
  /** The time between two attempts. Default 10 s. */
  readonly retryWait?: Milliseconds;
  /** Sets `source.host` and `reportingInstance`, which are absent when this is absent. */
  readonly host?: string;
  /** Returns a number from 0 to below 1. Math.random when absent. */
  readonly random?: () => number;
}

type Write = Exclude<Correlated, { readonly kind: 'Drop' }>;

/** Returns whether the server may accept the event later. Any other answer is final. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  const { failure } = error;
  return failure.kind === 'Unreachable' || failure.kind === 'TooManyRequests' || (failure.kind === 'ServerError' && failure.status >= 500);
}

/**
 * Writes the events of a process in the background, one after the other. Delivery is best effort: when the server is unreachable for long or events
 * come too fast, some are dropped, and that is logged.
 */
export class EventSink {
  readonly #options: EventSinkOptions;
  readonly #correlator: EventCorrelator;
  readonly #waiting = new Fifo<Write>();
  readonly #stop = new AbortController();
  #serial = 0;
  #lost = 0;
  #closed = false;
  #writing: Promise<void> | undefined;

  constructor(options: EventSinkOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock, options.limits);
  }

  /** Returns a recorder. @param component source of the events, e.g. `cloneset-controller` */
  recorder(component: string): EventRecorder {
    return { event: (target, type, reason, message) => this.#record(component, target, { type, reason, message }) };
  }

  /** Events that wait to be written. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Accepts no more events, writes the waiting ones, and drops the rest after `within`; 5 s when absent. Never throws. */
  async stop(within: Milliseconds = seconds(5)): Promise<void> {
    this.#closed = true;
    const timer = this.#options.clock.schedule(within, () =>
      this.#stop.abort(new ApiError('the events are no longer waited for', { kind: 'Aborted' })),
    );
    await this.#writing;
    timer.cancel();
  }

  #record(
    component: string,
    target: KubeObject | ObjectReference,
    what: { readonly type: EventType; readonly reason: string; readonly message: string },
  ): void {
    const { clock, host, logger } = this.#options;
    try {
      const about = referenceTo(target);
      if (about === undefined) return logger.warn({ component, ...what }, 'Dropped an event about an object without kind');
      const facts = { about, component, host, ...what };
      const correlated = this.#correlator.correlate(newEvent(facts, clock.now(), this.#serial++));
      if (correlated.kind !== 'Drop') this.#enqueue(correlated);
    } catch (error) {
      logger.error({ component, ...what, error }, 'Failed to create an event');
    }
  }

  #enqueue(write: Write): void {
    if (this.#closed || this.#waiting.size >= (this.#options.queued ?? 1000)) {
      if (this.#lost++ === 0) this.#options.logger.warn({ reason: write.event.reason, closed: this.#closed }, 'Dropping events');
      return;
    }
    this.#waiting.push(write);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // The caller continues first: an event costs a reconcile no more than its creation.
    await Promise.resolve();
    for (let write = this.#waiting.shift(); write !== undefined; write = this.#waiting.shift()) {
      if (this.#stop.signal.aborted) this.#lost++;
      else await this.#writeStubbornly(write);
    }
    this.#writing = undefined;
    if (this.#lost > 0) this.#options.logger.warn({ count: this.#lost }, 'Dropped events');
    this.#lost = 0;
  }

  async #writeStubbornly(write: Write): Promise<void> {
    const { clock, logger, random = Math.random, tries = 12, retryWait = seconds(10) } = this.#options;
    const { signal } = this.#stop;
    const { event } = write;
    const fields = {
      object: `${event.involvedObject.kind} ${event.metadata.namespace}/${event.involvedObject.name}`,
      reason: event.reason,
    };
    for (let tried = 1; ; tried++) {
      try {
        return await this.#write(write, signal);
      } catch (error) {
        // A refusal is final: the namespace is being deleted, a policy forbids the event, or it exists already after a lost answer.
        if (!signal.aborted && !isPassing(error))
          return isFailure(error, 'AlreadyExists') ? undefined : logger.warn({ ...fields, error }, 'The API server refused an event');
        if (signal.aborted || tried >= tries) {
          this.#lost++;
          return logger.warn({ ...fields, error, tries: tried }, 'Failed to write an event');
        }
      }
      // The first wait is random, so that not all processes retry at the same moment.
      const wait = tried === 1 ? retryWait * random() : retryWait;
      await clock.sleep(milliseconds(wait), signal).catch(() => undefined);
    }
  }

  async #write({ kind, event }: Write, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    if (kind === 'CountUp') {
      try {
        const { count, lastTimestamp, message } = event;
        await client.patch(coreEvents, keyOf(event), { count, lastTimestamp, message }, { type: 'strategic', signal });
        return;
      } catch (error) {
        // The event has expired on the server (after an hour by default), or its creation was lost.
        if (!isFailure(error, 'NotFound')) throw error;
      }
    }
    await client.create(coreEvents, event, { signal });
  }
}
