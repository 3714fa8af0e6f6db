/**
 * A simulated process as others see it, and its death at one of its steps: a write to the API server, or another external effect.
 *
 * A process is dead from the moment at which it begins that step. It begins nothing afterwards, receives no answer, and its watches end. What it
 * had sent before and what had not arrived yet is in transit in parallel with the fatal step, and may or may not be carried out. A test runs
 * through all three of {@link deathTimes}:
 *
 * | when   | the fatal step | others in transit |
 * | ------ | -------------- | ----------------- |
 * | before | lost           | lost              |
 * | after  | carried out    | carried out       |
 * | alone  | carried out    | lost              |
 */
import { ApiError } from '../api-error.ts';
import { isWrite, type FakeApi, type FakeCall, type FakeFaults } from './fake-api.ts';

/** Which of the writes in transit at the death the server carries out: none, all, or only the fatal one. */
export const deathTimes = ['before', 'after', 'alone'] as const;

/** The step at which a process dies, from 1, and what happens to the writes in transit. */
export interface Death {
  readonly at: number;
  readonly when: (typeof deathTimes)[number];
}

/** Faults of one connection that are independent of the death of its process. */
export interface ConnectionFaults {
  readonly before?: ((call: FakeCall) => void | Promise<void>) | undefined;
  readonly after?: ((call: FakeCall) => void | Promise<void>) | undefined;
}

const killed = (): Error => new ApiError('killed', { kind: 'Unreachable', cause: undefined });

/** A simulated process that dies at a step which the test chooses. After that each of its calls fails. */
export class Lifetime {
  readonly #death: Death | undefined;
  readonly #connections: FakeApi[] = [];
  readonly #end = new AbortController();
  #steps = 0;

  constructor(death?: Death) {
    this.#death = death;
  }

  get dead(): boolean {
    return this.#end.signal.aborted;
  }

  /** Aborts at its death. Use it for loops that would continue to retry, never for calls: one in transit would count as aborted. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Number of steps begun, the fatal one included. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Returns the process's connection to `api`. Each write on it is a step.
   *
   * @param own faults of the connection while the process is not dead: `before` each call (a throw is a call that took no effect), and `after` each
   * call that the server carried out (a throw is an answer that was lost)
   */
  connect(api: FakeApi, name: string, own: ConnectionFaults = {}): FakeApi {
    const numbers = new WeakMap<FakeCall, number>();
    const faults: FakeFaults = {
      before: (call) => {
        if (isWrite(call)) numbers.set(call, this.#begin(killed));
        else if (this.dead) throw killed();
        return own.before?.(call);
      },
      arrive: (call) => {
        const number = numbers.get(call);
        if (this.dead && (number === undefined || !this.#isCarriedOut(number))) throw killed();
      },
      after: (call) => {
        if (this.dead) throw killed();
        return own.after?.(call);
      },
    };
    const connection = api.connect(name, faults);
    this.#connections.push(connection);
    return connection;
  }

  /**
   * Carries out a step outside the API server, as the target sees it: `work` is done unless the process was dead or dies before. The result is lost
   * with a process that dies at it.
   *
   * @param failure the error when the process is dead; it is dropped
   */
  carryOut<T>(work: () => T, failure: () => Error = killed): T {
    this.#begin(failure);
    const result = work();
    if (this.dead) throw failure();
    return result;
  }

  /** Kills the process between two steps: nothing in transit arrives. */
  kill(): void {
    this.#end.abort();
    for (const connection of this.#connections) connection.hangUp();
  }

  #begin(failure: () => Error): number {
    if (this.dead) throw failure();
    const number = ++this.#steps;
    if (this.#death === undefined || number < this.#death.at) return number;
    this.kill();
    if (!this.#isCarriedOut(number)) throw failure();
    return number;
  }

  /** Returns whether a step of a dead process is carried out. */
  #isCarriedOut(number: number): boolean {
    const { at, when } = this.#death ?? { at: Infinity, when: 'before' };
    return this.#steps >= at && (when === 'after' || (when === 'alone' && number === this.#steps));
  }
}

/**
 * Kills a process at its first step, in a new fixture at its second, and so on, until the process needs fewer steps.
 *
 * @param run runs the whole scenario and checks its end. @returns the process that had to die at that step
 * @param choice of the steps, all by default; those after the last chosen one are tried, too
 * @returns the last step at which a process died. A scenario that is always the same has as many steps; the caller has to check that.
 */
export async function deathsAtEveryStep(
  when: Death['when'],
  run: (death: Death) => Promise<Pick<Lifetime, 'dead'>>,
  { first, every }: { readonly first: number; readonly every: number } = { first: 1, every: 1 },
): Promise<number> {
  const isFatal = async (at: number): Promise<boolean> => (await run({ at, when })).dead;
  let last = 0;
  let beyond = first;
  for (; await isFatal(beyond); beyond += every) last = beyond;
  while (last + 1 < beyond && (await isFatal(last + 1))) last++;
  return last;
}
