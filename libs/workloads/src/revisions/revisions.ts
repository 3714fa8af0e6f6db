/** The revisions of a workload's pass, and those that may be deleted. @see spec/inplace-update.md 3 */
import type { ControllerRevision, KubeObject, OwnerReference, Pod, PodTemplateSpec } from '@kruise/objects';
import { afterNameCollision, planHistory, planRevisions, type RevisionPlan, type RevisionsSeen } from '@kruise/pods';
import type { HistoryAction } from '../pods/pod-action.ts';

/** The revisions of a pass and the write that must come first, if any. */
export interface WorkloadRevisions extends RevisionPlan {
  /** Whether the update revision is not part of the history: it is used unchanged, and never written or deleted. */
  readonly isBorrowed: boolean;
}

/** Returns the parts of a revision of a workload that stores its Pod template. */
export const templateRevision = (
  { metadata, spec }: KubeObject & { readonly spec: { readonly template: PodTemplateSpec } },
  owner: OwnerReference,
): RevisionsSeen['source'] => ({
  namespace: metadata.namespace ?? '',
  parent: metadata.name,
  owner,
  template: spec.template,
  annotations: metadata.annotations ?? {},
});

/** Revisions of a namespace with any owner. */
interface RevisionsByName {
  readonly get: (name: string) => ControllerRevision | undefined;
}

/**
 * Returns the revisions of this pass. When the name is in use by a revision that is not part of the history (another owner, other labels), that
 * revision is used if it contains the same template, and nothing needs to be written. It remains the current revision when the template changes.
 *
 * @param held every revision of the namespace by name, also those that are not part of the history
 * @see spec/inplace-update.md 3.3
 */
export function planWorkloadRevisions(seen: RevisionsSeen, held: RevisionsByName): WorkloadRevisions {
  const planned = planRevisions(seen);
  const { update, actions, isBorrowed } = borrowed(planned, held);
  const isListed = seen.listed.some(({ metadata }) => metadata.name === seen.currentName);
  const known = isListed ? planned.current : held.get(seen.currentName);
  const isSame = known === undefined || known.metadata.name === update.metadata.name;
  return { update, current: isSame ? update : known, actions, isBorrowed };
}

/** Returns the update revision, which need not be created when its name is in use by one with the same template. */
function borrowed({ update, actions }: RevisionPlan, held: RevisionsByName): Omit<WorkloadRevisions, 'current'> {
  const [action] = actions;
  const holder = action?.kind === 'CreateRevision' ? held.get(action.attempt.revision.metadata.name) : undefined;
  const isUsable =
    action?.kind === 'CreateRevision' && holder !== undefined && afterNameCollision(action.attempt, holder).kind !== 'TryAgain';
  return isUsable ? { update: holder, actions: [], isBorrowed: true } : { update, actions, isBorrowed: false };
}

/** A history, and what keeps revisions in it. */
export interface HistorySeen {
  /** Oldest first. */
  readonly revisions: readonly ControllerRevision[];
  /** Current and update revision. */
  readonly live: readonly ControllerRevision[];
  readonly pods: readonly Pod[];
  readonly isOf: (pod: Pod, revision: string) => boolean;
  /** How many unused revisions are kept; 0 or more. */
  readonly limit: number;
}

/** Returns revisions that are neither live nor that of a Pod, beyond the limit, oldest first. @see spec/cloneset.md 5.2 step 13 */
export function planHistoryCleanup({ revisions, live, pods, isOf, limit }: HistorySeen): readonly HistoryAction[] {
  const names = new Set(live.map(({ metadata }) => metadata.name));
  const isLive = ({ metadata }: ControllerRevision): boolean => names.has(metadata.name) || pods.some((pod) => isOf(pod, metadata.name));
  const because = `more than ${limit} old revisions`;
  return planHistory(revisions, isLive, { unused: limit }).map((revision) => ({ kind: 'DeleteRevision', revision, because }));
}
