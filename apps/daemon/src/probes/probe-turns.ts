/**
 * When runs of probes begin: a number of them in a second on the node, the namespaces in turns, and a number of one namespace in parallel. Each run
 * costs the agent and the runtime CPU, whatever the probe does.
 *
 *   a slot of the namespace is free -> its turn comes -> run -> slot released
 */
import type { Clock, Timer } from '@kruise/kube';
import { agentLimits, milliseconds, seconds, type Milliseconds } from '@kruise/objects';
import { FairSlots, Turns } from '@kruise/process';

const intervalMs = 1000 / agentLimits.probeRunsPerSecond.value;
/** Runs that may begin at the same moment after a quiet time: those of one second. */
const burst = agentLimits.probeRunsPerSecond.value;

/** Runs that wait longer are reported, and no more often than that. */
const [longWait, reportInterval] = [seconds(10), seconds(600)];

interface Namespace {
  readonly slots: FairSlots;
  /** Runs that wait or are in progress; an entry is removed with the last of them. */
  users: number;
}

export class ProbeTurns {
  readonly #clock: Pick<Clock, 'monotonic' | 'schedule'>;
  readonly #namespaces = new Map<string, Namespace>();
  readonly #waiting = new Turns<() => void>();
  /** On the monotonic clock: when all runs so far are paid for. */
  #paid = 0;
  #timer: Timer | undefined;
  /** Called with the namespace whose run has waited long. */
  readonly #onLate: (namespace: string, waited: Milliseconds) => void;
  #reportedAt: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'schedule'>, onLate: (namespace: string, waited: Milliseconds) => void = () => undefined) {
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** Waits for the turn of the namespace, then calls `run`. Rejects with the reason of `signal` when that aborts before. */
  async run(namespace: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    const held = this.#namespaces.get(namespace) ?? { slots: new FairSlots(agentLimits.probeRunsOfNamespace.value), users: 0 };
    this.#namespaces.set(namespace, held);
    held.users++;
    const from = this.#clock.monotonic();
    try {
      await held.slots.take([namespace], signal);
      try {
        await this.#turn(namespace, signal);
        this.#noteWait(namespace, from);
        await run();
      } finally {
        held.slots.release();
      }
    } finally {
      held.users--;
      if (held.users === 0) this.#namespaces.delete(namespace);
    }
  }

  #noteWait(namespace: string, from: Milliseconds): void {
    const now = this.#clock.monotonic();
    if (now - from < longWait || (this.#reportedAt !== undefined && now - this.#reportedAt < reportInterval)) return;
    this.#reportedAt = now;
    this.#onLate(namespace, milliseconds(now - from));
  }

  #turn(namespace: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const leave = (): void => {
        this.#waiting.delete(begin);
        reject(signal.reason as Error);
      };
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(begin, [namespace]);
      this.#serve();
    });
  }

  /** Begins what is allowed, and schedules the next. */
  #serve(): void {
    if (this.#timer !== undefined) return;
    const now = this.#clock.monotonic();
    while (this.#waiting.size > 0 && this.#paid - now <= (burst - 1) * intervalMs) {
      this.#paid = Math.max(this.#paid, now) + intervalMs;
      this.#waiting.next()?.();
    }
    if (this.#waiting.size === 0) return;
    this.#timer = this.#clock.schedule(milliseconds(Math.ceil(this.#paid - now - (burst - 1) * intervalMs)), () => {
      this.#timer = undefined;
      this.#serve();
    });
  }
}
