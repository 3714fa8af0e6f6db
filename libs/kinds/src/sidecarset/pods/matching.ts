/** Which Pods a SidecarSet is for, by labels and namespaces, and which SidecarSet stands in for which. */
import { labels, sidecarSetAnnotations, type SidecarSet } from '@kruise/api';
import {
  isEmptyLabelSelector,
  labelMatcherOrNothing,
  matchAll,
  matchNothing,
  type LabelMatcher,
  type LabelSelector,
} from '@kruise/objects';

type Labels = Readonly<Record<string, string>>;

/** The selectors of a SidecarSet, ready to be asked; make it once for each state of the object. */
export interface PodMatcher {
  /** True when the labels of the Pod's namespace do not matter. */
  readonly anyNamespace: boolean;
  /** @param namespaceLabels undefined when there is no such namespace (any more): it matches only if any namespace does */
  matchesNamespace(namespaceLabels: Labels | undefined): boolean;
  matchesLabels(podLabels: Labels | undefined): boolean;
}

const isAbsent = (selector: LabelSelector | null | undefined): selector is null | undefined => selector === undefined || selector === null;

/** Nothing is selected by what is absent, empty or illegal. */
const strictMatcher = (selector: LabelSelector | null | undefined): LabelMatcher =>
  isAbsent(selector) || isEmptyLabelSelector(selector) ? matchNothing : labelMatcherOrNothing(selector);

/** All are selected by what is absent or empty, none by what is illegal. */
const namespaceMatcher = (selector: LabelSelector | null | undefined): LabelMatcher =>
  isAbsent(selector) ? matchAll([]) : labelMatcherOrNothing(selector);

/**
 * @remarks Never throws: malformed selectors that admission did not check select nothing.
 * @see spec/sidecarset.md 5.2 step 2
 */
export function podMatcherOf({ spec }: SidecarSet): PodMatcher {
  const anyNamespace = isAbsent(spec.namespaceSelector);
  const namespace = namespaceMatcher(spec.namespaceSelector);
  const pod = strictMatcher(spec.selector);
  return {
    anyNamespace,
    matchesNamespace: (namespaceLabels) => anyNamespace || (namespaceLabels !== undefined && namespace.matches(namespaceLabels)),
    matchesLabels: (podLabels) => pod.matches(podLabels),
  };
}

/** The value of {@link candidateIndex} for SidecarSets that are not bound to namespaces by name. */
export const clusterScope = 'clusterScope';

/**
 * Under which values a SidecarSet is found by the namespace of a Pod: the namespaces that its selector names, or {@link clusterScope}.
 *
 * @see spec/manager.md 5.7
 */
export function candidateIndex({ spec }: SidecarSet): readonly string[] {
  const { matchLabels, matchExpressions } = spec.namespaceSelector ?? {};
  const byLabel = matchLabels?.[labels.namespaceName];
  if (typeof byLabel === 'string') return [byLabel];
  const byExpression = (matchExpressions ?? []).find(({ key, operator }) => key === labels.namespaceName && operator === 'In');
  return byExpression?.values ?? [clusterScope];
}

/** The SidecarSet that this one is a canary of; undefined when it is none. @see spec/sidecarset.md 5.3 */
export function canaryBaseOf({ metadata }: Pick<SidecarSet, 'metadata'>): string | undefined {
  const base = metadata.annotations?.[sidecarSetAnnotations.base];
  return metadata.annotations?.[sidecarSetAnnotations.canary] === 'true' && base !== undefined && base !== '' ? base : undefined;
}

/**
 * The list without SidecarSets that a canary in the list replaces.
 *
 * @param matching SidecarSets that match one Pod and are not paused, in any order, which is kept
 */
export function withoutBasesOfCanaries<T extends Pick<SidecarSet, 'metadata'>>(matching: readonly T[]): readonly T[] {
  const bases = new Set(matching.map(canaryBaseOf).filter((base) => base !== undefined));
  return bases.size === 0 ? matching : matching.filter(({ metadata }) => !bases.has(metadata.name));
}
