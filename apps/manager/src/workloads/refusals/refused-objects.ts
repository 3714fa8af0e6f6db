/**
 * Remembers the writes that the API server has refused, by owner. The next pass handles refused objects after the others, and repeats a refused write
 * only when its wait has ended, whatever causes the pass. The wait is 1 s, and doubles after each further refusal, up to a minute.
 *
 * A wait applies to one kind of action on one object: a refused update of a Pod does not delay its deletion. A quota refuses a kind of action for all
 * objects: all of them wait, at most until an object of the owner frees the quota. A PodUnavailableBudget refuses them all until Pods are available,
 * which is a matter of seconds in a rollout: all of them wait, but never for more than 4 s.
 *
 * A wait that ends in the middle of a pass, after the pass has left its write out, repeats the pass immediately: no event would.
 *
 * The memory is lost with the process: a new one tries every write in the usual order. An entry is removed when the write succeeds and when the owner is
 * deleted. A place in the order is also removed with its object, and a wait also a minute after it ended without another try.
 */
import { afterFailure, asError, askedWait, isFailure, isRefusal, requeueOrSettle, type Clock, type Outcome } from '@kruise/kube';
import { earliest, messageOf, milliseconds, shortest, type KubeObject, type Milliseconds } from '@kruise/objects';
import { noneRefused, refusalReason, type BlockingReason, type RefusedBefore } from '@kruise/workloads';

/**
 * The longest wait until a refused write is tried again. The backoff of the owner alone grows to a quarter of an hour, for which a Pod would stay as it is
 * after the refusal has ended.
 */
export const triedAgainWithin = milliseconds(60_000);

const firstWaitMs = 1000;

/** What a refusal concerns: one object, or a kind of action on all objects. */
type Scope = 'Object' | 'Quota' | 'Budget';

const scopes: Partial<Record<BlockingReason, Scope>> = { QuotaExceeded: 'Quota', BudgetRefuses: 'Budget' };
const scopeOf = (error: unknown): Scope => {
  const reason = refusalReason(messageOf(error));
  return (reason === undefined ? undefined : scopes[reason]) ?? 'Object';
};

const longestWaits: Readonly<Record<Scope, Milliseconds>> = {
  Object: triedAgainWithin,
  Quota: triedAgainWithin,
  Budget: milliseconds(4000),
};

/**
 * Whether a write was refused for a reason that concerns its object alone: a policy may refuse one Pod of many, whereas a quota, a budget, a webhook
 * that fails or a server that is busy would refuse the others as well.
 */
export const concernsOneObject = (error: unknown): boolean => isRefusal(error) && scopeOf(error) === 'Object';

/** Whether the failure is no refusal of the object: another client wrote first, the object no longer exists, or its name is taken. */
const isNoRefusal = (error: unknown): boolean => isFailure(error, 'Conflict', 'NotFound', 'Gone', 'AlreadyExists', 'Aborted');

/** Whether the write waits. An outage is left to the backoff of the owner: when it ends, every write is tried immediately. */
const causesWait = (error: unknown): boolean => !isNoRefusal(error) && !isFailure(error, 'Unreachable');

/** A kind of action on one object. */
export interface Write {
  readonly kind: string;
  /** A uid or name. */
  readonly object: string;
}

/** The write of the owner's status. */
export const statusWrite: Write = { kind: 'WriteStatus', object: '' };

export interface PacedWrite extends Write {
  /** Generation of the owner that the write is made for. */
  readonly generation: number | undefined;
}

/** The result of a write of a status. `error`: of this write, or of an earlier one whose wait has not ended. `fresh`: of this write only. */
export interface StatusWritten {
  readonly error?: Error;
  readonly fresh?: Error;
}

interface Wait {
  readonly until: number;
  readonly length: number;
  /** Time of the first refusal in a row. */
  readonly since: number;
  readonly error: Error;
  /** Place of the refusal in the order of all writes. */
  readonly noted: number;
  readonly scope: Scope;
  /** Of scope `Object`; others wait for all objects. */
  readonly object: string;
}

/** A write that waits: the last error, and the time of the first refusal in a row. */
export type Waiting = Pick<Wait, 'error' | 'since'>;

interface Refusal {
  /** Place of the refusal in the order of all refusals. */
  readonly at: number;
  /** Kind of the last action that the API server refused; absent when only a guard has refused. */
  readonly kind?: string;
}

