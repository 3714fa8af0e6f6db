/** SidecarSets that could not both be injected into one Pod. @see spec/sidecarset.md 4.5 */
import {
  fieldInvalid,
  labelMatcherOf,
  semanticEqual,
  type FieldError,
  type LabelSelector,
  type LabelSelectorExpression,
} from '@kruise/objects';
import { isMembers, type Members } from '../../conversion/converter.ts';
import { objectsAt, textAt, textsOf } from './members-list.ts';
import type { SidecarSet } from './schema.ts';
import { sidecarSetBaseOf } from './validation.ts';

type Selector = LabelSelector | null | undefined;

/** What a selector says of a key: one of these values, or any. */
type Wanted = ReadonlyMap<string, ReadonlySet<string> | 'Any'>;

const expressionsOf = (selector: LabelSelector): readonly LabelSelectorExpression[] => selector.matchExpressions ?? [];

function wantedBy(selector: LabelSelector): Wanted {
  const wanted = new Map<string, Set<string> | 'Any'>(
    Object.entries(selector.matchLabels ?? {}).map(([key, value]) => [key, new Set([value])]),
  );
  for (const { key, operator, values = [] } of expressionsOf(selector)) {
    const present = wanted.get(key) ?? new Set<string>();
    if (operator === 'Exists') wanted.set(key, 'Any');
    if (operator !== 'In' || present === 'Any') continue;
    for (const value of values) present.add(value);
    wanted.set(key, present);
  }
  return wanted;
}

function contradicts({ key, operator, values = [] }: LabelSelectorExpression, wanted: Wanted): boolean {
  const held = wanted.get(key);
  switch (operator) {
    case 'In':
      return held !== undefined && held !== 'Any' && !values.some((value) => held.has(value));
    case 'NotIn':
      return held !== undefined && held !== 'Any' && new Set(values.filter((value) => held.has(value))).size === held.size;
    case 'Exists':
      return held === undefined;
    case 'DoesNotExist':
      return held !== undefined;
    default:
      return false;
  }
}

function isDisjoint(a: LabelSelector, b: LabelSelector): boolean {
  const wanted = wantedBy(a);
  const equal = Object.entries(b.matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return [...equal, ...expressionsOf(b)].some((expression) => contradicts(expression, wanted));
}

/** Whether one object could match both selectors, as far as the selectors tell; an absent one matches all. */
export const mayOverlap = (a: Selector, b: Selector): boolean =>
  a === undefined || a === null || b === undefined || b === null || !(isDisjoint(a, b) || isDisjoint(b, a));

const membersOf = ({ spec }: SidecarSet): Members => spec;

const namesIn = (sidecarSet: SidecarSet, list: 'containers' | 'initContainers'): readonly string[] =>
  objectsAt(membersOf(sidecarSet), list).map(([container]) => textAt(container, 'name'));

const nameConflicts = (a: SidecarSet, b: SidecarSet, list: 'containers' | 'initContainers'): readonly FieldError[] => {
  const taken = new Set(namesIn(b, list));
  return namesIn(a, list)
    .filter((name) => taken.has(name))
    .map((name) => fieldInvalid(`spec.${list}.name`, name, `container ${name} already exist in ${b.metadata.name}`));
};

const volumeConflicts = (a: SidecarSet, b: SidecarSet): readonly FieldError[] => {
  const others = new Map(objectsAt(membersOf(b), 'volumes').map(([volume]) => [textAt(volume, 'name'), volume]));
  return objectsAt(membersOf(a), 'volumes').flatMap(([volume]) => {
    const name = textAt(volume, 'name');
    const other = others.get(name);
    return other === undefined || semanticEqual(volume, other)
      ? []
      : [fieldInvalid('spec.volumes', name, `volume ${name} is in conflict with sidecarset ${b.metadata.name}`)];
  });
};

/** Policy by key of annotation. */
const patchesOf = (sidecarSet: SidecarSet): ReadonlyMap<string, string> =>
  new Map(
    objectsAt(membersOf(sidecarSet), 'patchPodMetadata').flatMap(([patch]) =>
      textsOf(patch, 'annotations').map(([key]) => [key, textAt(patch, 'patchPolicy') || 'Retain'] as const),
    ),
  );

const annotationConflicts = (a: SidecarSet, b: SidecarSet): readonly FieldError[] => {
  const others = patchesOf(b);
  return [...patchesOf(a)].flatMap(([key, policy]) => {
    const policies = [policy, others.get(key) ?? 'Retain'];
    return !policies.includes('Retain') && policies.includes('Overwrite')
      ? [fieldInvalid('spec.patchPodMetadata', key, `annotation ${key} is in conflict with sidecarset ${b.metadata.name}`)]
      : [];
  });
};

/** A canary takes the place of its base, so the two never meet in a Pod. */
function areOneFamily(a: SidecarSet, b: SidecarSet): boolean {
  return sidecarSetBaseOf(a as unknown as Members) === b.metadata.name || sidecarSetBaseOf(b as unknown as Members) === a.metadata.name;
}

/** A selector that is illegal, past admission, selects nothing. */
const isLegal = (selector: Selector): boolean => labelMatcherOf(selector).kind === 'Matcher';

const isWellFormed = ({ spec }: SidecarSet): boolean => isMembers(spec) && isLegal(spec.selector) && isLegal(spec.namespaceSelector);

const mayMeet = (a: SidecarSet, b: SidecarSet): boolean =>
  isWellFormed(b) &&
  a.metadata.name !== b.metadata.name &&
  !areOneFamily(a, b) &&
  mayOverlap(a.spec.selector, b.spec.selector) &&
  mayOverlap(a.spec.namespaceSelector, b.spec.namespaceSelector);

/**
 * @param sidecarSet a valid one, in v1beta1
 * @param others all of the cluster, itself included
 * @returns what speaks against having them all, sorted as `others` are
 */
export const sidecarSetConflicts = (sidecarSet: SidecarSet, others: readonly SidecarSet[]): readonly FieldError[] =>
  others
    .filter((other) => mayMeet(sidecarSet, other))
    .flatMap((other) => [
      ...nameConflicts(sidecarSet, other, 'initContainers'),
      ...nameConflicts(sidecarSet, other, 'containers'),
      ...volumeConflicts(sidecarSet, other),
      ...annotationConflicts(sidecarSet, other),
    ]);
