/**
 * Which preStop hooks have run: a stop that is retried, because the runtime was unreachable, does not repeat a hook. In memory: an agent that is
 * restarted in the middle of a stop runs the hook again, as the kubelet does.
 */
import type { Clock } from '@kruise/kube';
import { seconds, type Milliseconds } from '@kruise/objects';

/** A stop that has not succeeded for this long is not retried. */
const keptFor = seconds(86_400);

interface Run {
  readonly spent: Milliseconds;
  readonly endedAt: Milliseconds;
}

export class PreStopRuns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By containerID, the oldest first. An entry is removed when its container has ended, or after a day. */
  readonly #runs = new Map<string, Run>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns how long the hook of this instance took; undefined when it has not run. */
  spentOn(containerID: string): Milliseconds | undefined {
    return this.#runs.get(containerID)?.spent;
  }

  record(containerID: string, spent: Milliseconds): void {
    const now = this.#clock.monotonic();
    for (const [id, { endedAt }] of this.#runs) {
      if (now - endedAt < keptFor) break;
      this.#runs.delete(id);
    }
    this.#runs.delete(containerID);
    this.#runs.set(containerID, { spent, endedAt: now });
  }

  /** Removes an instance that has ended. */
  forget(containerID: string): void {
    this.#runs.delete(containerID);
  }
}
