/** The PersistentPodState that a workload requests by annotations. Pure. @see spec/persistentpodstate.md 5.3 */
import { persistentPodStateAnnotations, type PersistentPodState } from '@kruise/api';
import { controllerOf, isControlledBy, ownMember, seconds, semanticEqual, type KubeObject, type Milliseconds } from '@kruise/objects';
import { groupKindOf, type FoundWorkload, targetOf, targetOfOwner, targetText } from '@kruise/workloads';

const names = persistentPodStateAnnotations;
/** Of the one preferred term. */
const weight = 100;
/** The garbage collector deletes the PersistentPodState of a deleted workload; the key is requeued after this time. */
const collectedAfter = seconds(5);

export interface GenerateSnapshot {
  /** Undefined if it is deleted. */
  readonly workload: FoundWorkload | undefined;
  /** The one with the workload's name, created by any client. */
  readonly held: PersistentPodState | undefined;
  /** All that are for the workload. */
  readonly targeting: readonly PersistentPodState[];
}

export type GenerateAction = { readonly because: string } & (
  | { readonly kind: 'Create'; readonly state: PersistentPodState }
  | { readonly kind: 'ChangeSpec'; readonly state: PersistentPodState; readonly spec: PersistentPodState['spec'] }
  | { readonly kind: 'Delete'; readonly state: PersistentPodState }
);

export interface GeneratePlan {
  readonly actions: readonly GenerateAction[];
  readonly requeueAfter?: Milliseconds;
}

const nothing: GeneratePlan = { actions: [] };

const annotationOf = ({ metadata }: Pick<KubeObject, 'metadata'>, key: string): string | undefined => {
  const value = ownMember(metadata.annotations ?? {}, key);
  return typeof value === 'string' ? value : undefined;
};

/** A list joined by commas; blanks around its items and empty items do not count. */
const listed = (workload: Pick<KubeObject, 'metadata'>, key: string): readonly string[] =>
  (annotationOf(workload, key) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const isWanted = (workload: Pick<KubeObject, 'metadata'>): boolean => annotationOf(workload, names.autoGenerate) === 'true';
const hasTopology = (workload: Pick<KubeObject, 'metadata'>): boolean =>
  listed(workload, names.requiredTopology).length > 0 || listed(workload, names.preferredTopology).length > 0;

/** Whether a workload requests one, judged by its annotations. */
export const asksForState = (workload: Pick<KubeObject, 'metadata'>): boolean => isWanted(workload) && hasTopology(workload);

/** Whether what a workload requests may have become another. */
export const asksForOtherState = (before: Pick<KubeObject, 'metadata'>, after: Pick<KubeObject, 'metadata'>): boolean =>
  [names.autoGenerate, names.requiredTopology, names.preferredTopology, names.podAnnotations].some(
    (key) => annotationOf(before, key) !== annotationOf(after, key),
  );

/** @param kept what the user has chosen beside: the retention policy, and the version in which the workload is named */
function specFor(workload: FoundWorkload, kept: PersistentPodState['spec'] | undefined): PersistentPodState['spec'] {
  const [required, preferred, annotations] = [names.requiredTopology, names.preferredTopology, names.podAnnotations].map((key) =>
    listed(workload, key),
  ) as [readonly string[], readonly string[], readonly string[]];
  const { apiVersion, kind, name } = workload;
  const policy = kept?.persistentPodStateRetentionPolicy;
  return {
    targetRef: kept?.targetRef ?? { apiVersion, kind, name },
    ...(required.length === 0 ? {} : { requiredPersistentTopology: { keys: required } }),
    ...(preferred.length === 0 ? {} : { preferredPersistentTopology: [{ weight, preference: { keys: preferred } }] }),
    ...(annotations.length === 0 ? {} : { persistentPodAnnotations: annotations.map((key) => ({ key })) }),
    ...(policy === undefined ? {} : { persistentPodStateRetentionPolicy: policy }),
  };
}

function newState(workload: FoundWorkload): PersistentPodState {
  const { apiVersion, kind, name, namespace, uid } = workload;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  return { metadata: { name, namespace, ownerReferences }, spec: specFor(workload, undefined) };
}

const textOf = (workload: FoundWorkload): string => targetText({ ...groupKindOf(workload), name: workload.name });

/** Whether it belongs to a workload that had this name before. */
function isOfForerunner(state: PersistentPodState, workload: FoundWorkload): boolean {
  const owner = controllerOf(state);
  return owner !== undefined && owner.uid !== workload.uid && targetText(targetOfOwner(owner)) === textOf(workload);
}

function planWanted(workload: FoundWorkload, { held, targeting }: GenerateSnapshot): GeneratePlan {
  if (held === undefined) {
    // A PersistentPodState of a user does the same, and admission would refuse a second one.
    if (targeting.some(({ metadata }) => metadata.deletionTimestamp === undefined)) return nothing;
    return { actions: [{ kind: 'Create', state: newState(workload), because: 'the annotations request it, and there is none' }] };
  }
  if (isOfForerunner(held, workload)) return { actions: [], requeueAfter: collectedAfter };
  if (!isControlledBy(held, workload.uid)) return nothing;
  const target = targetOf(held);
  // Its target cannot be changed, and a user meant another workload.
  if (target === undefined || targetText(target) !== textOf(workload)) return nothing;
  const spec = specFor(workload, held.spec);
  return semanticEqual(held.spec, spec)
    ? nothing
    : { actions: [{ kind: 'ChangeSpec', state: held, spec, because: 'the annotations of the workload request another spec' }] };
}

export function planGenerate(seen: GenerateSnapshot): GeneratePlan {
  const { workload, held } = seen;
  // The garbage collector deletes what belongs to a deleted workload.
  if (workload === undefined || workload.isBeingDeleted) return nothing;
  // Its deletion enqueues the workload again.
  if (held?.metadata.deletionTimestamp !== undefined) return nothing;
  if (isWanted(workload)) return hasTopology(workload) ? planWanted(workload, seen) : nothing;
  return held !== undefined && isControlledBy(held, workload.uid)
    ? { actions: [{ kind: 'Delete', state: held, because: 'the annotations no longer request it' }] }
    : nothing;
}