interface Memory {
  /** By subject. */
  readonly refusals: Map<string, Refusal>;
  readonly waits: Map<string, Wait>;
  /** Keys of waits for which this pass did not begin a write. */
  readonly held: Set<string>;
  /** Generation of the owner that the waits belong to. */
  generation?: number | undefined;
}

const keyOfWrite = ({ kind, object }: Write): string => `${kind} ${object}`;
/** The key of a wait of all objects: no object has this name. */
const keyOfAll = ({ kind }: Write): string => `${kind} *`;

export class RefusedObjects {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #byOwner = new Map<string, Memory>();
  #count = 0;
  /** Counts the beginnings of writes, and the refusals that make writes wait. */
  #writes = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Returns the refused subjects, in the order of their last refusals.
   *
   * @param owner uid of the owner
   * @param subjects returns the subjects that still exist, and the others are forgotten. Called only when a subject was refused; without it none is forgotten
   */
  of(owner: string, subjects?: () => Pick<ReadonlySet<string>, 'has'>): RefusedBefore {
    const refusals = this.#byOwner.get(owner)?.refusals;
    if (refusals === undefined || refusals.size === 0) return noneRefused;
    const known = subjects?.() ?? refusals;
    for (const subject of refusals.keys()) if (!known.has(subject)) refusals.delete(subject);
    this.#dropEmpty(owner);
    return new Map([...refusals].map(([subject, { at }]) => [subject, at]));
  }

  isRefused(owner: string, subject: string): boolean {
    return this.#byOwner.get(owner)?.refusals.has(subject) === true;
  }

  /** Returns whether the API server refuses actions of this kind for any subject, as far as they were tried. */
  isKindRefused(owner: string, kind: string): boolean {
    const refusals = this.#byOwner.get(owner)?.refusals.values() ?? [];
    return [...refusals].some((refusal) => refusal.kind === kind);
  }

  /** Called at the beginning of each pass. After a change of the specification no write waits. */
  begin({ metadata: { uid = '', generation } }: KubeObject): void {
    const memory = this.#byOwner.get(uid);
    memory?.held.clear();
    if (memory === undefined || memory.generation === generation) return;
    memory.waits.clear();
    this.#dropEmpty(uid);
  }

  /**
   * Runs a write, and remembers its result.
   *
   * @param subjects the subjects that the write is made for; the next pass handles them last after a refusal
   * @param waits the write that waits after a refusal; no write waits when absent
   * @throws what the write throws
   */
  async attempt<R>(owner: string, subjects: readonly string[], write: () => Promise<R>, waits?: PacedWrite): Promise<R> {
    const begun = ++this.#writes;
    try {
      const result = await write();
      this.#succeeded(owner, subjects, waits, begun);
      return result;
    } catch (error) {
      if (!isNoRefusal(error)) for (const subject of subjects) this.#note(owner, subject, waits?.kind);
      if (waits !== undefined && causesWait(error)) this.#refused(owner, waits, error);
      throw error;
    }
  }

  /** Moves a subject behind the others, because a guard has refused it. */
  note(owner: string, subject: string): void {
    this.#note(owner, subject, this.#byOwner.get(owner)?.refusals.get(subject)?.kind);
  }

  /** @returns undefined for a write that may be tried now */
  waiting(owner: string, write: Write): Waiting | undefined {
    const memory = this.#byOwner.get(owner);
    const now = this.#clock.monotonic();
    const key = [keyOfWrite(write), keyOfAll(write)].find((one) => (memory?.waits.get(one)?.until ?? now) > now);
    if (key === undefined) return undefined;
    memory?.held.add(key);
    return memory?.waits.get(key);
  }

  /** Called when an object of the owner no longer counts in quotas: writes that a quota has refused no longer wait. */
  freed(owner: string | undefined): void {
    const waits = owner === undefined ? undefined : this.#byOwner.get(owner)?.waits;
    const now = this.#clock.monotonic();
    for (const [key, wait] of waits ?? []) if (wait.scope === 'Quota') waits?.set(key, { ...wait, until: Math.min(wait.until, now) });
  }

