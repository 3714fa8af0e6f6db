import { milliseconds, type KubeObject } from '@kruise/objects';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { rejection } from '../until-aborted.ts';
import { jitterFactor, validateElection, type ElectionConfig } from './election-config.ts';
import { Leadership, type ElectionMetrics } from './leadership.ts';
import { LeaseLock } from './lease-lock.ts';

/** The part of the event recorder that an election uses. */
interface LeaderRecorder {
  event(object: KubeObject, type: 'Normal', reason: string, message: string): void;
}

/** The tools of an election. */
export interface ElectionTools {
  /** A client that calls the server directly: without a cache, a fence or a shared rate limit. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A recorder over a client without a fence, because it also reports the end of the leadership. */
  readonly recorder?: LeaderRecorder;
  readonly metrics?: ElectionMetrics;
  /** Returns a number from 0 to below 1. Math.random when absent. */
  readonly random?: () => number;
}

/**
 * A candidate for a Lease.
 * @see spec/manager.md 5.5
 */
export class LeaderElector {
  readonly #config: ElectionConfig;
  readonly #tools: ElectionTools;
  readonly #lock: LeaseLock;
  readonly #logger: Logger;
  #reported: string | undefined;

  /** Throws a RangeError with every fault of `config`. */
  constructor(config: ElectionConfig, tools: ElectionTools) {
    const faults = validateElection(config);
    if (faults.length > 0) throw new RangeError(`leader election: ${faults.join('; ')}`);
    this.#config = config;
    this.#tools = tools;
    this.#lock = new LeaseLock(config, tools);
    this.#logger = tools.logger.child({
      logger: 'leader-election',
      lease: `${config.lease.namespace}/${config.lease.name}`,
      identity: config.identity,
    });
  }

  /** The holder as last seen, '' when there is none. */
  get holder(): string {
    return this.#lock.holder;
  }

  /**
   * Retries until this candidate holds the lease, whatever fails meanwhile.
   * @throws the reason of `signal` when it aborts before
   */
  async acquire(signal: AbortSignal): Promise<Leadership> {
    const random = this.#tools.random ?? Math.random;
    this.#tools.metrics?.leading(false);
    for (;;) {
      signal.throwIfAborted();
      const result = await this.#lock.acquire(signal);
      this.#reportHolder();
      if (result.kind === 'Held') return this.#lead(result.renewedAt);
      if (result.kind === 'Failed' && !signal.aborted) this.#logger.warn({ error: result.error }, 'Failed to acquire the lease');
      const pause = this.#config.retryPeriod * (1 + random() * jitterFactor);
      // Waits no longer than until the lease expires: up to two pauses would be added to its duration before another candidate leads.
      const expiresIn = result.kind === 'Taken' ? (result.expiresIn ?? pause) : pause;
      await this.#tools.clock.sleep(milliseconds(Math.min(pause, expiresIn)), signal);
    }
  }

  #lead(renewedAt: Parameters<typeof milliseconds>[0]): Leadership {
    const { clock, metrics } = this.#tools;
    this.#logger.info({}, 'Became the leader');
    metrics?.leading(true);
    this.#record('became leader');
    const tools = { clock, metrics, logger: this.#logger, lock: this.#lock, onEnd: () => this.#record('stopped leading') };
    return new Leadership(this.#config, tools, milliseconds(renewedAt));
  }

  #record(what: string): void {
    const { name, namespace } = this.#config.lease;
    const lease: KubeObject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } };
    this.#tools.recorder?.event(lease, 'Normal', 'LeaderElection', `${this.#config.identity} ${what}`);
  }

  #reportHolder(): void {
    if (this.#reported === this.#lock.holder) return;
    this.#reported = this.#lock.holder;
    this.#logger.info({ holder: this.#reported }, 'Observed another leader');
  }
}

/**
 * Acquires the lease, runs the work, and releases the lease when the work has ended.
 *
 * @param work must end when its `stop` aborts: at `signal`, or when the leadership ends
 * @throws LeadershipLost as soon as the lease is lost, whether the work has ended or not: the process should end. What `work` throws: the lease is
 * then not released but left to expire, because it is not certain that everything stopped
 */
export async function runAsLeader(
  elector: LeaderElector,
  signal: AbortSignal,
  work: (leadership: Leadership, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const leadership = await elector.acquire(signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (leadership === undefined) return;
  try {
    await Promise.race([work(leadership, AbortSignal.any([signal, leadership.leading])), rejection(leadership.leading)]);
    leadership.assertLeading();
  } catch (error) {
    await leadership.abandon();
    throw error;
  }
  await leadership.release();
}
