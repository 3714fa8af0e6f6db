/**
 * The Pod webhooks: which of them this cluster gets, the steps of the mutating one and the checks of the validating one. Steps and checks are parts of
 * the kind or feature whose rule they apply; `module/pod-webhook-order.ts` lists their order.
 * @see spec/manager.md 4.5, 4.9
 */
import type { AdmissionHandler } from '@kruise/admission';
import { groups, type Gates } from '@kruise/api';
import type { HandlerDependencies } from '../module/handler-dependencies.ts';
import { isInstalled, type KindModule } from '../module/kind-module.ts';
import type { PodCheckModule } from '../module/pod-check.ts';
import type { PodStep } from '../module/pod-step.ts';
import { inOrder, podCheckOrder, podStepOrder } from '../module/pod-webhook-order.ts';
import type { Installed } from '../process/discovery.ts';
import { mutatePod, mutatePodPath } from './mutate-pod.ts';
import { validatePod, validatePodPath } from './validate-pod.ts';

/** Returns the steps of all modules in their order, without those whose gate is off or whose kind is not installed. */
const stepsOf = (modules: readonly KindModule[], dependencies: HandlerDependencies, installed: Installed): readonly PodStep[] =>
  inOrder(
    podStepOrder,
    modules.flatMap(({ podSteps = [] }) => podSteps).filter(({ needs }) => isInstalled(needs, installed)),
  ).flatMap(({ define }) => define(dependencies) ?? []);

/** Returns whether the Pod webhooks are served. A cluster without SidecarSets, whose CRD is the oldest, has no installation yet. */
const isAsked = (gates: Pick<Gates, 'PodWebhook'>, installed: Installed): boolean =>
  gates.PodWebhook && installed(groups.apps, 'v1alpha1', 'SidecarSet');

/** Returns the checks of all modules in their order, without those whose gates are off or whose kind is not installed. */
const checksOf = (modules: readonly KindModule[], gates: Gates, installed: Installed): readonly PodCheckModule[] =>
  inOrder(
    podCheckOrder,
    modules
      .flatMap(({ podChecks = [] }) => podChecks)
      .filter(({ needs }) => isInstalled(needs, installed))
      .filter(({ gates: needed = [] }) => needed.every((gate) => gates[gate])),
  );

/** Returns the paths that are served. The validating webhook is not served when there is no check. */
export function podAdmissionPaths(modules: readonly KindModule[], gates: Gates, installed: Installed): readonly string[] {
  if (!isAsked(gates, installed)) return [];
  return checksOf(modules, gates, installed).length === 0 ? [mutatePodPath] : [mutatePodPath, validatePodPath];
}

export const podAdmission = (
  modules: readonly KindModule[],
  dependencies: HandlerDependencies,
  installed: Installed,
): readonly AdmissionHandler[] => {
  if (!isAsked(dependencies.gates, installed)) return [];
  const checks = checksOf(modules, dependencies.gates, installed).map(({ operations, define }) => ({
    operations,
    check: define(dependencies),
  }));
  return [mutatePod(stepsOf(modules, dependencies, installed)), ...(checks.length === 0 ? [] : [validatePod(checks)])];
};
