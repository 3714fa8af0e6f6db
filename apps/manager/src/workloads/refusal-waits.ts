/**
 * When writes that the API server refused are tried again: after 1 s, and after twice as long with each further refusal, up to a minute. A pass that
 * something else calls for does not try them earlier, however often the Pods change.
 *
 * In memory only. An entry leaves with a write that succeeds, when it was not tried for a minute after its wait, and with the owner.
 */
import type { Clock } from '@kruise/kube';
import { milliseconds, type Milliseconds } from '@kruise/objects';
import { triedAgainWithin } from './refused-objects.ts';

const firstWait = milliseconds(1000);

interface Wait {
  readonly until: number;
  readonly length: Milliseconds;
}

/** What must not be tried now. */
export interface Waiting {
  readonly subjects: ReadonlySet<string>;
  /** How long until the first of them may be tried; undefined when there are none. */
  readonly shortest: Milliseconds | undefined;
}

export const noneWaiting: Waiting = { subjects: new Set(), shortest: undefined };

export class RefusalWaits {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #byOwner = new Map<string, Map<string, Wait>>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Something was refused now. */
  note(owner: string, subject: string): void {
    const waits = this.#byOwner.get(owner) ?? new Map<string, Wait>();
    const before = waits.get(subject);
    const length = before === undefined ? firstWait : milliseconds(Math.min(before.length * 2, triedAgainWithin));
    this.#byOwner.set(owner, waits.set(subject, { until: this.#clock.monotonic() + length, length }));
  }

  /** A write succeeded: the next refusal is the first one. */
  clear(owner: string, subject: string): void {
    this.#byOwner.get(owner)?.delete(subject);
  }

  of(owner: string): Waiting {
    const waits = this.#byOwner.get(owner);
    if (waits === undefined) return noneWaiting;
    const now = this.#clock.monotonic();
    for (const [subject, { until }] of waits) if (until + triedAgainWithin < now) waits.delete(subject);
    if (waits.size === 0) this.#byOwner.delete(owner);
    const left = [...waits].filter(([, { until }]) => until > now);
    if (left.length === 0) return noneWaiting;
    const shortest = milliseconds(Math.min(...left.map(([, { until }]) => until - now)));
    return { subjects: new Set(left.map(([subject]) => subject)), shortest };
  }

  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }
}
