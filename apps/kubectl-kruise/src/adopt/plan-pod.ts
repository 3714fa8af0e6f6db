/** The one write that gives a Pod its new owner and the labels by which the owner counts it as updated. */
import { cloneSetLabels, labels } from '@kruise/api';
import {
  controllerOf,
  createMergePatch,
  deepEqual,
  fnv1a,
  safeAlphabet,
  safeEncode,
  type JsonObject,
  type OwnerReference,
} from '@kruise/objects';
import { shortHash } from '@kruise/pods';
import type { Untyped } from '../objects/untyped.ts';
import type { AdoptableKind } from './observed/directions.ts';

/** Label values have at most this many characters. */
const longestLabel = 63;
const idLength = 5;

/** Who takes over the Pods. */
export interface NewOwner {
  readonly kind: AdoptableKind;
  /** The reference to the target, or to its ReplicaSet. */
  readonly reference: OwnerReference;
  /** The revision as the status names it, or the hash of the ReplicaSet; undefined while it is not known. */
  readonly revision: string | undefined;
}

/** Controllers of Kruise write the lifecycle state of each Pod; removing it would be undone. */
const isBuiltin: Readonly<Record<AdoptableKind, boolean>> = {
  Deployment: true,
  StatefulSet: true,
  DaemonSet: true,
  CloneSet: false,
  AdvancedStatefulSet: false,
  AdvancedDaemonSet: false,
};

/** Labels that only the former owner reads; those that the new one sets are not among them. */
const formerLabels: readonly string[] = [
  labels.controllerRevisionHash,
  labels.podTemplateHash,
  labels.podTemplateGeneration,
  labels.lifecycleState,
  cloneSetLabels.instanceId,
];

/** Returns the id of a Pod: the end of its name, as Deployment and CloneSet generate it, else one that follows from its UID. */
function instanceIdFor({ metadata: { name, uid = '' } }: Untyped): string {
  const end = shortHash(name);
  const isId = end.length === idLength && [...end].every((character) => safeAlphabet.includes(character));
  return isId
    ? end
    : safeEncode(String(fnv1a(uid)))
        .padEnd(idLength, safeAlphabet)
        .slice(0, idLength);
}

const fitting = (revision: string): string => (revision.length > longestLabel ? shortHash(revision) : revision);

function newLabels(pod: Untyped, kind: AdoptableKind, revision: string): Readonly<Record<string, string>> {
  switch (kind) {
    case 'CloneSet':
      return {
        [labels.controllerRevisionHash]: fitting(revision),
        [labels.podTemplateHash]: shortHash(revision),
        [cloneSetLabels.instanceId]: pod.metadata.labels?.[cloneSetLabels.instanceId] ?? instanceIdFor(pod),
      };
    case 'Deployment':
      return { [labels.podTemplateHash]: revision };
    case 'StatefulSet':
    case 'AdvancedStatefulSet':
    case 'DaemonSet':
    case 'AdvancedDaemonSet':
      return { [labels.controllerRevisionHash]: revision };
  }
}

/** Labels of a Pod that the template sets itself stay: only those above are exchanged. */
function labelsAfter(pod: Untyped, { kind, revision }: NewOwner): Readonly<Record<string, string>> {
  const before = pod.metadata.labels ?? {};
  if (revision === undefined) return before;
  const wanted = newLabels(pod, kind, revision);
  const former = isBuiltin[kind] ? formerLabels : formerLabels.filter((name) => name !== labels.lifecycleState);
  return { ...Object.fromEntries(Object.entries(before).filter(([name]) => !former.includes(name))), ...wanted };
}

/**
 * Returns the merge patch of a Pod; undefined when it has its new owner and all labels.
 *
 * @param owners UIDs of the former controllers, whose references are removed
 */
export function podPatch(pod: Untyped, to: NewOwner, owners: ReadonlySet<string>): JsonObject | undefined {
  const { metadata } = pod;
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => !owners.has(uid));
  const references = controllerOf(pod)?.uid === to.reference.uid ? others : [...others, to.reference];
  const before = metadata.labels ?? {};
  const changed = createMergePatch(before, labelsAfter(pod, to));
  const isOwned = deepEqual(references, metadata.ownerReferences ?? []);
  if (isOwned && Object.keys(changed).length === 0) return undefined;
  return {
    metadata: {
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(isOwned ? {} : { ownerReferences: references }),
      ...(Object.keys(changed).length === 0 ? {} : { labels: changed }),
    },
  };
}
