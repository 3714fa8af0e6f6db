/** What a move is decided on, and the marks that it leaves on objects while it runs. */
import { labels } from '@kruise/api';
import { isTerminating, controllerOf, isControlledBy, memberAt, numberAt, type ResourceType } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import type { AdoptableKind, Direction } from './directions.ts';

/**
 * On the source: the target as `<plural>.<group>/<name>`. On the target: the UID of the source, until the move ends. The finalizer of the same name
 * keeps the source, which is being deleted by then, so that a second run finds what the target has to become.
 */
export const adoptMark = 'kubectl-kruise/adopt';

/** All that concerns one move, as the API server has it. */
export interface Observed {
  readonly direction: Direction;
  readonly targetType: ResourceType;
  readonly targetName: string;
  readonly source: Untyped;
  readonly target: Untyped | undefined;
  /** Those that the selector matches; only for a Deployment on either side. */
  readonly replicaSets: readonly Untyped[];
  /** Those that the selector matches, with any owner. */
  readonly pods: readonly Untyped[];
  /** ControllerRevisions that the selector matches, with any owner. */
  readonly revisions: readonly Untyped[];
  /** PersistentVolumeClaims of the namespace, if {@link ownsClaims}; else none. */
  readonly claims: readonly Untyped[];
}

/** Returns whether claims refer to the source: a StatefulSet that deletes them with itself. */
export const ownsClaims = (source: Untyped): boolean =>
  memberAt(source, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted') === 'Delete';

export const uidOf = ({ metadata }: Untyped): string => metadata.uid ?? '';
export const isMarked = ({ metadata }: Untyped): boolean => metadata.annotations?.[adoptMark] !== undefined;
export const isHeld = ({ metadata }: Untyped): boolean => metadata.finalizers?.includes(adoptMark) === true;

/** Those of the garbage collector, which are removed without another program. */
const collectorFinalizers: readonly string[] = ['orphan', 'foregroundDeletion'];

/** Returns the finalizers with which other programs keep an object. */
export const foreignFinalizers = ({ metadata }: Untyped): readonly string[] =>
  (metadata.finalizers ?? []).filter((name) => name !== adoptMark && !collectorFinalizers.includes(name));

/** Returns whether a move has ended although its source exists: only other programs keep it. */
export const isMovedAndKept = ({ source, target }: Observed): boolean =>
  isTerminating(source) && isMarked(source) && !isHeld(source) && target !== undefined && !isMarked(target);

/** Returns whether the garbage collector has yet to remove the references to the object. */
export const isBeingOrphaned = ({ metadata }: Untyped): boolean => metadata.finalizers?.includes('orphan') === true;

/** Returns whether the status is of the present spec. */
export const isSettled = (object: Untyped): boolean =>
  (numberAt(object, 'status', 'observedGeneration') ?? 0) === (object.metadata.generation ?? 0);

/** Returns whether the Pod counts: neither finished nor being deleted. */
export const isActive = (pod: Untyped): boolean =>
  !isTerminating(pod) && !['Succeeded', 'Failed'].includes(String(memberAt(pod, 'status', 'phase')));

/** Returns the ReplicaSets of a Deployment by the rule of its controller: an orphan that its selector matches is its own. */
export const replicaSetsOf = ({ replicaSets }: Observed, deployment: Untyped): readonly Untyped[] =>
  replicaSets.filter((one) => controllerOf(one) === undefined || isControlledBy(one, uidOf(deployment)));

/** Returns the UIDs of the objects that may control Pods of the source. */
export function sourceOwners(seen: Observed): ReadonlySet<string> {
  const { direction, source } = seen;
  const owners = direction.from === 'Deployment' ? replicaSetsOf(seen, source) : [source];
  return new Set(owners.map(uidOf));
}

/** Returns the Pods that an object of the source controls. */
export function sourcePods(seen: Observed): readonly Untyped[] {
  const owners = sourceOwners(seen);
  return seen.pods.filter((pod) => owners.has(controllerOf(pod)?.uid ?? ''));
}

/** The label that every Pod gets from its controller. Pods of other clients do not have it, even if the selector matches them. */
export const givenLabelOf: Readonly<Record<AdoptableKind, string>> = {
  Deployment: labels.podTemplateHash,
  CloneSet: labels.controllerRevisionHash,
  StatefulSet: labels.controllerRevisionHash,
  AdvancedStatefulSet: labels.controllerRevisionHash,
  DaemonSet: labels.controllerRevisionHash,
  AdvancedDaemonSet: labels.controllerRevisionHash,
};

/** Returns whether the Pod has lost its controller with the source. */
export const isOrphanOf = ({ direction }: Observed, pod: Untyped): boolean =>
  controllerOf(pod) === undefined && pod.metadata.labels?.[givenLabelOf[direction.from]] !== undefined;
