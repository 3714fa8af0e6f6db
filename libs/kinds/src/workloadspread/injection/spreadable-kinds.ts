/** Which workloads are spread, and which owners may be between them and their Pods. Pure. @see spec/workloadspread.md 4.2 */
import { cloneSets, isSpreadable, statefulSets } from '@kruise/api';
import { jobs, type ResourceType } from '@kruise/objects';
import { builtInStatefulSets, deployments, replicaSets, isSameKind, type GroupKind, type WhiteListedKind } from '@kruise/workloads';

/** Those that every cluster may spread. */
const spreadableTypes: readonly ResourceType[] = [cloneSets, deployments, replicaSets, jobs, builtInStatefulSets, statefulSets];

export const spreadableType = (kind: GroupKind): ResourceType | undefined => spreadableTypes.find((type) => isSameKind(type, kind));

/** Listed kinds, and the kinds between them and their Pods. */
export const ownerKinds = (listed: readonly WhiteListedKind[]): readonly GroupKind[] =>
  listed.flatMap(({ group, kind, subResources = [] }) => [{ group, kind }, ...subResources]);

/** Whether Pods of such an owner may be spread. */
export const isOwnerKind = (owner: GroupKind, listed: readonly WhiteListedKind[]): boolean =>
  isSpreadable(owner) || ownerKinds(listed).some((kind) => isSameKind(kind, owner));

/** Whether a workload of the target's kind may own the owner; what is built in is owned by few. */
export function mayBeAbove(target: GroupKind, owner: GroupKind): boolean {
  if (!isSpreadable(owner) || !isSpreadable(target)) return true;
  return isSameKind(owner, replicaSets) && isSameKind(target, deployments);
}
