/** Events of budgets. @see spec/podunavailablebudget.md 3 */
import { eventReasons, type PodUnavailableBudget } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { formatKey, keyOf, pods, apiVersionOf, type Pod } from '@kruise/objects';
import type { BudgetEvent } from '@kruise/kinds/podunavailablebudget';

/** Objects of lists come without apiVersion and kind. */
const asTarget = (pod: Pod): Pod => ({ ...pod, apiVersion: apiVersionOf(pods), kind: pods.kind });

/** Records the events of a pass about a budget and its Pods. */
export function recordBudgetEvent(recorder: EventRecorder, budget: PodUnavailableBudget, event: BudgetEvent): void {
  switch (event.kind) {
    case 'NoPods':
      return recorder.event(budget, 'Normal', eventReasons.noPods, 'No matching pods found');
    case 'CalculationFailed': {
      const message = `Failed to calculate the number of expected pods: ${event.why}`;
      return recorder.event(budget, 'Warning', eventReasons.calculateExpectedPodCountFailed, message);
    }
    case 'NotDeleted': {
      const message = `Pod was expected by PUB ${formatKey(keyOf(budget))} to be deleted but it wasn't`;
      return recorder.event(asTarget(event.pod), 'Warning', eventReasons.notDeleted, message);
    }
  }
}

/** On the Pod that was kept. */
export const recordRefusal = (recorder: EventRecorder, pod: Pod): void =>
  recorder.event(asTarget(pod), 'Warning', eventReasons.pubPreventPodDeletion, 'openkruise pub prevents pod deletion');
