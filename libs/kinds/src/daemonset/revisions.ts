/** The revisions of a DaemonSet's pass: its own label, and duplicates, come on top of what all workloads do. Pure. @see spec/daemonset.md 5.4 */
import { labels } from '@kruise/api';
import { controllerOf, type ControllerRevision, type Pod, memoizedPair } from '@kruise/objects';
import {
  daemonSetNaming,
  daemonSetRevisions,
  isEqualRevision,
  isOfRevision,
  planHistory,
  revisionId,
  settledRevision,
  shortHash,
} from '@kruise/pods';
import { planWorkloadRevisions, templateRevision, type HistoryAction, type PodAction } from '@kruise/workloads';
import type { Action } from './action.ts';
import { ownerReferenceTo } from './pods/new-pod.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export interface DaemonSetRevisions {
  readonly update: ControllerRevision;
  /** Of the update revision, as its Pods carry it. */
  readonly hash: string;
  /** What has to be written before anything else is decided. */
  readonly actions: readonly Action[];
  /** Whether the update revision is not of the history: used as it is, and never changed or deleted. */
  readonly isBorrowed: boolean;
}

type Seen = Pick<Snapshot, 'set' | 'revisions' | 'heldRevisions'>;

const hashOf = (revision: ControllerRevision): string => revisionId(daemonSetRevisions, revision);

/** Pods carry the hash of their revision. Older controllers wrote no hash on revisions; then the name replaces it. */
const planMissingHashes = ({ revisions }: Seen): readonly Action[] =>
  revisions
    .filter((revision) => hashOf(revision) === '')
    .map((revision) => ({
      kind: 'LabelRevision',
      revision,
      labels: { [labels.controllerRevisionHash]: revision.metadata.name },
      because: 'Pods could not say that they are of it',
    }));

/** `status.updateRevision` is a hash, where other kinds write a name. */
function settledName({ set, revisions }: Seen): string | undefined {
  const hash = settledRevision(set);
  return hash === undefined ? undefined : revisions.find((revision) => hashOf(revision) === hash)?.metadata.name;
}

/** A revision whose labels a user removed is in no history. It was found by its name, which ends in the hash that its Pods carry. */
const withHash = (revision: ControllerRevision): ControllerRevision =>
  hashOf(revision) === ''
    ? { ...revision, metadata: { ...revision.metadata, labels: { [labels.controllerRevisionHash]: shortHash(revision.metadata.name) } } }
    : revision;

/** The hash that Pods of the revision carry, and `status.updateRevision`. */
export const hashOfPods = (revision: ControllerRevision): string => hashOf(withHash(revision));

/** While one of these actions is pending, nothing else is planned. */
export function planDaemonSetRevisions(seen: Seen): DaemonSetRevisions {
  const { set, revisions, heldRevisions } = seen;
  const { update, actions, isBorrowed } = planWorkloadRevisions(
    {
      listed: revisions,
      currentName: '',
      collisionCount: set.status?.collisionCount ?? 0,
      settledName: settledName(seen),
      source: { ...templateRevision(set, ownerReferenceTo(set)), naming: daemonSetNaming },
    },
    heldRevisions,
  );
  const named = isBorrowed ? withHash(update) : update;
  return { update: named, hash: hashOf(named), actions: [...planMissingHashes(seen), ...actions], isBorrowed };
}

/** Compared once: stores share objects, and comparing templates costs more than the rest of a pass that changes nothing. */
const holdsSame = memoizedPair(isEqualRevision);

export interface Duplicates {
  /** Their names: the limit of the history is not about them. */
  readonly names: ReadonlySet<string>;
  /** Pods that carry the hash of a duplicate get that of the revision that is kept. */
  readonly labels: readonly PodAction[];
  /** The duplicates, once no Pod carries the hash of one. */
  readonly deletions: readonly HistoryAction[];
}

/**
 * Several revisions may hold the template of today, of two controllers that did not see each other's: the latest is kept. Only Pods of the others are
 * relabelled, as every other Pod is still to be updated.
 */
export function planDuplicates({ set, revisions }: Seen, { update }: DaemonSetRevisions, pods: readonly Pod[]): Duplicates {
  const isOwn = (revision: ControllerRevision): boolean => controllerOf(revision)?.uid === set.metadata.uid;
  const duplicates = revisions.filter(
    (revision) => revision.metadata.name !== update.metadata.name && isOwn(revision) && holdsSame(revision, update),
  );
  const kept = { [labels.controllerRevisionHash]: hashOf(update) };
  const because = `revision ${update.metadata.name} holds the same template`;
  const relabelled = duplicates.flatMap((duplicate) =>
    pods
      .filter((pod) => isOfRevision(daemonSetRevisions, pod, hashOf(duplicate)))
      .map((pod): PodAction => ({ kind: 'LabelPod', pod, labels: kept, because })),
  );
  return {
    names: new Set(duplicates.map(({ metadata }) => metadata.name)),
    labels: relabelled,
    deletions: relabelled.length > 0 ? [] : duplicates.map((revision) => ({ kind: 'DeleteRevision', revision, because })),
  };
}

/**
 * Old revisions beyond the limit that no Pod carries, oldest first.
 *
 * @param notCounted names of revisions that are no old ones: the update revision, and its duplicates
 */
export function planOldRevisions(
  { set, revisions }: Seen,
  notCounted: { readonly has: (name: string) => boolean },
  pods: readonly Pod[],
): readonly HistoryAction[] {
  const all = set.spec.revisionHistoryLimit ?? 10;
  const old = revisions.filter(({ metadata }) => !notCounted.has(metadata.name));
  const isLive = (revision: ControllerRevision): boolean => pods.some((pod) => isOfRevision(daemonSetRevisions, pod, hashOf(revision)));
  return planHistory(old, isLive, { all }).map((revision) => ({
    kind: 'DeleteRevision',
    revision,
    because: `more than ${all} old revisions`,
  }));
}
