/** Step 1: the readiness gate `KruisePodReady`, dry runs included. @see spec/podreadiness.md 3 */
import { groups, podConditions, type Gates } from '@kruise/api';
import { controllerOf, groupOf, hasReadinessGate, type Pod } from '@kruise/objects';
import type { PodStep } from './pod-step.ts';

function isOfOurKinds(pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller !== undefined && groupOf(controller.apiVersion) === groups.apps;
}

/** Pods of every kind of ours get the gate, all others with feature gate KruisePodReadinessGate. */
export function withKruisePodReadyGate(pod: Pod, gates: Pick<Gates, 'KruisePodReadinessGate'>): Pod {
  const isConcerned = gates.KruisePodReadinessGate || isOfOurKinds(pod);
  if (!isConcerned || hasReadinessGate(pod, podConditions.kruisePodReady)) return pod;
  const readinessGates = [...(pod.spec.readinessGates ?? []), { conditionType: podConditions.kruisePodReady }];
  return { ...pod, spec: { ...pod.spec, readinessGates } };
}

export const readinessGateStep = (gates: Pick<Gates, 'KruisePodReadinessGate'>): PodStep => ({
  name: 'readiness-gate',
  apply: (pod) => ({ kind: 'Pod', pod: withKruisePodReadyGate(pod, gates) }),
});
