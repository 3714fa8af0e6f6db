/** Step 7: liveness probes that another component takes over are moved out of the Pod into an annotation. @see spec/podreadiness.md 6.2 */
import { isOfOurKinds } from '@kruise/workloads';
import { annotations, type Gates } from '@kruise/api';
import { stringifyLossless, type Container, type Pod } from '@kruise/objects';
import { podsOfOurKinds } from '../../pod-admission/of-our-kinds.ts';
import type { PodStep } from '../../module/pod-step.ts';

function withoutProbe(container: Container): Container {
  const { livenessProbe: _movedOut, ...rest } = container;
  return rest;
}

/** Moves the liveness probes of ordinary containers out, in the order of the list; only where the user requests it in a Pod of ours. */
export function withoutLivenessProbes(pod: Pod): Pod {
  if (pod.metadata.annotations?.[annotations.usingEnhancedLiveness] !== 'true' || !isOfOurKinds(pod)) return pod;
  const containers = pod.spec.containers ?? [];
  const probes = containers.flatMap(({ name, livenessProbe }) => (livenessProbe === undefined ? [] : [{ name, livenessProbe }]));
  if (probes.length === 0) return pod;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata.annotations, [annotations.containerProbeContext]: stringifyLossless(probes) },
    },
    spec: {
      ...pod.spec,
      containers: containers.map((container) => (container.livenessProbe === undefined ? container : withoutProbe(container))),
    },
  };
}

/** @returns undefined while the gate is off */
export const enhancedLivenessStep = (gates: Pick<Gates, 'EnhancedLivenessProbe'>): PodStep | undefined =>
  gates.EnhancedLivenessProbe
    ? {
        name: 'enhanced-liveness',
        needs: { current: () => [podsOfOurKinds] },
        apply: (pod) => ({ kind: 'Pod', pod: withoutLivenessProbes(pod) }),
      }
    : undefined;
