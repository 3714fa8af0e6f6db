/**
 * What may never be seen of StatefulSets, at no moment of a recorded history. Pure.
 *
 * A manager decides on what it knew a moment ago: what has changed within {@link grace} is given the benefit of the doubt.
 * @see docs/spec/statefulset.md 5 and 8
 */
import { ordinalSlots, parsePodOrdinal, parseReservedOrdinals, type StatefulSet } from '@kruise/api';
import { controllerOf, groupOf, isPodReady, type KubeObject, type OwnerReference, type Pod } from '@kruise/objects';
import type { Change, RecordedKind } from './change.ts';

/** In ms; far more than any reconcile takes, far less than what stays broken. */
const grace = 5_000;

/** A deletion that the manager requested, as the audit log has it. */
export interface AskedDeletion {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly options: { readonly preconditions?: { readonly uid?: string }; readonly gracePeriodSeconds?: number };
}

interface Held {
  readonly object: KubeObject;
  /** When its spec last changed. */
  readonly specSince: number;
}

const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;
const isOurs = ({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean =>
  groupOf(apiVersion) === 'apps.kruise.io' && kind === 'StatefulSet';
const isOrdered = ({ spec }: StatefulSet): boolean => (spec.podManagementPolicy ?? 'OrderedReady') === 'OrderedReady';
const isGood = (object: KubeObject): boolean => object.metadata.deletionTimestamp === undefined && isPodReady(object as Pod);

/** Reads a history change by change, in the order of the API server, and notes what must not be. */
class Reader {
  readonly broken: string[] = [];
  readonly #held: Readonly<Record<RecordedKind, Map<string, Held>>> = {
    StatefulSet: new Map(),
    Pod: new Map(),
    PersistentVolumeClaim: new Map(),
  };
  /** When a Pod of the name was last known to be good. */
  readonly #goodUntil = new Map<string, number>();
  /** What names of claims begin with that templates of StatefulSets give: `namespace/template-set`. */
  readonly #claimNames = new Set<string>();

  take(change: Change): void {
    if (change.event === 'LISTED') this.#held[change.kind].clear();
    for (const object of change.objects) this.#takeOne(change, object);
  }

  /** Whether a template of any StatefulSet so far has named this claim. */
  isOfTemplate(namespace: string, name: string): boolean {
    const parent = parsePodOrdinal(name)?.parent;
    return parent !== undefined && this.#claimNames.has(`${namespace}/${parent}`);
  }

  #takeOne({ kind, event, at }: Change, object: KubeObject): void {
    const held = this.#held[kind];
    const before = held.get(keyOf(object));
    if (kind === 'Pod' && event === 'ADDED') this.#lookAtNewPod(object, at);
    if (kind === 'PersistentVolumeClaim' && event !== 'DELETED') this.#lookAtOwners(object, before?.object, at);
    if (kind === 'StatefulSet') this.#noteTemplates(object as StatefulSet);
    if (kind === 'Pod' && before !== undefined && isGood(before.object)) this.#goodUntil.set(keyOf(object), at);
    if (event === 'DELETED') return void held.delete(keyOf(object));
    const isSameSpec = before !== undefined && before.object.metadata.generation === object.metadata.generation;
    held.set(keyOf(object), { object, specSince: isSameSpec ? before.specSince : at });
  }

  #noteTemplates({ metadata: { namespace = '', name }, spec }: StatefulSet): void {
    for (const template of spec.volumeClaimTemplates ?? []) this.#claimNames.add(`${namespace}/${template.metadata?.name ?? ''}-${name}`);
  }

  /** The StatefulSet of that name and uid, unless its spec has just changed. */
  #settledSet(namespace: string, owner: Pick<OwnerReference, 'name' | 'uid'>, at: number): StatefulSet | undefined {
    const held = this.#held.StatefulSet.get(`${namespace}/${owner.name}`);
    if (held === undefined || held.object.metadata.uid !== owner.uid || at - held.specSince < grace) return undefined;
    return held.object as StatefulSet;
  }

  /** OrderedReady: no Pod before all of the slots below it are good. */
  #lookAtNewPod(pod: KubeObject, at: number): void {
    const owner = controllerOf(pod);
    const { namespace = '', name } = pod.metadata;
    const ordinal = parsePodOrdinal(name)?.ordinal;
    if (owner === undefined || !isOurs(owner) || ordinal === undefined) return;
    const set = this.#settledSet(namespace, owner, at);
    if (set === undefined || !isOrdered(set)) return;
    const { replicas = 1, reserveOrdinals, ordinals } = set.spec;
    const slots = ordinalSlots({ start: ordinals?.start ?? 0, replicas, reserved: parseReservedOrdinals(reserveOrdinals).ranges });
    for (const slot of slots) {
      if (slot >= ordinal) break;
      const key = `${namespace}/${owner.name}-${slot}`;
      const below = this.#held.Pod.get(key)?.object;
      const isFine = (below !== undefined && isGood(below)) || at - (this.#goodUntil.get(key) ?? -Infinity) < grace;
      if (!isFine) this.broken.push(`${keyOf(pod)} was created while ${key} was ${below === undefined ? 'not there' : 'not ready'}`);
    }
  }

  /** Claims go with a StatefulSet, or with a Pod of it, only where the policy says so; those of others never do. */
  #lookAtOwners(claim: KubeObject, before: KubeObject | undefined, at: number): void {
    const { namespace = '', ownerReferences = [] } = claim.metadata;
    const known = new Set((before?.metadata.ownerReferences ?? []).map(({ uid }) => uid));
    for (const owner of ownerReferences.filter(({ uid }) => !known.has(uid))) {
      const isPod = owner.kind === 'Pod';
      const setOwner = isPod ? this.#setOfPod(`${namespace}/${owner.name}`, owner.uid) : owner;
      if (setOwner === undefined || !isOurs(setOwner)) continue;
      const set = this.#settledSet(namespace, setOwner, at);
      if (set === undefined) continue;
      const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
      if ((isPod ? whenScaled : whenDeleted) !== 'Delete')
        this.broken.push(`${keyOf(claim)} goes with ${owner.kind} ${owner.name} against the policy of ${keyOf(set)}`);
      const master = controllerOf(claim);
      if (master !== undefined && master.uid !== owner.uid)
        this.broken.push(`${keyOf(claim)} of ${master.kind} ${master.name} was given to ${owner.kind} ${owner.name}`);
    }
  }

  #setOfPod(key: string, uid: string): OwnerReference | undefined {
    const pod = this.#held.Pod.get(key)?.object;
    return pod?.metadata.uid === uid ? controllerOf(pod) : undefined;
  }
}

/**
 * @param changes of all kinds, in any order
 * @param deletions that the manager requested
 * @returns a sentence for each time that a rule was broken
 */
export function brokenRules(changes: readonly Change[], deletions: readonly AskedDeletion[]): readonly string[] {
  const reader = new Reader();
  for (const change of changes.toSorted((a, b) => a.version - b.version)) reader.take(change);
  const careless = deletions.flatMap(({ resource, namespace, name, options }) => {
    const object = `${resource} ${namespace}/${name}`;
    return [
      ...(options.preconditions?.uid === undefined ? [`${object} was deleted, whichever object has the name`] : []),
      ...(resource === 'pods' && options.gracePeriodSeconds !== undefined
        ? [`${object} was deleted without the time that it may take`]
        : []),
      ...(resource === 'persistentvolumeclaims' && reader.isOfTemplate(namespace, name) ? [`${object} of a StatefulSet was deleted`] : []),
    ];
  });
  return [...reader.broken, ...careless];
}
