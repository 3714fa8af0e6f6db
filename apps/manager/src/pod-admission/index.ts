/**
 * The Pod webhooks: which of them this cluster gets, and the steps of the mutating one in their order. A step lives with the kind whose rule
 * it is and takes its place in `steps`.
 * @see spec/manager.md 4.5, 4.9
 */
import type { AdmissionHandler } from '@kruise/admission';
import { groups } from '@kruise/api';
import { SystemClock } from '@kruise/kube';
import { launchPriorityStep } from '../../kinds/containerlaunchpriority/index.ts';
import { serverlessProbesStep } from '../../kinds/podprobemarker/index.ts';
import { sidecarInjectionStep } from '../../kinds/sidecarset/index.ts';
import type { Installed } from '../../process/discovery.ts';
import { enhancedLivenessStep } from './enhanced-liveness.ts';
import type { HandlerDependencies } from '../handlers.ts';
import { mutatePod } from './mutate-pod.ts';
import type { PodStep } from './pod-step.ts';
import { readinessGateStep } from './readiness-gate.ts';

/** In the order of spec/manager.md 4.9; a step whose gate is off is not in the list. */
const steps = (dependencies: HandlerDependencies): readonly PodStep[] => {
  const { gates, informers } = dependencies;
  return [
    readinessGateStep(gates),
    sidecarInjectionStep({ ...dependencies, clock: new SystemClock() }),
    launchPriorityStep(Math.random),
    enhancedLivenessStep(gates),
    serverlessProbesStep(gates, informers),
  ].filter((step) => step !== undefined);
};

/** Decided once: a CRD that comes later is seen after a restart. */
export const podAdmission = (dependencies: HandlerDependencies, installed: Installed): readonly AdmissionHandler[] =>
  dependencies.gates.PodWebhook && installed(groups.apps, 'v1alpha1', 'SidecarSet') ? [mutatePod(steps(dependencies))] : [];
