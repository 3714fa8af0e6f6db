/**
 * The Pod webhooks: which of them this cluster gets, the steps of the mutating one and the checks of the validating one, in their order. A step or
 * check lives with the kind or feature whose rule it is.
 * @see spec/manager.md 4.5, 4.9
 */
import type { AdmissionHandler } from '@kruise/admission';
import { groups, type Gates } from '@kruise/api';
import type { HandlerDependencies } from '../module/handler-dependencies.ts';
import { isInstalled, type KindModule } from '../module/kind-module.ts';
import type { PodCheckModule } from '../module/pod-check.ts';
import type { PodStep } from '../module/pod-step.ts';
import type { Installed } from '../process/discovery.ts';
import { mutatePod, mutatePodPath } from './mutate-pod.ts';
import { validatePod, validatePodPath } from './validate-pod.ts';

/** The steps of all modules in their order; one whose gate is off, or whose kind is not installed, is not in the list. */
const stepsOf = (modules: readonly KindModule[], dependencies: HandlerDependencies, installed: Installed): readonly PodStep[] =>
  modules
    .flatMap(({ podSteps = [] }) => podSteps)
    .filter(({ needs }) => isInstalled(needs, installed))
    .toSorted((a, b) => a.order - b.order)
    .flatMap(({ define }) => define(dependencies) ?? []);

/** A cluster without SidecarSets, whose CRD is the first that installations had, is none of ours yet. */
const isAsked = (gates: Pick<Gates, 'PodWebhook'>, installed: Installed): boolean =>
  gates.PodWebhook && installed(groups.apps, 'v1alpha1', 'SidecarSet');

/** The checks of all modules in their order; one whose gates are off, or whose kind is not installed, is not in the list. */
const checksOf = (modules: readonly KindModule[], gates: Gates, installed: Installed): readonly PodCheckModule[] =>
  modules
    .flatMap(({ podChecks = [] }) => podChecks)
    .filter(({ needs }) => isInstalled(needs, installed))
    .filter(({ gates: needed = [] }) => needed.every((gate) => gates[gate]))
    .toSorted((a, b) => a.order - b.order);

/** Without a check the validating webhook has nobody to ask, and is not served. */
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
