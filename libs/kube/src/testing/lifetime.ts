/**
 * One life of a process as others see it, and its death at a step of its own: a write to the API server, or what else it does to the world.
 *
 * A life is dead from the moment at which it begins that step. It begins nothing afterwards, gets no answer, and its watches are over. What it
 * had sent before and what had not arrived yet is on its way in parallel with the fatal step, and may or may not be carried out; a test runs
 * through all three of {@link deathTimes}:
 *
 * | when   | the fatal step | others on their way |
 * | ------ | -------------- | ------------------- |
 * | before | lost           | lost                |
 * | after  | carried out    | carried out         |
 * | alone  | carried out    | lost                |
 */
import { ApiError } from '../api-error.ts';
import { isWrite, type FakeApi, type FakeCall, type FakeFaults } from './fake-api.ts';

/** Which of the writes that are on their way at the death the server carries out: none, all, or the fatal one alone. */
export const deathTimes = ['before', 'after', 'alone'] as const;

/** At which of its steps a life ends, from 1, and what becomes of what is on its way. */
export interface Death {
  readonly at: number;
  readonly when: (typeof deathTimes)[number];
}

/** Faults of one connection that have nothing to do with the death of its process. */
export interface ConnectionFaults {
  readonly before?: ((call: FakeCall) => void) | undefined;
  readonly after?: ((call: FakeCall) => void) | undefined;
}

const killed = (): Error => new ApiError('killed', { kind: 'Unreachable', cause: undefined });

/** One life of a process that dies at a step which the test chooses; after that each of its calls fails. */
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

  /** Aborts at its death: for loops that would go on trying, never for calls, as one that is on its way would count as given up. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** How many it has begun, the fatal one included. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * The process's connection to `api`, each write on which is a step.
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
        own.before?.(call);
      },
      arrive: (call) => {
        const number = numbers.get(call);
        if (this.dead && (number === undefined || !this.#isCarriedOut(number))) throw killed();
      },
      after: (call) => {
        if (this.dead) throw killed();
        own.after?.(call);
      },
    };
    const connection = api.connect(name, faults);
    this.#connections.push(connection);
    return connection;
  }

  /**
   * A step that goes elsewhere than to the API server, as the one who carries it out sees it: `work` is done unless the process was dead or
   * dies before; what it returns is lost with a process that dies at it.
   *
   * @param failure what the process is answered when it is dead; nobody learns of it
   */
  carryOut<T>(work: () => T, failure: () => Error = killed): T {
    this.#begin(failure);
    const result = work();
    if (this.dead) throw failure();
    return result;
  }

  /** Death at a moment that is no step: nothing that is on its way arrives. */
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

  /** Of a dead life. */
  #isCarriedOut(number: number): boolean {
    const { at, when } = this.#death ?? { at: Infinity, when: 'before' };
    return this.#steps >= at && (when === 'after' || (when === 'alone' && number === this.#steps));
  }
}

/**
 * Kills a process at its first step, in a fixture of its own at its second, and so on, until the process needs fewer steps.
 *
 * @param run runs the whole scenario and checks its end. @returns the process that had to die at that step
 * @param choice of the steps, all by default; those that follow the last chosen one are tried, too
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
