/** What the controllers of this process ask before they update a Pod. @see spec/podunavailablebudget.md 4.6 */
import { eventSources, podUnavailableBudgets, userAgents } from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { UpdateGuard } from '@kruise/workloads';
import { availability } from '@kruise/kinds/podunavailablebudget';
import { BudgetLedger } from './ledger.ts';

export function budgetGuard({ caches, client, clock, gates, recorderFor, onProtected }: ControllerDependencies): UpdateGuard {
  const budgets = caches.of(podUnavailableBudgets);
  const ledger = new BudgetLedger({
    store: budgets.store,
    read: (key) => unlessDeleted(client.get(podUnavailableBudgets, key)),
    write: (budget) => client.updateStatus(podUnavailableBudgets, budget),
    clock,
    gates,
    isAvailable: availability(gates),
    onRefused: onProtected,
    recorder: recorderFor(eventSources.pubAdmission),
  });
  return {
    mayUpdate: async (pod, signal) => {
      if (!budgets.store.synced) await budgets.reflector.waitForSync(signal);
      const answer = await ledger.ask({ pod, operation: 'UPDATE' }, { user: userAgents.manager, dryRun: false }, signal);
      return answer.kind === 'Allowed' ? answer : { kind: 'Refused', why: answer.message };
    },
  };
}
