import { broadcastJobObstacle, type BroadcastJob } from '@kruise/api';
import type { Examined } from '@kruise/workloads';

/** Returns whether the rules can work with a BroadcastJob that admission may not have checked. It has no selector. */
export function examine(job: BroadcastJob): { readonly kind: 'WellFormed' } | Extract<Examined, { readonly kind: 'Malformed' }> {
  const why = broadcastJobObstacle(job);
  return why === undefined ? { kind: 'WellFormed' } : { kind: 'Malformed', why };
}