  /** Objects with a write that waits. */
  waitingObjects(owner: string): ReadonlySet<string> {
    const now = this.#clock.monotonic();
    const waits = [...(this.#byOwner.get(owner)?.waits.values() ?? [])].filter(({ until }) => until > now);
    return new Set(waits.flatMap(({ scope, object }) => (scope === 'Object' ? [object] : [])));
  }

  /** Time of the first refusal in a row, whether the write waits or not; undefined when the last write was not refused. */
  since(owner: string, write: Write): number | undefined {
    const waits = this.#byOwner.get(owner)?.waits;
    return (waits?.get(keyOfWrite(write)) ?? waits?.get(keyOfAll(write)))?.since;
  }

  /** Time until the first waiting write may be tried: 0 if its wait ended after this pass had left it out; undefined when no write waits. */
  shortestWait(owner: string): Milliseconds | undefined {
    const memory = this.#byOwner.get(owner);
    if (memory === undefined) return undefined;
    const { waits, held } = memory;
    const now = this.#clock.monotonic();
    for (const [key, { until }] of waits) if (until + triedAgainWithin < now) waits.delete(key);
    this.#dropEmpty(owner);
    const left = [...waits].filter(([key, { until }]) => until > now || held.has(key)).map(([, { until }]) => Math.max(until - now, 0));
    const first = shortest(left);
    return first === undefined ? undefined : milliseconds(first);
  }

  /**
   * Returns the outcome of a pass over the owner, which is repeated when the first wait ends.
   *
   * @param fresh a failure of the pass itself; a write that still waits is no failure of it
   * @param waits other times after which the pass is repeated
   */
  outcome(owner: string, fresh: Error | undefined, waits: readonly (Milliseconds | undefined)[]): Outcome {
    const { requeueAfter } = earliest([...waits, this.shortestWait(owner), fresh === undefined ? undefined : triedAgainWithin]);
    return fresh === undefined ? requeueOrSettle(requeueAfter) : afterFailure(fresh, requeueAfter);
  }

  /** Writes the owner's status, unless a refusal of it still waits. */
  async writeStatus({ metadata: { uid = '', generation } }: KubeObject, write: () => Promise<unknown>): Promise<StatusWritten> {
    const waiting = this.waiting(uid, statusWrite);
    if (waiting !== undefined) return { error: waiting.error };
    try {
      await this.attempt(uid, [], write, { ...statusWrite, generation });
      return {};
    } catch (thrown) {
      const error = asError(thrown);
      return { error, fresh: error };
    }
  }

  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }

  #memoryOf(owner: string): Memory {
    const memory = this.#byOwner.get(owner) ?? { refusals: new Map(), waits: new Map(), held: new Set() };
    this.#byOwner.set(owner, memory);
    return memory;
  }

  #note(owner: string, subject: string, kind: string | undefined): void {
    this.#memoryOf(owner).refusals.set(subject, { at: ++this.#count, ...(kind === undefined ? {} : { kind }) });
  }

  /** @param begun place of the write: one that began before another was refused does not show that the reason has ended */
  #succeeded(owner: string, subjects: readonly string[], waits: Write | undefined, begun: number): void {
    const memory = this.#byOwner.get(owner);
    if (memory === undefined) return;
    for (const subject of subjects) memory.refusals.delete(subject);
    const keys = waits === undefined ? [] : [keyOfWrite(waits), keyOfAll(waits)];
    for (const key of keys) if ((memory.waits.get(key)?.noted ?? begun) < begun) memory.waits.delete(key);
    this.#dropEmpty(owner);
  }

  #refused(owner: string, write: PacedWrite, thrown: unknown): void {
    const error = asError(thrown);
    const scope = scopeOf(error);
    const key = scope === 'Object' ? keyOfWrite(write) : keyOfAll(write);
    const memory = this.#memoryOf(owner);
    memory.generation = write.generation;
    const { waits } = memory;
    const before = waits.get(key);
    const now = this.#clock.monotonic();
    // Writes that run beside each other are refused at the same moment: that is one refusal of the quota or the budget.
    if (before !== undefined && before.until > now) return;
    const length = before === undefined ? firstWaitMs : Math.min(before.length * 2, longestWaits[scope]);
    const until = now + Math.max(length, askedWait(error));
    waits.set(key, { until, length, since: before?.since ?? now, error, noted: ++this.#writes, scope, object: write.object });
  }

  #dropEmpty(owner: string): void {
    const memory = this.#byOwner.get(owner);
    if (memory !== undefined && memory.refusals.size === 0 && memory.waits.size === 0) this.#byOwner.delete(owner);
  }
}
