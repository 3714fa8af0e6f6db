import { milliseconds, type Milliseconds } from '@kruise/objects';
import { ApiError } from '../api-error.ts';
import type { Clock, Timer } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { ElectionConfig } from './election-config.ts';
import type { LeaseLock, LeaseResult } from './lease-lock.ts';

/** Thrown for writes after the leadership ended. It is an ApiError of kind `Aborted`; the call was not sent. */
export class LeadershipLost extends ApiError {
  constructor(why: string) {
    super(why, { kind: 'Aborted' });
  }
}

/** The check of a write before it is sent. */
export interface LeadershipGuard {
  /** Aborts before another candidate can take the lease. Its reason is a {@link LeadershipLost}. */
  readonly leading: AbortSignal;
  /** Throws LeadershipLost unless this process certainly holds the lease at this moment, also right after the process was stopped for a while. */
  assertLeading(): void;
}

/** The metrics of an election, bound to `leader_election_*{name}`. They must not throw. */
export interface ElectionMetrics {
  leading(value: boolean): void;
  /** Called when the renewal with one write failed, so that the lease is read first. */
  slowPath(): void;
}

export interface LeadershipTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lock: LeaseLock;
  readonly metrics?: ElectionMetrics | undefined;
  /** Called once when the leadership ends, whatever the reason. */
  readonly onEnd: () => void;
}

/**
 * The time from acquiring a lease to losing or releasing it.
 *
 *  leading --renewed--> leading
 *  leading --no renewal for renewDeadline, or another holder seen--> lost
 *  leading --release--> released: the signal aborts first, then the lease is released
 *
 * The deadline counts from the moment at which the last successful renewal was SENT. Other candidates count the lease duration, which is longer, from
 * the moment at which they saw the renewal, which is later. So the signal aborts before they can take the lease. Only monotonic time counts.
 */
export class Leadership implements LeadershipGuard {
  readonly #config: ElectionConfig;
  readonly #tools: LeadershipTools;
  readonly #end = new AbortController();
  readonly #stopRenewing = new AbortController();
  readonly #renewing: Promise<void>;
  #deadline: number;
  #timer: Timer;

  /**
   * Starts a leadership.
   *
   * @param renewedAt monotonic time at which the write was sent that acquired the lease
   */
  constructor(config: ElectionConfig, tools: LeadershipTools, renewedAt: Milliseconds) {
    this.#config = config;
    this.#tools = tools;
    this.#deadline = renewedAt + config.renewDeadline;
    this.#timer = this.#armed();
    this.#renewing = this.#renew();
  }

  get leading(): AbortSignal {
    return this.#end.signal;
  }

  isLeading(): boolean {
    if (!this.#end.signal.aborted && this.#tools.clock.monotonic() >= this.#deadline)
      this.#lose(`the lease was not renewed for ${this.#config.renewDeadline} ms`);
    return !this.#end.signal.aborted;
  }

  assertLeading(): void {
    if (!this.isLeading()) throw this.#end.signal.reason as LeadershipLost;
  }

  /**
   * Ends the leadership and releases the lease, so that another candidate can take it immediately. Call it only after everything that writes has
   * stopped.
   * @remarks Never throws: a lease that could not be released expires.
   */
  async release(): Promise<void> {
    const held = this.isLeading();
    this.#finish(new LeadershipLost('the leadership was released'));
    await this.#renewing;
    if (!held) return;
    const limit = new AbortController();
    const timer = this.#tools.clock.schedule(this.#config.renewDeadline, () =>
      limit.abort(new ApiError('the lease was not released in time', { kind: 'Unreachable', cause: undefined })),
    );
    try {
      await this.#tools.lock.release(limit.signal);
      this.#tools.logger.info({}, 'Released the lease');
    } catch (error) {
      this.#tools.logger.warn({ error }, 'Failed to release the lease; it will expire');
    } finally {
      timer.cancel();
    }
  }

  /** Ends the leadership and lets the lease expire. Used when it is not certain that everything has stopped writing. */
  async abandon(): Promise<void> {
    this.#finish(new LeadershipLost('the leadership was abandoned'));
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const { clock, logger } = this.#tools;
    const signal = this.#stopRenewing.signal;
    while (await this.#paused(signal)) {
      const result = await this.#try(signal);
      if (!this.isLeading()) return;
      if (result.kind === 'Held') {
        this.#deadline = result.renewedAt + this.#config.renewDeadline;
        this.#timer.cancel();
        this.#timer = this.#armed();
      } else if (result.kind === 'Taken') {
        this.#lose(result.by === '' ? 'another client cleared the holder of the lease' : `the lease was taken by ${result.by}`);
      } else logger.warn({ error: result.error, leftMs: Math.round(this.#deadline - clock.monotonic()) }, 'Failed to renew the lease');
    }
  }

  /** Waits until the next renewal is due. @returns false when the leadership ended meanwhile */
  async #paused(signal: AbortSignal): Promise<boolean> {
    await this.#tools.clock.sleep(this.#config.retryPeriod, signal).catch(() => undefined);
    return this.isLeading();
  }

  async #try(signal: AbortSignal): Promise<LeaseResult> {
    const quick = await this.#tools.lock.renewQuickly(signal);
    if (quick.kind !== 'Failed' || !this.isLeading()) return quick;
    this.#tools.metrics?.slowPath();
    this.#tools.logger.debug({ error: quick.error }, 'Failed to renew the lease with one write; reading it first');
    return this.#tools.lock.renewCarefully(signal);
  }

  #armed(): Timer {
    const left = milliseconds(Math.max(0, this.#deadline - this.#tools.clock.monotonic()));
    return this.#tools.clock.schedule(left, () => {
      // A timer may fire a little early. The deadline must still be watched then.
      if (this.isLeading()) this.#timer = this.#armed();
    });
  }

  #lose(why: string): void {
    this.#tools.logger.error({ why }, 'Lost the leadership');
    this.#finish(new LeadershipLost(`leadership lost: ${why}`));
  }

  #finish(reason: LeadershipLost): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(reason);
    this.#timer.cancel();
    this.#stopRenewing.abort(reason);
    this.#tools.metrics?.leading(false);
    this.#tools.onEnd();
  }
}
