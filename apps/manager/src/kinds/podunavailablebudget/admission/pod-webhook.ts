/** What the parts of the Pod webhook share in a process: changes, deletions and evictions of Pods use the same ledger. */
import { eventSources, podUnavailableBudgets, type PodUnavailableBudget } from '@kruise/api';
import { ApiError, SystemClock, unlessDeleted, type Informer } from '@kruise/kube';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import { availability, selections, type SelectionOf } from '@kruise/kinds/podunavailablebudget';
import { BudgetLedger } from '../ledger.ts';

export interface PodWebhook {
  readonly budgets: Informer<PodUnavailableBudget>;
  readonly selectionOf: SelectionOf;
  readonly ledger: BudgetLedger;
  readonly waitForSync: (signal: AbortSignal) => Promise<void>;
}

function make({ caches, client, writes, gates, onProtected, recorderFor, clock = new SystemClock() }: HandlerDependencies): PodWebhook {
  const budgets = caches.of(podUnavailableBudgets);
  const ledger = new BudgetLedger({
    store: budgets.store,
    read: (key) => unlessDeleted(client.get(podUnavailableBudgets, key)),
    write: (budget) => {
      if (writes === undefined) throw new ApiError('nothing may be charged here', { kind: 'MethodNotAllowed' });
      return writes.updateStatus(podUnavailableBudgets, budget);
    },
    clock,
    gates,
    isAvailable: availability(gates),
    onRefused: onProtected,
    recorder: recorderFor?.(eventSources.pubAdmission),
  });
  return {
    budgets,
    selectionOf: selections(),
    ledger,
    waitForSync: (signal) => (budgets.store.synced ? Promise.resolve() : budgets.reflector.waitForSync(signal)),
  };
}

/** Steps and checks of one process share one ledger. */
export const podWebhookOf = (dependencies: HandlerDependencies): PodWebhook => dependencies.caches.shared(make, dependencies);
