/** Hands the Pods over to the target that is on hold, until its controller counts all of them. */
import { labels } from '@kruise/api';
import { isTerminating, controllerOf, isControlledBy, memberAt, newControllerRef, numberAt, stringAt } from '@kruise/objects';
import { shortHash } from '@kruise/pods';
import { replicaSets } from '@kruise/workloads';
import { withMember, type Untyped } from '../objects/untyped.ts';
import type { AdoptableKind } from './observed/directions.ts';
import { isWithoutCreation, templatePatch, withoutCreation } from './held-target.ts';
import { isActive, isOrphanOf, isSettled, sourceOwners, sourcePods, uidOf, type Observed } from './observed/observed.ts';
import { podPatch, type NewOwner } from './plan-pod.ts';
import { patch, wait, write, type Step, type Write } from './step.ts';

/** Returns the hash of the Pods of a CloneSet, which they keep below the ReplicaSet. */
const keptHash = (source: Untyped): string => shortHash(stringAt(source, 'status', 'updateRevision') ?? '');

/** Returns the ReplicaSet with the template of a Deployment, such as the controller of the Deployment creates it. */
function newReplicaSet({ source, targetType }: Observed, target: Untyped): Untyped {
  const hash = keptHash(source);
  const { name, namespace } = target.metadata;
  const hashed = (object: unknown, ...path: readonly string[]): Untyped =>
    withMember(object as Untyped, [...path, labels.podTemplateHash], hash) as Untyped;
  const template = hashed(memberAt(target, 'spec', 'template'), 'metadata', 'labels');
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: memberAt(template, 'metadata', 'labels'),
      ownerReferences: [newControllerRef(target, targetType)],
    },
    spec: {
      replicas: numberAt(target, 'spec', 'replicas') ?? 1,
      ...(numberAt(target, 'spec', 'minReadySeconds') === undefined
        ? {}
        : { minReadySeconds: numberAt(target, 'spec', 'minReadySeconds') }),
      selector: hashed(memberAt(target, 'spec', 'selector'), 'matchLabels'),
      template,
    },
  } as unknown as Untyped;
}

/** With the UID of the source in place of one that only the API server gives. */
const withUid = (object: Untyped, { source }: Observed): Untyped => withMember(object, ['metadata', 'uid'], uidOf(source)) as Untyped;

/** Returns the ReplicaSet of a Deployment that does not exist yet, for a dry run. */
export const triedReplicaSet = (seen: Observed, final: Untyped): Untyped =>
  withoutCreation(newReplicaSet(seen, withUid(final, seen)), seen.source);

/** Returns the write that gives a Pod of the source its owner, for a dry run: plugins of the server may request rights on both. */
export function triedPatch(seen: Observed, final: Untyped): Extract<Write, { readonly kind: 'Patch' }> | undefined {
  const { to } = seen.direction;
  const [pod] = sourcePods(seen).filter(isActive);
  if (pod === undefined) return undefined;
  const owner = withUid(to === 'Deployment' ? triedReplicaSet(seen, final) : final, seen);
  const reference = newControllerRef(owner, to === 'Deployment' ? replicaSets : seen.targetType);
  // Without the former owners, of which one has the same UID.
  const others = pod.metadata.ownerReferences?.filter(({ uid }) => !sourceOwners(seen).has(uid)) ?? [];
  return { kind: 'Patch', object: pod, patch: { metadata: { ownerReferences: [...others, reference] } } };
}

const replicaSetOf = (seen: Observed, target: Untyped): Untyped | undefined =>
  seen.replicaSets.find((one) => isControlledBy(one, uidOf(target)) && one.metadata.name.endsWith(`-${keptHash(seen.source)}`));

const ownRevisions = ({ revisions }: Observed, target: Untyped): readonly Untyped[] =>
  revisions.filter((one) => isControlledBy(one, uidOf(target)));

/** The Pod spec of a revision. */
const inRevision = ['data', 'spec', 'template', 'spec'];

/** Returns the hash of the newest revision of a DaemonSet, whose status does not name it. */
function newestHash(seen: Observed, target: Untyped): string | undefined {
  const [newest] = ownRevisions(seen, target).toSorted((a, b) => (numberAt(b, 'revision') ?? 0) - (numberAt(a, 'revision') ?? 0));
  if (newest === undefined || isWithoutCreation(newest, seen.source, inRevision)) return undefined;
  return newest.metadata.labels?.[labels.controllerRevisionHash];
}

