/**
 * The Pod webhooks: which of them this cluster gets, and the steps of the mutating one in their order. A step lives with the kind whose rule
 * it is and takes its place in `steps`.
 * @see spec/manager.md 4.5, 4.9
 */
import type { AdmissionHandler } from '@kruise/admission';
import { groups, type Gates } from '@kruise/api';
import type { Installed } from '../../process/discovery.ts';
import { mutatePod } from './mutate-pod.ts';
import type { PodStep } from './pod-step.ts';
import { readinessGateStep } from './readiness-gate.ts';

/** What the Pod webhooks need of the handlers' dependencies. */
export interface PodWebhookDependencies {
  readonly gates: Gates;
}

/** In the order of spec/manager.md 4.9; a step whose gate is off is not in the list. */
const steps = ({ gates }: PodWebhookDependencies): readonly PodStep[] => [readinessGateStep(gates)];

/** Decided once: a CRD that comes later is seen after a restart. */
export const podAdmission = (dependencies: PodWebhookDependencies, installed: Installed): readonly AdmissionHandler[] =>
  dependencies.gates.PodWebhook && installed(groups.apps, 'v1alpha1', 'SidecarSet') ? [mutatePod(steps(dependencies))] : [];
