/**
 * Step 5 of the Pod webhook: a new Pod gets the name of its budget. The webhook is not asked about a Pod for this alone: a Pod that was created without the
 * name gets it from the controller, long before it is ready and has to be protected, and no Pod has to wait for a manager because of a budget.
 * @see spec/podunavailablebudget.md 4.3, 4.4
 */
import { unlessDeleted } from '@kruise/kube';
import { controllerOf, messageOf, refersToKind, type Pod } from '@kruise/objects';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import type { PodStep } from '../../../module/pod-step.ts';
import { replicaSets, targetOfOwner, type Target } from '@kruise/workloads';
import { podWebhookOf } from './pod-webhook.ts';
import { withRelatedPub, isFor } from '@kruise/kinds/podunavailablebudget';

/** The workloads of a new Pod, from its controller upwards: only the ReplicaSet names its own controller. */
async function workloadsOf(pod: Pod, { client }: HandlerDependencies, signal: AbortSignal): Promise<readonly Target[]> {
  const owner = controllerOf(pod);
  if (owner === undefined) return [];
  const own = targetOfOwner(owner);
  if (!refersToKind(owner, replicaSets)) return [own];
  const key = { namespace: pod.metadata.namespace ?? '', name: owner.name };
  const replicaSet = await unlessDeleted(client.get(replicaSets, key, { signal }));
  const above = replicaSet === undefined ? undefined : controllerOf(replicaSet);
  return above === undefined ? [own] : [own, targetOfOwner(above)];
}

/** The first by name counts where several are for the Pod. */
async function budgetFor(pod: Pod, dependencies: HandlerDependencies, signal: AbortSignal): Promise<string | undefined> {
  const { budgets, selectionOf } = podWebhookOf(dependencies);
  const candidates = budgets.store.list({ namespace: pod.metadata.namespace ?? '', sorted: true });
  const hasTarget = candidates.some((budget) => selectionOf(budget).kind === 'Target');
  const workloads = hasTarget ? await workloadsOf(pod, dependencies, signal) : [];
  return candidates.find((budget) => isFor(selectionOf(budget), pod, workloads))?.metadata.name;
}

/** Undefined where budgets are off. */
export function podUnavailableBudgetStep(dependencies: HandlerDependencies): PodStep | undefined {
  const { gates, logger } = dependencies;
  if (!gates.PodUnavailableBudgetDeleteGate && !gates.PodUnavailableBudgetUpdateGate) return undefined;
  const { waitForSync } = podWebhookOf(dependencies);
  const named = async (pod: Pod, signal: AbortSignal): Promise<Pod> => {
    try {
      await waitForSync(signal);
      const budget = await budgetFor(pod, dependencies, signal);
      return budget === undefined ? pod : withRelatedPub(pod, budget);
    } catch (error) {
      const { namespace = '', name } = pod.metadata;
      logger?.warn(
        { pod: `${namespace}/${name}`, why: messageOf(error) },
        'Failed to find the budget of a new Pod; the controller will add its name',
      );
      return pod;
    }
  };
  return {
    name: 'podunavailablebudget',
    needs: { current: () => [] },
    apply: async (pod, _request, signal) => ({ kind: 'Pod', pod: await named(pod, signal) }),
  };
}
