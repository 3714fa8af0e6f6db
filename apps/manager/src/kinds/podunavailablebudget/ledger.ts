/**
 * Asks a budget whether an operation on a Pod may go on, and charges it. One in each process that asks: the webhook thread of every replica, and the
 * leader on behalf of its controllers.
 * @see spec/podunavailablebudget.md 4.5
 */
import type { Gates, PodUnavailableBudget } from '@kruise/api';
import { ApiError, type Clock, type EventRecorder, type StoreReader } from '@kruise/kube';
import type { ProtectionRecord } from '../../process/protection-log.ts';
import { StatusLedger, type Entry, type LedgerParts } from '../../writes/status-ledger.ts';
import { protectionRecord, refusalOf, type BudgetAnswer } from './answer.ts';
import {
  type IsAvailable,
  decideByBudget,
  decideByPod,
  type DecisionContext,
  type Question,
  type Verdict,
  relatedPubOf,
} from '@kruise/kinds/podunavailablebudget';
import { recordRefusal } from './events.ts';

export interface BudgetLedgerParts extends Omit<LedgerParts<PodUnavailableBudget>, 'store' | 'clock'> {
  readonly store: StoreReader<PodUnavailableBudget>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly gates: Pick<Gates, 'InPlacePodVerticalScaling'>;
  readonly isAvailable: IsAvailable;
  /** Called for every refusal, including dry runs. */
  readonly onRefused?: ((record: ProtectionRecord) => void) | undefined;
  readonly recorder?: EventRecorder | undefined;
}

/** Who asks, and whether it is meant. */
export interface Asker {
  readonly user: string;
  readonly dryRun: boolean;
}

/** Nothing that a copy says which may be old keeps or frees a Pod; what was charged or renewed is settled by the write. */
const entryOf = (verdict: Verdict, budget: PodUnavailableBudget | undefined): Entry<PodUnavailableBudget, Verdict> => {
  const protectsNobody = verdict.kind === 'Allow' && (budget?.status?.desiredAvailable ?? 0) === 0;
  return {
    result: verdict,
    isInDoubt: verdict.kind === 'Deny' || protectsNobody,
    ...(verdict.kind === 'Charge' || verdict.kind === 'Renew' ? { status: verdict.status } : {}),
  };
};

export class BudgetLedger {
  readonly #parts: BudgetLedgerParts;
  readonly #ledger: StatusLedger<PodUnavailableBudget>;

  constructor(parts: BudgetLedgerParts) {
    this.#parts = parts;
    this.#ledger = new StatusLedger(parts);
  }

  /** Who allows it has taken note of it: asked again for the same Pod, the answer is the same for a while, and costs nothing more. */
  async ask(question: Question, asker: Asker, signal: AbortSignal): Promise<BudgetAnswer> {
    const { pod } = question;
    const name = relatedPubOf(pod);
    const verdict = decideByPod(question, this.#context()) ?? (await this.#askBudget(question, name, asker.dryRun, signal));
    switch (verdict.kind) {
      case 'Allow':
      case 'Charge':
      case 'Renew':
        return { kind: 'Allowed' };
      case 'Fault':
        return { kind: 'Failed', message: verdict.why };
      case 'Deny':
        this.#parts.onRefused?.(protectionRecord(pod, asker.user));
        if (this.#parts.recorder !== undefined) recordRefusal(this.#parts.recorder, pod);
        return { kind: 'Refused', message: refusalOf(name, verdict.why), cause: verdict.cause };
    }
  }

  #context(): DecisionContext {
    const { clock, gates, isAvailable } = this.#parts;
    return { now: clock.now(), tellsResizes: gates.InPlacePodVerticalScaling, isAvailable };
  }

  async #askBudget(question: Question, name: string, dryRun: boolean, signal: AbortSignal): Promise<Verdict> {
    const key = { namespace: question.pod.metadata.namespace ?? '', name };
    const decide = (copy: PodUnavailableBudget | undefined): Entry<PodUnavailableBudget, Verdict> => {
      const entry = entryOf(decideByBudget(copy, question, this.#context()), copy);
      const { status: _unwritten, ...dry } = entry;
      return dryRun ? dry : entry;
    };
    try {
      return await this.#ledger.change(key, decide, signal);
    } catch (error) {
      if (error instanceof ApiError) return { kind: 'Deny', why: error.message, cause: error.message };
      throw error;
    }
  }
}
