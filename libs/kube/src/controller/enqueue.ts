/** Which keys an event enqueues, in the ways that nearly every controller needs: its own object, an owner, objects that match. Pure. */
import {
  controllerOf,
  formatKey,
  keyOf,
  refersToKind,
  type KubeObject,
  type Milliseconds,
  type ObjectKey,
  type ResourceType,
} from '@kruise/objects';
import type { StoreEvent } from '../store.ts';
import type { Request } from './watch.ts';

/** Returns the key of the object itself, for every event. */
export const enqueueSelf = ({ object }: StoreEvent<KubeObject>): readonly ObjectKey[] => [keyOf(object)];

/** Returns the key of the controller of `object`, when it is of this kind, in any version. */
export function ownerKey(object: KubeObject, type: ResourceType): ObjectKey | undefined {
  const owner = controllerOf(object);
  if (owner === undefined || !refersToKind(owner, type)) return undefined;
  return { namespace: type.namespaced ? (object.metadata.namespace ?? '') : '', name: owner.name };
}

/** Returns the states of an object that an event contains: the present one, and the previous one. */
export const statesOf = <T extends KubeObject>(event: StoreEvent<T>): readonly T[] =>
  event.kind === 'Updated' ? [event.object, event.previous] : [event.object];

/** Returns each key once, in the order of the first occurrences. */
export const distinctKeys = (keys: readonly ObjectKey[]): readonly ObjectKey[] => [
  ...new Map(keys.map((key) => [formatKey(key), key])).values(),
];

/**
 * Returns the controllers of the object, of this kind in any version: the present one, and the former one, so that it learns of what it lost.
 *
 * @returns a rule for {@link watchInformer}
 */
export const enqueueOwner =
  (type: ResourceType) =>
  (event: StoreEvent<KubeObject>): readonly ObjectKey[] => {
    const now = ownerKey(event.object, type);
    const before = event.kind === 'Updated' ? ownerKey(event.previous, type) : undefined;
    const former = before === undefined || before.name === now?.name ? [] : [before];
    return now === undefined ? former : [now, ...former];
  };

/**
 * Returns the objects that the object concerns, or did before the change.
 *
 * @param candidates the objects to search: usually those of the object's namespace
 * @param matches whether a candidate is concerned with one state of the object
 * @returns a rule for {@link watchInformer}; keys in the order of the candidates
 */
export const enqueueMatching =
  <T extends KubeObject, C extends KubeObject>(candidates: (object: T) => readonly C[], matches: (candidate: C, object: T) => boolean) =>
  (event: StoreEvent<T>): readonly ObjectKey[] => {
    const states = statesOf(event);
    return candidates(event.object)
      .filter((candidate) => states.some((object) => matches(candidate, object)))
      .map(keyOf);
  };

/** Returns the same requests with a delay: one pass handles changes that arrive in bursts. */
export const gathered = (keys: readonly ObjectKey[], after: Milliseconds): readonly Request[] => keys.map((key) => ({ key, after }));

/** The minimum and maximum time over which one pass gathers changes, in milliseconds. */
const gathersFor = { least: 20, most: 500, eachObject: 0.04 };

/**
 * Returns how long to gather changes that enqueue a pass over so many objects. The cost of a pass is proportional to them, and so is the pause
 * between two passes, so the cost of a change does not grow with the number of objects.
 *
 * @param objects number of objects that one pass examines
 * @returns 20 to 500 ms: 20 up to 500 objects, 200 for 5,000
 */
export const gatheringOf = (objects: number): Milliseconds =>
  Math.min(Math.max(objects * gathersFor.eachObject, gathersFor.least), gathersFor.most) as Milliseconds;
