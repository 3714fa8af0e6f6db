/**
 * Decides the next step of a move from what the API server has, so that a run continues wherever an earlier one ended.
 *
 * ```
 * mark the source -> delete it, orphaning (the finalizer keeps it) -> [its ReplicaSets likewise] -> create the target, held
 *   -> [create its ReplicaSet, held] -> Pods: owner and labels -> the target counts all of them -> record how its hold ends
 *   -> let the source go -> end the hold
 * ```
 *
 * The controller of the source does nothing from the deletion on, and that of the target nothing until the hold ends. No Pod therefore has two
 * controllers that act. The garbage collector never sees a Pod whose owner no longer exists, because the source stays until no Pod refers to it.
 * The source is released in the version that was recorded. Every change of it therefore reaches the target, or is refused because the source does
 * not exist any more.
 *
 * @see docs/decisions/adopt.md
 */
import { controllerOf, counted, isTerminating } from '@kruise/objects';
import { finalTarget } from '../target-spec.ts';
import { carriedText, planCopies, planRelease, planTidying, releasePatch } from './plan-release.ts';
import { largestAnnotations } from './annotation-room.ts';
import { releaseRecordOf } from './compute-release.ts';
import { adoptRelease } from './release-record.ts';
import { heldTarget } from '../held-target.ts';
import { planHandover } from '../plan-handover.ts';
import {
  adoptMark,
  isActive,
  isBeingOrphaned,
  isHeld,
  isMarked,
  isMovedAndKept,
  isOrphanOf,
  isSettled,
  replicaSetsOf,
  sourceOwners,
  uidOf,
  type Observed,
} from '../observed/observed.ts';
import type { Refusal } from '../refusal.ts';
import { refusalsOf } from './refusals.ts';
import { adoptRecord, asStarted, recordOf } from './source-record.ts';
import { patch, wait, write, type Step } from '../step.ts';
import type { Untyped } from '../../objects/untyped.ts';

const withoutHold = ({ metadata }: Untyped): readonly string[] => (metadata.finalizers ?? []).filter((name) => name !== adoptMark);
const withHold = (object: Untyped): readonly string[] => [...withoutHold(object), adoptMark];

/** Returns the value of the mark on the source. */
export const markOf = (word: string, name: string): string => `${word}/${name}`;

/** The ReplicaSets that may have copies of the mark of the source. */
const copiesOf = (seen: Observed): readonly Untyped[] => (seen.direction.from === 'Deployment' ? replicaSetsOf(seen, seen.source) : []);

/** Before the deletion of the source, everything can be taken back. */
function planStart(seen: Observed, mark: string): Step {
  const { source } = seen;
  // A new annotation of a Deployment is a new generation.
  if (isMarked(source) && !isSettled(source)) return wait('the controller of the source sees the mark');
  const refusals = refusalsOf(seen);
  if (refusals.length > 0) {
    if (!isMarked(source)) return planCopies(source, copiesOf(seen)) ?? { kind: 'Refuse', refusals };
    const metadata = { annotations: { [adoptMark]: null, [adoptRecord]: null }, finalizers: withoutHold(source) };
    return write('removing the mark from the source, which cannot be moved', patch(source, { metadata }));
  }
  const record = recordOf(seen);
  const annotations = source.metadata.annotations ?? {};
  // Annotations without the finalizer are from an earlier ReplicaSet, from which `rollout undo` has copied them.
  if (annotations[adoptMark] !== mark || annotations[adoptRecord] !== record || !isHeld(source)) {
    const metadata = { annotations: { [adoptMark]: mark, [adoptRecord]: record }, finalizers: withHold(source) };
    return write('marking the source to keep it until the end', patch(source, { metadata }));
  }
  return write('deleting the source without its Pods; the finalizer keeps it', { kind: 'Orphan', object: source });
}

const controlsPods = ({ pods }: Observed, uid: string): boolean => pods.some((pod) => controllerOf(pod)?.uid === uid);

/** Makes the ReplicaSets of a Deployment let go of their Pods. @returns undefined when they have */
function planReplicaSets(seen: Observed): Step | undefined {
  const own = replicaSetsOf(seen, seen.source);
  const unheld = own.filter((one) => !isTerminating(one) && !isHeld(one) && controlsPods(seen, uidOf(one)));
  if (unheld.length > 0)
    return write(
      'marking the ReplicaSet to keep it until the end',
      ...unheld.map((one) => patch(one, { metadata: { finalizers: withHold(one) } })),
    );
  const live = own.filter((one) => !isTerminating(one));
  if (live.length > 0)
    return write(
      `deleting ${live.length === 1 ? 'the ReplicaSet' : `${live.length} ReplicaSets`} without Pods; the finalizer keeps the one in use`,
      ...live.map((object) => ({ kind: 'Orphan', object }) as const),
    );
  return own.some(isBeingOrphaned) ? wait('the garbage collector releases the Pods of the ReplicaSet') : undefined;
}

const leftRevisions = ({ revisions, source }: Observed): readonly Untyped[] =>
  revisions.filter((one) => controllerOf(one) === undefined && one.metadata.name.startsWith(`${source.metadata.name}-`));

/** Another client created an object with the name of the target after the source was deleted. */
const foreignTarget = ({ targetType, targetName }: Observed, count: number): Refusal => ({
  of: `${targetType.kind}/${targetName}`,
  field: 'metadata.annotations',
  message: `another client created it while the move ran, and ${counted(count, 'Pod has', 'Pods have')} no controller; delete it with --cascade=orphan, and run adopt again`,
});

