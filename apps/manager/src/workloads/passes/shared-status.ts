/**
 * Writes statuses that other processes also write, for example admission, which counts in them. A status is decided on the newest known copy of its
 * object, and written on exactly that copy, so no count of another process is lost.
 *
 *   newest copy -> conclude -> [no difference, or an earlier refusal still waits: no write] -> write
 *        ^                                                                                       |
 *        +------- the copy of the API server, if the kind decides again after a conflict --------+
 */
import { asError, conflictPresets, isFailure, isPanic, unlessDeleted, type Client, type Clock, type StoreReader } from '@kruise/kube';
import { deepEqual, keyOf, type ResourceType } from '@kruise/objects';
import { StatusLedger, type Entry } from '../../writes/status-ledger.ts';
import { statusWrite, type RefusedObjects, type StatusWritten } from '../refusals/refused-objects.ts';
import type { Conclusion, PlanTypes, SharedStatus } from './plan-definition.ts';

/** The tools that the statuses of one kind are written with. */
interface SharedStatusParts<K extends PlanTypes> {
  readonly type: ResourceType<K['object']>;
  readonly store: Pick<StoreReader<K['object']>, 'get'>;
  readonly client: Client;
  readonly clock: Clock;
  readonly refusals: RefusedObjects;
}

/** What was decided, and the result of its write. */
export interface Concluded<K extends PlanTypes> extends StatusWritten {
  readonly conclusion: Conclusion<K>;
}

const over = { isOver: true } as const;

/** The ledger of one kind. */
function ledgerOf<K extends PlanTypes>({ onConflict }: SharedStatus, parts: SharedStatusParts<K>): StatusLedger<K['object']> {
  const { type, store, client, clock, refusals } = parts;
  const write = (object: K['object']): Promise<unknown> => {
    const { uid = '', generation } = object.metadata;
    return refusals.attempt(uid, [], () => client.updateStatus(type, object), { ...statusWrite, generation });
  };
  return new StatusLedger({
    store,
    read: (key) => unlessDeleted(client.get(type, key)),
    write,
    clock,
    preset: { ...conflictPresets.counter, ...(onConflict === 'DecideAgain' ? {} : { tries: 1 }) },
  });
}

export class SharedStatusWriter<K extends PlanTypes> {
  readonly #shared: SharedStatus;
  readonly #refusals: RefusedObjects;
  readonly #ledger: StatusLedger<K['object']>;

  constructor(shared: SharedStatus, parts: SharedStatusParts<K>) {
    this.#shared = shared;
    this.#refusals = parts.refusals;
    this.#ledger = ledgerOf(shared, parts);
  }

  /**
   * Decides, and writes the status if it differs. The pass is over if the object no longer exists, or if the kind does not decide again after a conflict.
   *
   * @param conclude called again for each newer copy
   * @throws what is a defect of the program, see {@link isPanic}
   */
  async write(object: K['object'], conclude: (copy: K['object']) => Conclusion<K>, signal: AbortSignal): Promise<Concluded<K>> {
    const { uid } = object.metadata;
    const decide = (copy: K['object'] | undefined): Entry<K['object'], Concluded<K>> => {
      if (copy === undefined) return { result: { conclusion: over } };
      const conclusion = conclude(copy);
      const { status } = conclusion;
      if (status === undefined || deepEqual(copy.status, status)) return { result: { conclusion } };
      const waiting = this.#refusals.waiting(uid ?? '', statusWrite);
      return waiting === undefined ? { result: { conclusion }, status } : { result: { conclusion, error: waiting.error } };
    };
    try {
      return await this.#ledger.change({ ...keyOf(object), uid }, decide, signal);
    } catch (thrown) {
      return this.#afterFailure(thrown);
    }
  }

  #afterFailure(thrown: unknown): Concluded<K> {
    if (isPanic(thrown)) throw thrown;
    const error = asError(thrown);
    const { onConflict } = this.#shared;
    if (onConflict === 'DecideAgain' || !isFailure(error, 'Conflict')) return { conclusion: over, error, fresh: error };
    // The conflict is no failure of the pass, so it is not `fresh`.
    return { conclusion: { ...over, requeueAfter: onConflict.requeueAfter }, error };
  }
}
