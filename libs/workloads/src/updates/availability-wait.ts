/** Computes when time alone makes a Pod available. */
import { isPodReady, milliseconds, shortest, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import { isAvailable, podViewOf } from '../pods/pod-view.ts';

/** Availability is strict (later than, not at), so the requeue is a moment after. */
const moment = 50;

/** Returns when the next ready Pod becomes available; undefined when none does without a change. */
export function availabilityWait(
  pods: readonly Pod[],
  { minReadySeconds, now }: { readonly minReadySeconds: number; readonly now: Instant },
): Milliseconds | undefined {
  const minReady = minReadySeconds * 1000;
  if (minReady <= 0) return undefined;
  const waits = pods.flatMap((pod) => {
    const since = podViewOf(pod).readySince;
    const isWaiting = since !== undefined && isPodReady(pod) && !isAvailable(pod, { minReadySeconds, now });
    return isWaiting && since + minReady >= now ? [since + minReady - now] : [];
  });
  const wait = shortest(waits);
  return wait === undefined ? undefined : milliseconds(wait + moment);
}
