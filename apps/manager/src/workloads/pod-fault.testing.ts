import type { Pod } from '@kruise/objects';

/** Returns the Pod, not ready: a container crashes, and waits for its next start or runs; or it cannot pull its image. */
export function withFault(pod: Pod, isCrashing: boolean, isWaiting: boolean): Pod {
  const conditions = (pod.status?.conditions ?? []).map((one) => (one.type === 'Ready' ? { ...one, status: 'False' as const } : one));
  const waits = isCrashing ? 'CrashLoopBackOff' : 'ImagePullBackOff';
  const state = isCrashing && !isWaiting ? { running: { startedAt: '2999-01-01T00:00:00Z' } } : { waiting: { reason: waits } };
  const lastState = isCrashing ? { terminated: { exitCode: 1 } } : {};
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((one) => ({
    ...one,
    ready: false,
    restartCount: 2,
    state,
    lastState,
  }));
  return { ...pod, status: { ...pod.status, conditions, containerStatuses } };
}
