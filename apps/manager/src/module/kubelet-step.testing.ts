/** What becomes of a Pod on a node, for tests that have no kubelet. */
import { deepEqual, formatTime, podCondition, type Instant, type Pod, type PodCondition } from '@kruise/objects';
import { lacksKruisePodReady } from '@kruise/pods';

export interface KubeletOptions {
  /** Images that never become ready. */
  readonly brokenImages?: ReadonlySet<string>;
}

/**
 * What the scheduler and the kubelet make of a Pod at `now`: scheduled, containers started or restarted for a new image, Ready as its
 * readiness gates say.
 */
export function kubeletStep(pod: Pod, now: Instant, options: KubeletOptions = {}): Pod {
  const image = pod.spec.containers[0]?.image ?? '';
  const resources = pod.spec.containers[0]?.resources;
  const running = pod.status?.containerStatuses?.[0];
  const isRestarting = running !== undefined && running.image !== image;
  const isReady = options.brokenImages?.has(image) !== true;
  const isGateOpen = (pod.spec.readinessGates ?? []).every(({ conditionType }) => podCondition(pod, conditionType)?.status === 'True');
  const condition = (type: string, on: boolean): PodCondition => {
    const held = podCondition(pod, type);
    const status = on ? 'True' : 'False';
    return held?.status === status ? held : { type, status, lastTransitionTime: formatTime(now) };
  };
  const kept = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready' && type !== 'ContainersReady');
  const startedAt = isRestarting ? formatTime(now) : (running?.state?.running?.startedAt ?? formatTime(now));
  return {
    ...pod,
    spec: { ...pod.spec, nodeName: pod.spec.nodeName ?? 'node1' },
    status: {
      phase: 'Running',
      conditions: [...kept, condition('ContainersReady', isReady), condition('Ready', isReady && isGateOpen)],
      containerStatuses: [
        {
          name: 'main',
          image,
          imageID: `sha256:${image}`,
          containerID: `containerd://${pod.metadata.name}-${image}`,
          ready: isReady,
          ...(resources === undefined ? {} : { resources }),
          restartCount: (running?.restartCount ?? 0) + (isRestarting ? 1 : 0),
          state: { running: { startedAt } },
        },
      ],
    },
  };
}

/** What the controller of condition KruisePodReady makes of a Pod that lacks it. */
export const withKruisePodReady = (pod: Pod): Pod =>
  lacksKruisePodReady(pod)
    ? { ...pod, status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), { type: 'KruisePodReady', status: 'True' }] } }
    : pod;

/** The kubelets of a simulation. They compare each Pod object once: what a step leaves as it is, later steps leave as it is, too. */
export class Kubelets {
  /** By Pod: whether its image was broken when a step changed nothing. */
  readonly #settled = new WeakMap<Pod, boolean>();

  /**
   * Returns what {@link kubeletStep} and {@link withKruisePodReady} make of a Pod.
   *
   * @param pod as the API server has it, which never changes an object in place
   * @returns undefined if they change nothing
   */
  change(pod: Pod, now: Instant, options: KubeletOptions = {}): Pod | undefined {
    const isBroken = options.brokenImages?.has(pod.spec.containers[0]?.image ?? '') === true;
    if (this.#settled.get(pod) === isBroken) return undefined;
    const next = kubeletStep(withKruisePodReady(pod), now, options);
    if (!deepEqual(pod, next)) return next;
    this.#settled.set(pod, isBroken);
    return undefined;
  }
}