/** @returns undefined while the controller has not computed it for the final template */
function revisionOf(seen: Observed, target: Untyped): string | undefined {
  const { to } = seen.direction;
  if (to === 'Deployment') return keptHash(seen.source);
  if (!isSettled(target) || isWithoutCreation(target, seen.source)) return undefined;
  if (to === 'DaemonSet') return newestHash(seen, target);
  const named = stringAt(target, 'status', 'updateRevision') ?? stringAt(target, 'status', 'daemonSetHash') ?? '';
  return named === '' ? undefined : named;
}

interface Counted {
  readonly all: number;
  readonly updated: number;
}

/** How many Pods the status counts. @param owner the target, or its ReplicaSet */
function countedBy(kind: AdoptableKind, owner: Untyped, target: Untyped): Counted {
  const of = (object: Untyped, name: string): number => numberAt(object, 'status', name) ?? 0;
  if (kind === 'DaemonSet' || kind === 'AdvancedDaemonSet') {
    const scheduled = of(owner, 'currentNumberScheduled') + of(owner, 'numberMisscheduled');
    return { all: scheduled, updated: of(owner, 'updatedNumberScheduled') + of(owner, 'numberMisscheduled') };
  }
  return { all: of(owner, 'replicas'), updated: of(target, 'updatedReplicas') };
}

const podCount = (count: number): string => `${count} ${count === 1 ? 'Pod' : 'Pods'}`;

interface Handover {
  readonly target: Untyped;
  readonly owner: Untyped;
  readonly revision: string | undefined;
  /** Those that have ended are handed over as well. */
  readonly pods: readonly Untyped[];
  /** How many of them the target has to count. */
  readonly active: number;
}

function planPods(seen: Observed, { target, owner, revision, pods, active }: Handover): Step | undefined {
  const { to } = seen.direction;
  if (to === 'CloneSet' && revision === undefined) return wait('the controller of the target computes the revision');
  const type = to === 'Deployment' ? replicaSets : seen.targetType;
  const next: NewOwner = { kind: to, reference: newControllerRef(owner, type), revision };
  const former = sourceOwners(seen);
  const patches = pods.flatMap((pod) => {
    const members = podPatch(pod, next, former);
    return members === undefined ? [] : [patch(pod, members)];
  });
  if (patches.length > 0) return write(`handing over ${podCount(patches.length)}`, ...patches);
  if (!isSettled(owner)) return wait(`the controller of ${owner.kind ?? ''}/${owner.metadata.name} sees it`);
  const { all } = countedBy(to, owner, target);
  return all >= active ? undefined : wait(`the target counts ${all} of ${podCount(active)}`);
}

/** Takes back what keeps the target from creating Pods, when it counts every Pod as updated. */
function planCount(seen: Observed, { target, owner, revision, active }: Handover): Step | undefined {
  const { source, direction } = seen;
  if (isWithoutCreation(owner, source)) return write('setting the service account of the template', patch(owner, templatePatch(source)));
  const onHold = ownRevisions(seen, target).filter((one) => isWithoutCreation(one, source, inRevision));
  const { updated } = countedBy(direction.to, owner, target);
  if (revision === undefined || !isSettled(target)) return wait('the controller of the target computes the revision');
  if (updated < active) return wait(`the target counts ${updated} of ${podCount(active)} as updated`);
  if (onHold.length > 0)
    return write('deleting the revision of the hold', ...onHold.map((object) => ({ kind: 'Delete', object }) as const));
  return undefined;
}

/**
 * Returns the next step between the creation of the target and the end of the move.
 *
 * @param seen with the source as it was when the move began
 * @returns undefined when the target counts every Pod as updated
 */
export function planHandover(seen: Observed, target: Untyped): Step | undefined {
  const owner = seen.direction.to === 'Deployment' ? replicaSetOf(seen, target) : target;
  if (owner === undefined)
    return write('creating the ReplicaSet of the target, on hold', {
      kind: 'Create',
      object: withoutCreation(newReplicaSet(seen, target), seen.source),
    });
  const owners = new Set([...sourceOwners(seen), uidOf(owner)]);
  const isMoved = (pod: Untyped): boolean => owners.has(controllerOf(pod)?.uid ?? '') || isOrphanOf(seen, pod);
  const pods = seen.pods.filter((pod) => !isTerminating(pod) && isMoved(pod));
  const active = pods.filter(isActive).length;
  const handover: Handover = { target, owner, revision: revisionOf(seen, target), pods, active };
  return planPods(seen, handover) ?? planCount(seen, handover);
}
