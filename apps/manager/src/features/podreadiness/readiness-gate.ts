/** Step 1: the readiness gate `KruisePodReady`, dry runs included. @see spec/podreadiness.md 3 */
import { isOfOurKinds } from '@kruise/workloads';
import { podConditions, type Gates } from '@kruise/api';
import { hasReadinessGate, type Pod } from '@kruise/objects';
import { podsOfOurKinds } from '../../pod-admission/of-our-kinds.ts';
import type { PodStep } from '../../module/pod-step.ts';

/** Pods of every kind of ours get the gate, all others with feature gate KruisePodReadinessGate. */
export function withKruisePodReadyGate(pod: Pod, gates: Pick<Gates, 'KruisePodReadinessGate'>): Pod {
  const isConcerned = gates.KruisePodReadinessGate || isOfOurKinds(pod);
  if (!isConcerned || hasReadinessGate(pod, podConditions.kruisePodReady)) return pod;
  const readinessGates = [...(pod.spec.readinessGates ?? []), { conditionType: podConditions.kruisePodReady }];
  return { ...pod, spec: { ...pod.spec, readinessGates } };
}

/** What the step leaves in a Pod. */
const trace = `has(object.spec.readinessGates) && object.spec.readinessGates.exists(g, g.conditionType == "${podConditions.kruisePodReady}")`;

export const readinessGateStep = (gates: Pick<Gates, 'KruisePodReadinessGate'>): PodStep => ({
  name: 'readiness-gate',
  needs: { trace, current: () => [gates.KruisePodReadinessGate ? { reason: 'readiness-gate' } : podsOfOurKinds] },
  apply: (pod) => ({ kind: 'Pod', pod: withKruisePodReadyGate(pod, gates) }),
});
