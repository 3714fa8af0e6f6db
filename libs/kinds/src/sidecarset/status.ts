/** The status of a SidecarSet, counted over its matched Pods. @see spec/sidecarset.md 5.5 step 3 */
import type { SidecarSet, SidecarSetStatus } from '@kruise/api';
import { deepEqual } from '@kruise/objects';
import type { Member } from './pods/pod-facts.ts';

const isSound = ({ consistent, ready }: Member): boolean => consistent && ready;

/** @param latestRevision name of the revision that holds the present version */
export function computeStatus(sidecarSet: SidecarSet, members: readonly Member[], latestRevision: string): SidecarSetStatus {
  const updated = members.filter((member) => member.updated);
  return {
    ...sidecarSet.status,
    matchedPods: members.length,
    updatedPods: updated.length,
    readyPods: members.filter(isSound).length,
    updatedReadyPods: updated.filter(isSound).length,
    latestRevision,
    collisionCount: sidecarSet.status?.collisionCount ?? 0,
    observedGeneration: sidecarSet.metadata.generation ?? 0,
  };
}

/** An absent counter is as good as 0: the original leaves some of them out. */
const filled = (status: Partial<SidecarSetStatus> | undefined): object => ({ updatedReadyPods: 0, collisionCount: 0, ...status });

/** Whether there is something to write; an older generation never replaces a newer one. */
export const isStatusChanged = ({ status: held }: SidecarSet, next: SidecarSetStatus): boolean =>
  (held?.observedGeneration ?? 0) <= (next.observedGeneration ?? 0) && !deepEqual(filled(held), filled(next));
