/** Which revision of a SidecarSet new Pods get, as far as objects say. @see spec/sidecarset.md 5.1 "Restoring" */
import { sidecarSetLabels, type SidecarSet } from '@kruise/api';
import { checkLabelValue, compareUtf8, controllerOf, parseTime, textAt, type ControllerRevision } from '@kruise/objects';

/** At least one of the two is not empty. */
export interface RevisionReference {
  /** Wins when it is not empty. */
  readonly revisionName: string;
  /** The newest revision with this custom version. */
  readonly customVersion: string;
}

export type FoundRevision =
  { readonly kind: 'Found'; readonly revision: ControllerRevision } | { readonly kind: 'Missing'; readonly why: string };

export const isLabel = (name: unknown): name is string => typeof name === 'string' && name !== '' && checkLabelValue(name).length === 0;

/** What `injectionStrategy.revision` requests; undefined when it names nothing. What is no text names nothing. */
export function revisionReferenceOf({ spec }: SidecarSet): RevisionReference | undefined {
  const revision = spec.injectionStrategy?.revision;
  const [revisionName, customVersion] = [textAt(revision?.revisionName), textAt(revision?.customVersion)];
  return revisionName === '' && customVersion === '' ? undefined : { revisionName, customVersion };
}

/** By label, or by owner if a user has removed the label. */
export function belongsTo(revision: ControllerRevision, { metadata }: SidecarSet): boolean {
  const named = revision.metadata.labels?.[sidecarSetLabels.name];
  if (named !== undefined) return named === metadata.name;
  const owner = controllerOf(revision);
  return owner?.kind === 'SidecarSet' && owner.name === metadata.name;
}

const compareAge = (a: ControllerRevision, b: ControllerRevision): number =>
  a.revision - b.revision ||
  (parseTime(a.metadata.creationTimestamp) ?? 0) - (parseTime(b.metadata.creationTimestamp) ?? 0) ||
  compareUtf8(a.metadata.name, b.metadata.name);

/** @param candidates revisions of the SidecarSet, any order */
export const newestWith = (customVersion: string, candidates: readonly ControllerRevision[]): ControllerRevision | undefined =>
  candidates
    .filter(({ metadata }) => metadata.labels?.[sidecarSetLabels.customVersion] === customVersion)
    .sort(compareAge)
    .at(-1);
