/**
 * The Pod webhooks: which of them this cluster gets, and the steps of the mutating one in their order. A step lives with the kind or feature
 * whose rule it is.
 * @see spec/manager.md 4.5, 4.9
 */
import type { AdmissionHandler } from '@kruise/admission';
import { groups, type Gates } from '@kruise/api';
import type { HandlerDependencies } from '../module/handler-dependencies.ts';
import type { KindModule } from '../module/kind-module.ts';
import type { PodStep } from '../module/pod-step.ts';
import type { Installed } from '../process/discovery.ts';
import { mutatePod, mutatePodPath } from './mutate-pod.ts';

/** The steps of all modules in their order; one whose gate is off is not in the list. */
const stepsOf = (modules: readonly KindModule[], dependencies: HandlerDependencies): readonly PodStep[] =>
  modules
    .flatMap(({ podSteps = [] }) => podSteps)
    .toSorted((a, b) => a.order - b.order)
    .flatMap(({ define }) => define(dependencies) ?? []);

/** A cluster without SidecarSets, whose CRD is the first that installations had, is none of ours yet. */
const isAsked = (gates: Pick<Gates, 'PodWebhook'>, installed: Installed): boolean =>
  gates.PodWebhook && installed(groups.apps, 'v1alpha1', 'SidecarSet');

export const podAdmissionPaths = (gates: Pick<Gates, 'PodWebhook'>, installed: Installed): readonly string[] =>
  isAsked(gates, installed) ? [mutatePodPath] : [];

export const podAdmission = (
  modules: readonly KindModule[],
  dependencies: HandlerDependencies,
  installed: Installed,
): readonly AdmissionHandler[] => (isAsked(dependencies.gates, installed) ? [mutatePod(stepsOf(modules, dependencies))] : []);
