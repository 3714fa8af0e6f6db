/** How budgets answer requests that change, delete or evict a Pod. @see spec/podunavailablebudget.md 4.5 */
import type { PubOperation } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { askedPod, isDryRun } from '../../../module/asked-pod.ts';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import type { PodCheck, PodCheckResult, PodOperationRequest } from '../../../module/pod-check.ts';
import { refusalFor } from '../answer.ts';
import { updateKind, relatedPubOf } from '@kruise/kinds/podunavailablebudget';
import { evictionNeeds, goingNeeds, updateNeeds } from './pod-needs.ts';
import { podWebhookOf } from './pod-webhook.ts';

const allowed: PodCheckResult = { kind: 'Allowed' };
const name = 'podunavailablebudget';

/** What is asked of the budget; undefined for what is free. */
function operationOf({ operation, next }: PodOperationRequest, pod: Pod): PubOperation | undefined {
  if (operation === 'Delete') return 'DELETE';
  if (operation === 'Evict') return 'EVICT';
  const kind = next === undefined || relatedPubOf(next) === '' ? 'Free' : updateKind(pod, next);
  return kind === 'Free' ? undefined : kind;
}

async function check(asked: PodOperationRequest, dependencies: HandlerDependencies, signal: AbortSignal): Promise<PodCheckResult> {
  const { request } = asked;
  const pod = await askedPod(asked, dependencies.client, signal);
  if (pod === undefined)
    return asked.operation === 'Evict' ? { kind: 'Refused', code: 400, message: `pods "${request.name ?? ''}" not found` } : allowed;
  const operation = operationOf(asked, pod);
  if (operation === undefined) return allowed;
  const { ledger, waitForSync } = podWebhookOf(dependencies);
  await waitForSync(signal);
  const answer = await ledger.ask({ pod, operation }, { user: request.userInfo.username ?? '', dryRun: isDryRun(request) }, signal);
  switch (answer.kind) {
    case 'Allowed':
      return allowed;
    case 'Refused':
      return refusalFor(operation, answer);
    case 'Failed':
      return { kind: 'Refused', code: 400, message: answer.message };
  }
}

/** Asked when a Pod is deleted or evicted. */
export function budgetOfGoing(dependencies: HandlerDependencies): PodCheck {
  const { store } = podWebhookOf(dependencies).budgets;
  return {
    name,
    needs: {
      isReady: () => store.synced,
      current: () => goingNeeds(store.list()),
      ofEvictions: () => evictionNeeds(store.list()),
      watch: (changed) => void store.subscribe(changed),
    },
    check: (asked, signal) => check(asked, dependencies, signal),
  };
}

/** Asked when a Pod is updated or resized. */
export function budgetOfUpdates(dependencies: HandlerDependencies): PodCheck {
  const { store } = podWebhookOf(dependencies).budgets;
  return {
    name,
    needs: { isReady: () => store.synced, current: () => updateNeeds(store.list()), watch: (changed) => void store.subscribe(changed) },
    check: (asked, signal) => check(asked, dependencies, signal),
  };
}