/** A deletion that another client repeated without `Orphan` leaves the references of claims, with which they would be deleted. */
function planClaims({ source, claims }: Observed): Step | undefined {
  const isOther = ({ uid }: { readonly uid: string }): boolean => uid !== uidOf(source);
  const left = claims.filter(({ metadata }) => metadata.ownerReferences?.every(isOther) === false);
  if (left.length === 0) return undefined;
  return write(
    'removing the source as owner of the claims',
    ...left.map((claim) => patch(claim, { metadata: { ownerReferences: claim.metadata.ownerReferences?.filter(isOther) ?? [] } })),
  );
}

/** Lets go of what was kept, once no Pod and no claim refers to it. @returns undefined when nothing is kept */
function planEnd(seen: Observed): Step | undefined {
  const { source } = seen;
  const owners = sourceOwners(seen);
  const left = seen.pods.filter(({ metadata }) => (metadata.ownerReferences ?? []).some(({ uid }) => owners.has(uid)));
  if (left.length > 0) return wait(`${counted(left.length, 'Pod refers', 'Pods refer')} to the source`);
  const abandoned = seen.pods.filter((pod) => isOrphanOf(seen, pod) && isActive(pod));
  if (abandoned.length > 0) return { kind: 'Refuse', refusals: [foreignTarget(seen, abandoned.length)] };
  const claims = planClaims(seen);
  if (claims !== undefined) return claims;
  const history = seen.direction.to === 'Deployment' ? leftRevisions(seen) : [];
  if (history.length > 0)
    return write(
      'deleting the revisions of the source, which a Deployment does not read',
      ...history.map((object) => ({ kind: 'Delete', object }) as const),
    );
  const kept = seen.direction.from === 'Deployment' ? replicaSetsOf(seen, source).filter((one) => isTerminating(one) && isHeld(one)) : [];
  const letGo = (object: Untyped): ReturnType<typeof patch> => patch(object, { metadata: { finalizers: withoutHold(object) } });
  if (kept.length > 0) return write('releasing the ReplicaSet', ...kept.map(letGo));
  return isHeld(source) ? write('releasing the source', letGo(source)) : undefined;
}

/** Clients have changed the source so much that the changes do not fit into the record. */
const largeChanges = (bytes: number): Refusal => ({
  field: 'spec, metadata',
  message: `its changes during the move make ${bytes} bytes of annotations on the target; an object may have ${largestAnnotations}: take the largest change back, and run adopt again`,
});

/** Ends the move when the target counts every Pod: from the record on, the source may not exist any more. */
function planRecorded(seen: Observed, started: Observed, target: Untyped): Step {
  const recording = releaseRecordOf(seen, started, target);
  if (recording.kind === 'TooLarge') return { kind: 'Refuse', refusals: [largeChanges(recording.bytes)] };
  const { record, text } = recording;
  if (target.metadata.annotations?.[adoptRelease] !== text)
    return write(`recording how the hold ends${carriedText(record)}`, {
      ...patch(target, { metadata: { annotations: { [adoptRelease]: text } } }),
      tried: releasePatch(target, record),
    });
  return planEnd(seen) ?? planRelease(target, seen.targetType, record);
}

/** The source is deleted, and a target with a mark cannot take its Pods. @returns undefined when it can, or has none */
function planUnusable({ source, target, targetType, targetName }: Observed): Step | undefined {
  if (target === undefined || !isMarked(target)) return undefined;
  if (target.metadata.annotations?.[adoptMark] !== uidOf(source)) {
    const message =
      'it is the target of another move; choose another name: write it into this annotation of the source, and run adopt with --name';
    return { kind: 'Refuse', refusals: [{ of: `${targetType.kind}/${targetName}`, field: `metadata.annotations[${adoptMark}]`, message }] };
  }
  // Pods that it got now would be collected with it.
  return isTerminating(target) ? wait(`${targetType.kind}/${targetName}, which is on hold, is being deleted by another client`) : undefined;
}

/** A client changed the template of the source after its deletion, and removed the revision that the Pods run. */
const lostTemplate = (revision: string): Refusal => ({
  field: 'spec.template',
  message: `it was changed after the move began, and revision ${JSON.stringify(revision)}, which the Pods run, does not exist; restore the template, and run adopt again`,
});

/** From the creation of the target on, which is on hold. */
function planTarget(seen: Observed): Step {
  const { source, target, direction } = seen;
  const started = asStarted(seen);
  if (started.kind === 'Lost') return { kind: 'Refuse', refusals: [lostTemplate(started.revision)] };
  if (target !== undefined) return planHandover(started.seen, target) ?? planRecorded(seen, started.seen, target);
  const object = heldTarget(finalTarget(started.seen), direction.to, source);
  return write('creating the target, on hold', { kind: 'Create', object });
}

/**
 * Returns the next step.
 *
 * @param mark as {@link markOf} returns it
 */
export function planAdoption(seen: Observed, mark: string): Step {
  const { source, target, direction } = seen;
  if (!isTerminating(source) || !isMarked(source)) return planStart(seen, mark);
  if (isBeingOrphaned(source)) return wait('the garbage collector releases the Pods of the source');
  const unusable = planUnusable(seen);
  if (unusable !== undefined) return unusable;
  if (target !== undefined && isMovedAndKept(seen)) return planTidying(target, seen.replicaSets);
  if (target !== undefined && !isMarked(target)) return planEnd(seen) ?? { kind: 'Done' };
  const orphaning = direction.from === 'Deployment' ? planReplicaSets(seen) : undefined;
  if (orphaning !== undefined) return orphaning;
  return planTarget(seen);
}
