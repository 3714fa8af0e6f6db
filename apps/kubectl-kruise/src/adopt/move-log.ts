/** Records what a run has observed and written, for the message of an interruption. */
import type { Interrupted } from './interruption.ts';
import type { Write } from './step.ts';

/** The record of one run. */
export class MoveLog {
  #last: Interrupted['last'] = { kind: 'Nothing' };
  #since: Write[] = [];
  #confirmed = 0;
  #unanswered = 0;

  /** Records what was observed; writes before it are part of it. */
  observed(last: Interrupted['last']): void {
    this.#last = last;
    this.#since = [];
  }

  sent(): void {
    this.#unanswered++;
  }

  /** Records that the API server has carried out the write. */
  confirmed(write: Write): void {
    this.#unanswered--;
    this.#confirmed++;
    this.#since.push(write);
  }

  /** Records that the write had no effect. */
  refused(): void {
    this.#unanswered--;
  }

  /** @param names of both workloads as they are printed */
  interrupted(names: Interrupted['names']): Interrupted {
    return { names, writes: this.#confirmed, unanswered: this.#unanswered, last: this.#last, since: this.#since };
  }
}
