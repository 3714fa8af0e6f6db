/** SidecarSets that could not both be injected into one Pod. @see spec/sidecarset.md 4.5 */
import { fieldInvalid, labelMatcherOf, mostListedErrors, semanticEqual, type FieldError } from '@kruise/objects';
import { isMembers, type Members } from '../../conversion/converter.ts';
import { objectsAt, textAt, textsOf } from './members-list.ts';
import type { SidecarSet } from './schema.ts';
import { mayOverlap, readSelector, type ReadSelector, type Selector } from './selector-overlap.ts';
import { sidecarSetBaseOf } from './validation.ts';

/** One more than any answer tells. */
const mostFaults = mostListedErrors + 1;

/** Where the entries of a list stand, by their names, each of which may come again. */
type Places = ReadonlyMap<string, readonly number[]>;

/**
 * A SidecarSet, read once for all that it is compared with: each of the others costs no more than itself has, however much this one has, but for
 * what is in conflict.
 */
interface Read {
  readonly name: string;
  readonly base: string | undefined;
  readonly selector: ReadSelector | undefined;
  readonly namespaceSelector: ReadSelector | undefined;
  readonly containers: Places;
  readonly initContainers: Places;
  readonly volumes: Places;
  readonly volumeAt: (place: number) => Members | undefined;
  /** In the order of the keys. */
  readonly patches: ReadonlyMap<string, { readonly policy: string; readonly place: number }>;
}

const membersOf = ({ spec }: SidecarSet): Members => spec;

const namesIn = (sidecarSet: SidecarSet, list: 'containers' | 'initContainers' | 'volumes'): readonly string[] =>
  objectsAt(membersOf(sidecarSet), list).map(([entry]) => textAt(entry, 'name'));

function placesOf(names: readonly string[]): Places {
  const places = new Map<string, number[]>();
  names.forEach((name, place) => {
    const held = places.get(name);
    if (held === undefined) places.set(name, [place]);
    else held.push(place);
  });
  return places;
}

/** Policy by key of annotation. */
const patchesOf = (sidecarSet: SidecarSet): ReadonlyMap<string, string> =>
  new Map(
    objectsAt(membersOf(sidecarSet), 'patchPodMetadata').flatMap(([patch]) =>
      textsOf(patch, 'annotations').map(([key]) => [key, textAt(patch, 'patchPolicy') || 'Retain'] as const),
    ),
  );

function readSet(sidecarSet: SidecarSet): Read {
  const volumes = objectsAt(membersOf(sidecarSet), 'volumes').map(([volume]) => volume);
  return {
    name: sidecarSet.metadata.name,
    base: sidecarSetBaseOf(sidecarSet as unknown as Members),
    selector: readSelector(sidecarSet.spec.selector),
    namespaceSelector: readSelector(sidecarSet.spec.namespaceSelector),
    containers: placesOf(namesIn(sidecarSet, 'containers')),
    initContainers: placesOf(namesIn(sidecarSet, 'initContainers')),
    volumes: placesOf(namesIn(sidecarSet, 'volumes')),
    volumeAt: (place) => volumes[place],
    patches: new Map([...patchesOf(sidecarSet)].map(([key, policy], place) => [key, { policy, place }])),
  };
}

/** What both have, in the order of the first, with each place at which that has it. */
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

/** A canary takes the place of its base, so the two never meet in a Pod. */
const areOneFamily = (a: Read, b: SidecarSet): boolean =>
  a.base === b.metadata.name || sidecarSetBaseOf(b as unknown as Members) === a.name;

/** A selector that is illegal, past admission, selects nothing. */
const isLegal = (selector: Selector): boolean => labelMatcherOf(selector).kind === 'Matcher';

const isWellFormed = ({ spec }: SidecarSet): boolean => isMembers(spec) && isLegal(spec.selector) && isLegal(spec.namespaceSelector);

const mayMeet = (a: Read, b: SidecarSet): boolean =>
  isWellFormed(b) &&
  a.name !== b.metadata.name &&
  !areOneFamily(a, b) &&
  mayOverlap(a.selector, readSelector(b.spec.selector)) &&
  mayOverlap(a.namespaceSelector, readSelector(b.spec.namespaceSelector));

/**
 * @param sidecarSet a valid one, in v1beta1
 * @param others all of the cluster, itself included
 * @returns what speaks against having them all, sorted as `others` are; where there is more than any answer tells, the rest is left out
 */
export function sidecarSetConflicts(sidecarSet: SidecarSet, others: readonly SidecarSet[]): readonly FieldError[] {
  const read = readSet(sidecarSet);
  const faults: FieldError[] = [];
  for (const other of others) {
    if (faults.length >= mostFaults) break;
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
