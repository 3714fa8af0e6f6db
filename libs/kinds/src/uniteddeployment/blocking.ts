/** What holds the children up, by their own word. Pure. @see spec/uniteddeployment.md 6 */
import { conditionTypes } from '@kruise/api';
import { refusalReason, type BlockingCause, type BlockingReason } from '@kruise/workloads';
import type { ChildObject } from './snapshot/child-kinds.ts';
import { isReserve, type Judged } from './children/judged.ts';

/** Kinds of this project say it in a condition of that name, Deployments when Pods cannot be made; StatefulSets of Kubernetes say nothing. */
function causeIn({ metadata, status }: ChildObject): BlockingCause | undefined {
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const shown = (status?.conditions ?? []).filter((condition) => condition.status === 'True');
  const own = shown.find(({ type }) => type === conditionTypes.blocked);
  if (own !== undefined) return { reason: (own.reason ?? 'NotReady') as BlockingReason, message: own.message ?? '' };
  const failure = shown.find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return undefined;
  const { message = '' } = failure;
  return { reason: refusalReason(message) ?? 'ScalingFails', message };
}

/** Pods that find no node are seen to where others stand in for them. */
const isSeenTo = ({ verdict }: Judged, { reason }: BlockingCause): boolean =>
  reason === 'Unschedulable' && isReserve(verdict) && verdict.isUnschedulable;

/** The first cause, in the order of the subsets. */
export function blockingOf(judged: readonly Judged[]): BlockingCause | undefined {
  for (const one of judged) {
    const cause = one.child === undefined ? undefined : causeIn(one.child.object);
    if (cause !== undefined && !isSeenTo(one, cause)) return { ...cause, message: `subset ${one.subset.name}: ${cause.message}` };
  }
  return undefined;
}
