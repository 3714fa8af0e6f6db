/**
 * When a changed status is worth a write. What a rollout does changes counters many times a second, and each write is a conflict for a client that reads the
 * object and writes it back: counters are gathered, and words of a condition that change again wait.
 */
import { conditionTypes } from '@kruise/api';
import { deepEqual, milliseconds, shortest, type Instant, type KubeObject, type Milliseconds } from '@kruise/objects';

/** The counters in the status of a kind. */
export interface PacedStatus<S> {
  /** The rest of the status: a change of it is written at once, but for words. */
  readonly withoutNumbers: (status: Partial<S>) => object;
  /** Whether every Pod that is wanted is there, updated and available: such counters stay as they are, and are written at once. */
  readonly isSettled: (status: S) => boolean;
  /** Whether the next pass reads the counters in the status: then every change is written at once. */
  readsCounters?(object: KubeObject): boolean;
}

/** Milliseconds that counters are gathered for: a Pod that is deleted, replaced and ready again within them is one write. */
const gatheringMs = 500;
/** Milliseconds between two writes that change nothing but words. Where several writes are refused, each pass may meet another one first. */
const wordsMs = 10_000;

/** Conditions whose reason and message may change with every pass. */
const wordy: ReadonlySet<string> = new Set([
  conditionTypes.blocked,
  conditionTypes.failedScale,
  conditionTypes.failedUpdate,
  conditionTypes.failedCreatePod,
  conditionTypes.failedUpdatePod,
]);

/** Conditions that follow from counters. They appear and disappear with these. */
const counted: ReadonlySet<string> = new Set([conditionTypes.reconciling, conditionTypes.stalled]);

interface Conditioned {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** The pass that the status is of. */
export interface PacedPass {
  readonly now: Instant;
  /** Whether something was refused: its counters are written at once, as a pass for their sake would try that again. */
  readonly isFailed: boolean;
}

interface Memory {
  /** Since when counters differ from those that are written. */
  gatheredSince?: Instant;
  /** When words alone were written last. */
  wordsWritten?: Instant;
  /** Whether the last write failed. */
  isRefused?: true;
}

/** The remaining milliseconds; 0 if the clock was set to a time before `since`. */
function left(since: Instant | undefined, pause: number, now: Instant): number {
  const wait = since === undefined ? 0 : since + pause - now;
  return wait > pause ? 0 : Math.max(wait, 0);
}

const withoutWords = ({ conditions = [], ...rest }: Conditioned): object => ({
  ...rest,
  conditions: conditions
    .filter(({ type }) => !counted.has(type))
    .map((condition) => (wordy.has(condition.type) ? [condition.type, condition.status] : condition)),
});

const wordsOf = ({ conditions = [] }: Conditioned): object => conditions.filter(({ type }) => wordy.has(type));

/** What is equal apart from these differs in counters; some are absent instead of 0. */
const countersOf = ({ conditions = [], ...rest }: Conditioned): object => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== 0)),
  conditions: conditions.filter(({ type }) => counted.has(type)),
});

/** Remembers in memory, by uid, what is yet to be written. */
export class StatusPace<S extends object> {
  readonly #rule: PacedStatus<S>;
  readonly #memories = new Map<string, Memory>();

  constructor(rule: PacedStatus<S>) {
    this.#rule = rule;
  }

  /**
   * Called once for a status that differs from the one that is written.
   *
   * @returns how long the write must wait; 0: it is done now
   */
  wait(object: KubeObject & { readonly status?: S }, status: S, pass: PacedPass): Milliseconds {
    const { uid = '' } = object.metadata;
    const { status: held } = object;
    const memory = this.#memories.get(uid) ?? {};
    const isDue = memory.isRefused === true || this.#rule.readsCounters?.(object) === true;
    const wait = isDue ? 0 : this.#waitFor(held ?? {}, status, memory, pass);
    if (wait === 0) {
      delete memory.gatheredSince;
      delete memory.isRefused;
      if (held !== undefined && !deepEqual(wordsOf(held), wordsOf(status))) memory.wordsWritten = pass.now;
    }
    this.#memories.set(uid, memory);
    return milliseconds(wait);
  }

  #waitFor(held: Partial<S>, status: S, memory: Memory, { now, isFailed }: PacedPass): number {
    const { withoutNumbers, isSettled } = this.#rule;
    const restOf = (one: Partial<S>): object => withoutWords(withoutNumbers(one));
    if (!deepEqual(restOf(held), restOf(status))) return 0;
    const waits: number[] = [];
    if (!deepEqual(wordsOf(held), wordsOf(status))) waits.push(left(memory.wordsWritten, wordsMs, now));
    if (!deepEqual(countersOf(held), countersOf(status)))
      waits.push(isFailed || isSettled(status) ? 0 : left((memory.gatheredSince ??= now), gatheringMs, now));
    return shortest(waits) ?? 0;
  }

  /** The status is the one that is written: what was gathered came to nothing. */
  rest(uid: string): void {
    const memory = this.#memories.get(uid);
    if (memory === undefined) return;
    delete memory.gatheredSince;
    delete memory.isRefused;
  }

  /** The write failed: it is left to the backoff, which a pass that gathers again would end. */
  refused(uid: string): void {
    const memory = this.#memories.get(uid);
    if (memory !== undefined) memory.isRefused = true;
  }

  forget(uid: string): void {
    this.#memories.delete(uid);
  }
}
