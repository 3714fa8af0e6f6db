/** How a kind names a revision on its Pods: the differences between the kinds, as data. */
import { labels } from '@kruise/api';
import type { ControllerRevision, Pod } from '@kruise/objects';
import { shortHash } from './revision-name.ts';

/** The way in which one kind names revisions on its Pods. */
export interface RevisionAdapter {
  /** The id of a revision in states and comparisons: its name, or the value of its own label `controller-revision-hash`. */
  readonly id: 'Name' | 'HashLabel';
  /** The value of the Pod's label `controller-revision-hash`: the id, or only the part after its last `-`. */
  readonly label: 'Id' | 'ShortHash';
  /** Whether Pods also have `pod-template-hash` (always the short hash). */
  readonly podTemplateHash: boolean;
  /** `ShortHash`: a Pod also belongs to a revision when only the parts after the last `-` are equal. */
  readonly equality: 'Exact' | 'ShortHash';
}

const byName: RevisionAdapter = { id: 'Name', label: 'Id', podTemplateHash: true, equality: 'ShortHash' };
const byShortHash: RevisionAdapter = { ...byName, label: 'ShortHash' };

/** Returns the adapter of CloneSet. @param useShortHash gate CloneSetShortHash */
export const cloneSetRevisions = (useShortHash: boolean): RevisionAdapter => (useShortHash ? byShortHash : byName);
/** The StatefulSet of group apps.kruise.io: Pods have the name of the revision. */
export const statefulSetRevisions: RevisionAdapter = { id: 'Name', label: 'Id', podTemplateHash: false, equality: 'Exact' };
/** The DaemonSet of group apps.kruise.io: Pods have the hash label of the revision. */
export const daemonSetRevisions: RevisionAdapter = { id: 'HashLabel', label: 'Id', podTemplateHash: false, equality: 'Exact' };

/** Returns the id of a revision, as in `UpdateSpec.revision` and the state annotation. '' when the revision lacks the label. */
export const revisionId = (adapter: RevisionAdapter, revision: ControllerRevision): string =>
  adapter.id === 'Name' ? revision.metadata.name : (revision.metadata.labels?.[labels.controllerRevisionHash] ?? '');

/**
 * Returns whether the Pod was created from, or updated to, the revision. A Pod without the label belongs to none.
 *
 * @param id as {@link revisionId} returns it
 * @see spec/inplace-update.md 3.6
 */
export function isOfRevision(adapter: RevisionAdapter, pod: Pod, id: string): boolean {
  const carried = pod.metadata.labels?.[labels.controllerRevisionHash];
  if (carried === undefined || carried === '' || id === '') return false;
  return carried === id || (adapter.equality === 'ShortHash' && shortHash(carried) === shortHash(id));
}

/** Returns the labels that name the revision of a Pod. */
export function revisionLabels(adapter: RevisionAdapter, id: string): Readonly<Record<string, string>> {
  const written = { [labels.controllerRevisionHash]: adapter.label === 'Id' ? id : shortHash(id) };
  return adapter.podTemplateHash ? { ...written, [labels.podTemplateHash]: shortHash(id) } : written;
}

/**
 * Returns the revision of a Pod.
 *
 * @param revisions any order; equal hashes do not occur within one workload
 * @returns undefined when the history no longer contains it, or the Pod has no label
 */
export const revisionOfPod = (
  adapter: RevisionAdapter,
  pod: Pod,
  revisions: readonly ControllerRevision[],
): ControllerRevision | undefined => revisions.find((revision) => isOfRevision(adapter, pod, revisionId(adapter, revision)));
