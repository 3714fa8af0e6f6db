import { leases, milliseconds, type Lease, type Milliseconds } from '@kruise/objects';
import { ApiError, isFailure } from '../api-error.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { orAborted } from '../until-aborted.ts';
import type { ElectionConfig } from './election-config.ts';
import { durationOf, holderOf, newLease, recordText, releasedLease, takenLease } from './lease-record.ts';

/** The result of an attempt. `renewedAt` is the monotonic time at which the write was sent that the server accepted. */
export type LeaseResult =
  | { readonly kind: 'Held'; readonly renewedAt: Milliseconds }
  /** Another candidate holds the lease, for `expiresIn` more unless it renews. Absent where the time does not matter. */
  | { readonly kind: 'Taken'; readonly by: string; readonly expiresIn?: Milliseconds }
  | { readonly kind: 'Failed'; readonly error: unknown };

export interface LeaseTools {
  readonly client: Client;
  readonly clock: Clock;
}

/** A lease and the monotonic time at which its present record was first seen. */
interface Seen {
  readonly lease: Lease;
  readonly record: string;
  readonly at: number;
}

/**
 * One candidate's view of the lease. Whether the lease of another candidate has expired is judged by how long it has not changed here, never by the
 * times in it, so clocks need not agree. Every write carries the resourceVersion that was read, so of two candidates that take the lease, one fails.
 */
export class LeaseLock {
  readonly #config: ElectionConfig;
  readonly #client: Client;
  readonly #clock: Clock;
  #seen: Seen | undefined;

  constructor(config: ElectionConfig, tools: LeaseTools) {
    this.#config = config;
    this.#client = tools.client;
    this.#clock = tools.clock;
  }

  /** The holder as last seen, '' when there is none. */
  get holder(): string {
    return holderOf(this.#seen?.lease);
  }

  /** Takes the lease when it has no holder, has expired or is already held by this candidate. */
  async acquire(signal: AbortSignal): Promise<LeaseResult> {
    try {
      const seen = await this.#read(signal);
      if (seen === undefined) return await this.#create(signal);
      const holder = holderOf(seen.lease);
      const expiresIn = milliseconds(seen.at + durationOf(seen.lease) - this.#clock.monotonic());
      if (holder !== '' && holder !== this.#config.identity && expiresIn > 0) return { kind: 'Taken', by: holder, expiresIn };
      return await this.#write(this.#taken(seen.lease), signal);
    } catch (error) {
      return { kind: 'Failed', error };
    }
  }

  /** Renews the lease with one write over what this candidate wrote last, without reading it. */
  async renewQuickly(signal: AbortSignal): Promise<LeaseResult> {
    try {
      if (this.#seen === undefined) throw new Error('nothing was acquired');
      return await this.#write(this.#taken(this.#seen.lease), signal);
    } catch (error) {
      return { kind: 'Failed', error };
    }
  }

  /** Reads the lease, then renews it. It never takes the lease from another holder, not even from one that has released it since. */
  async renewCarefully(signal: AbortSignal): Promise<LeaseResult> {
    try {
      const seen = await this.#read(signal);
      if (seen === undefined) return await this.#create(signal);
      const holder = holderOf(seen.lease);
      if (holder !== this.#config.identity) return { kind: 'Taken', by: holder };
      return await this.#write(this.#taken(seen.lease), signal);
    } catch (error) {
      return { kind: 'Failed', error };
    }
  }

  /** Releases the lease when this candidate holds it. @throws ApiError when that failed */
  async release(signal: AbortSignal): Promise<void> {
    for (let tries = 3; ; tries--) {
      const seen = await this.#read(signal);
      if (seen === undefined || holderOf(seen.lease) !== this.#config.identity) return;
      try {
        await this.#write(releasedLease(seen.lease, this.#clock.now()), signal);
        return;
      } catch (error) {
        // A renewal that was aborted may still have reached the server in between.
        if (tries <= 1 || !isFailure(error, 'Conflict')) throw error;
      }
    }
  }

  #taken(lease: Lease): Lease {
    return takenLease(lease, this.#config.identity, Math.floor(this.#config.leaseDuration / 1000), this.#clock.now());
  }

  #see(lease: Lease): Seen {
    const record = recordText(lease);
    const at = record === this.#seen?.record ? this.#seen.at : this.#clock.monotonic();
    return (this.#seen = { lease, record, at });
  }

  async #read(signal: AbortSignal): Promise<Seen | undefined> {
    try {
      return this.#see(await this.#within(signal, (limited) => this.#client.get(leases, this.#config.lease, { signal: limited })));
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #create(signal: AbortSignal): Promise<LeaseResult> {
    const renewedAt = this.#clock.monotonic();
    const lease = newLease(this.#config.lease, this.#config.identity, Math.floor(this.#config.leaseDuration / 1000), this.#clock.now());
    this.#see(await this.#within(signal, (limited) => this.#client.create(leases, lease, { signal: limited })));
    return { kind: 'Held', renewedAt };
  }

  async #write(lease: Lease, signal: AbortSignal): Promise<LeaseResult> {
    const renewedAt = this.#clock.monotonic();
    this.#see(await this.#within(signal, (limited) => this.#client.update(leases, lease, { signal: limited })));
    return { kind: 'Held', renewedAt };
  }

  /** Makes one call and aborts it after half of the renew deadline, so that a silent connection leaves time for another attempt. */
  async #within<T>(signal: AbortSignal, call: (limited: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const limit = new AbortController();
    const stop = (): void => limit.abort(signal.reason);
    signal.addEventListener('abort', stop);
    const after = milliseconds(this.#config.renewDeadline / 2);
    const timer = this.#clock.schedule(after, () =>
      limit.abort(new ApiError(`no answer within ${after} ms`, { kind: 'Unreachable', cause: undefined })),
    );
    try {
      return await orAborted(call(limit.signal), limit.signal);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', stop);
    }
  }
}
