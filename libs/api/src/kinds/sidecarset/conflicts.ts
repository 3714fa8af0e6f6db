/** Finds SidecarSets that could not both be injected into one Pod. @see spec/sidecarset.md 4.5 */
import {
  addToList,
  fieldInvalid,
  isJsonObject,
  labelMatcherOf,
  mostListedErrors,
  semanticEqual,
  textAt,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { objectsAt, textsOf } from './members-list.ts';
import type { SidecarSet } from './schema.ts';
import { mayOverlap, readSelector, type ReadSelector, type Selector } from './selector-overlap.ts';
import { sidecarSetBaseOf } from './validation.ts';

/** One more than any answer lists. */
const mostFaults = mostListedErrors + 1;

/** Positions of the entries of a list by their names, which may occur repeatedly. */
type Places = ReadonlyMap<string, readonly number[]>;

/**
 * A SidecarSet, read once for all comparisons: the cost of each of the others depends only on its own size, however large this one is, except for
 * conflicts.
 */
interface Read {
  readonly name: string;
  readonly base: string | undefined;
  readonly selector: ReadSelector | undefined;
  readonly namespaceSelector: ReadSelector | undefined;
  readonly containers: Places;
  readonly initContainers: Places;
  readonly volumes: Places;
  readonly volumeAt: (place: number) => JsonObject | undefined;
  /** In the order of the keys. */
  readonly patches: ReadonlyMap<string, { readonly policy: string; readonly place: number }>;
}

const membersOf = ({ spec }: SidecarSet): JsonObject => spec;

/** Returns the names of a list, in its order. */
export const namesIn = (sidecarSet: SidecarSet, list: 'containers' | 'initContainers' | 'volumes'): readonly string[] =>
  objectsAt(membersOf(sidecarSet), list).map(([entry]) => textAt(entry, 'name'));

function placesOf(names: readonly string[]): Places {
  const places = new Map<string, number[]>();
  names.forEach((name, place) => addToList(places, name, place));
  return places;
}

/** Returns policies by annotation key. */
export const patchesOf = (sidecarSet: SidecarSet): ReadonlyMap<string, string> =>
  new Map(
    objectsAt(membersOf(sidecarSet), 'patchPodMetadata').flatMap(([patch]) =>
      textsOf(patch, 'annotations').map(([key]) => [key, textAt(patch, 'patchPolicy') || 'Retain'] as const),
    ),
  );

function readSet(sidecarSet: SidecarSet): Read {
  const volumes = objectsAt(membersOf(sidecarSet), 'volumes').map(([volume]) => volume);
  return {
    name: sidecarSet.metadata.name,
    base: sidecarSetBaseOf(sidecarSet as unknown as JsonObject),
    selector: readSelector(sidecarSet.spec.selector),
    namespaceSelector: readSelector(sidecarSet.spec.namespaceSelector),
    containers: placesOf(namesIn(sidecarSet, 'containers')),
    initContainers: placesOf(namesIn(sidecarSet, 'initContainers')),
    volumes: placesOf(namesIn(sidecarSet, 'volumes')),
    volumeAt: (place) => volumes[place],
    patches: new Map([...patchesOf(sidecarSet)].map(([key, policy], place) => [key, { policy, place }])),
  };
}

/** Returns what both have, in the order of the first, with each position in it. */
const shared = (places: Places, names: Iterable<string>): readonly (readonly [name: string, place: number])[] =>
  [...new Set(names)].flatMap((name) => (places.get(name) ?? []).map((place) => [name, place] as const)).toSorted(([, a], [, b]) => a - b);

const nameConflicts = (a: Read, b: SidecarSet, list: 'containers' | 'initContainers'): readonly FieldError[] =>
  shared(a[list], namesIn(b, list)).map(([name]) =>
    fieldInvalid(`spec.${list}.name`, name, `container ${name} already exist in ${b.metadata.name}`),
  );

const volumeConflicts = (a: Read, b: SidecarSet): readonly FieldError[] => {
  const others = new Map(objectsAt(membersOf(b), 'volumes').map(([volume]) => [textAt(volume, 'name'), volume]));
  return shared(a.volumes, others.keys()).flatMap(([name, place]) =>
    semanticEqual(a.volumeAt(place), others.get(name))
      ? []
      : [fieldInvalid('spec.volumes', name, `volume ${name} is in conflict with sidecarset ${b.metadata.name}`)],
  );
};

const annotationConflicts = (a: Read, b: SidecarSet): readonly FieldError[] =>
  [...patchesOf(b)]
    .flatMap(([key, other]) => {
      const own = a.patches.get(key);
      const policies = [own?.policy ?? 'Retain', other];
      return own === undefined || policies.includes('Retain') || !policies.includes('Overwrite') ? [] : [{ key, place: own.place }];
    })
    .toSorted((one, two) => one.place - two.place)
    .map(({ key }) => fieldInvalid('spec.patchPodMetadata', key, `annotation ${key} is in conflict with sidecarset ${b.metadata.name}`));

/** Returns whether one replaces the other: a canary replaces its base, so the two are never in one Pod. */
const areOneFamily = (a: Read, b: SidecarSet): boolean =>
  a.base === b.metadata.name || sidecarSetBaseOf(b as unknown as JsonObject) === a.name;

/** Returns whether a selector is valid; one that is not, past admission, selects nothing. */
const isLegal = (selector: Selector): boolean => labelMatcherOf(selector).kind === 'Matcher';

const isWellFormed = ({ spec }: SidecarSet): boolean => isJsonObject(spec) && isLegal(spec.selector) && isLegal(spec.namespaceSelector);

const mayMeet = (a: Read, b: SidecarSet): boolean =>
  isWellFormed(b) &&
  a.name !== b.metadata.name &&
  !areOneFamily(a, b) &&
  mayOverlap(a.selector, readSelector(b.spec.selector)) &&
  mayOverlap(a.namespaceSelector, readSelector(b.spec.namespaceSelector));

/**
 * Returns the conflicts, sorted as `others` are; those beyond what an answer lists are omitted.
 *
 * @param sidecarSet a valid one, in v1beta1
 * @param others all of the cluster, itself included
 * @param enough the number of conflicts after which no other SidecarSet is compared
 */
export function sidecarSetConflicts(
  sidecarSet: SidecarSet,
  others: readonly SidecarSet[],
  enough: number = mostFaults,
): readonly FieldError[] {
  const read = readSet(sidecarSet);
  const faults: FieldError[] = [];
  for (const other of others) {
    if (faults.length >= enough) break;
    if (!mayMeet(read, other)) continue;
    faults.push(
      ...nameConflicts(read, other, 'initContainers').slice(0, mostFaults),
      ...nameConflicts(read, other, 'containers').slice(0, mostFaults),
      ...volumeConflicts(read, other).slice(0, mostFaults),
      ...annotationConflicts(read, other).slice(0, mostFaults),
    );
  }
  return faults;
}
