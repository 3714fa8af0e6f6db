/** Whom an event wakes, in the ways that nearly every controller needs: its own object, an owner, objects that match. Pure. */
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

/** The object itself, whatever happened to it. */
export const enqueueSelf = ({ object }: StoreEvent<KubeObject>): readonly ObjectKey[] => [keyOf(object)];

/** The key of the controller of `object`, when it is of this kind, in any version. */
export function ownerKey(object: KubeObject, type: ResourceType): ObjectKey | undefined {
  const owner = controllerOf(object);
  if (owner === undefined || !refersToKind(owner, type)) return undefined;
  return { namespace: type.namespaced ? (object.metadata.namespace ?? '') : '', name: owner.name };
}

/** The states of an object that an event tells of: as it is, and as it was before. */
export const statesOf = <T extends KubeObject>(event: StoreEvent<T>): readonly T[] =>
  event.kind === 'Updated' ? [event.object, event.previous] : [event.object];

/** Each key once, in the order of the first. */
export const distinctKeys = (keys: readonly ObjectKey[]): readonly ObjectKey[] => [
  ...new Map(keys.map((key) => [formatKey(key), key])).values(),
];

/**
 * The controller of the object, of this kind in any version: the present one, and the former one, so that it hears of what it lost.
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
 * The objects that the object concerns, or did before the change.
 *
 * @param candidates among which to look: usually those of the object's namespace
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

/** The same requests a while later: changes that come in swarms are answered by one pass. */
export const gathered = (keys: readonly ObjectKey[], after: Milliseconds): readonly Request[] => keys.map((key) => ({ key, after }));

/** One pass answers the changes of at least this long, and of at most so long, in milliseconds. */
const gathersFor = { least: 20, most: 500, eachObject: 0.04 };

/**
 * How long to gather changes that wake a pass over so many objects. A pass costs in proportion to them, and so does the pause between two
 * passes, so that what a change costs does not grow with the number of objects.
 *
 * @param objects that one pass looks at
 * @returns 20 to 500 ms: 20 up to 500 objects, 200 for 5,000
 */
export const gatheringOf = (objects: number): Milliseconds =>
  Math.min(Math.max(objects * gathersFor.eachObject, gathersFor.least), gathersFor.most) as Milliseconds;
