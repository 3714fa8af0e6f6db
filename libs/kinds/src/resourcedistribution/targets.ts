/** Which namespaces a ResourceDistribution is for. Pure. @see spec/resourcedistribution.md 2 */
import { systemNamespaces, type ResourceDistribution } from '@kruise/api';
import { isEmptyLabelSelector, labelMatcherOrNothing, type KubeObject } from '@kruise/objects';

type Labels = Readonly<Record<string, string>> | undefined;

/** Questions about one distribution; made once, and used for every namespace. */
export interface Targets {
  readonly isAll: boolean;
  /** Names that are listed and not excluded, whether such a namespace exists or not. */
  readonly included: readonly string[];
  /** Whether a namespace with this name gets a copy, for whatever reason. */
  takes(namespace: string, labels: Labels): boolean;
  /** Whether the selector alone, leaving names aside, picks these labels. */
  picks(labels: Labels): boolean;
}

type NameList = { readonly list?: readonly { readonly name?: string }[] | null } | null | undefined;

const namesIn = (names: NameList): readonly string[] => {
  const list: unknown = names?.list;
  return Array.isArray(list)
    ? (list as readonly ({ readonly name?: unknown } | null)[]).flatMap((item) => (typeof item?.name === 'string' ? item.name : []))
    : [];
};

/** An empty selector selects nothing, and so does one that cannot be read. */
export function targetsOf({ spec }: Pick<ResourceDistribution, 'spec'>): Targets {
  const { allNamespaces, includedNamespaces, excludedNamespaces, namespaceSelector } =
    (spec as Partial<ResourceDistribution['spec']>).targets ?? {};
  const isAll = allNamespaces === true;
  const never = new Set([...systemNamespaces, ...namesIn(excludedNamespaces)]);
  const included = [...new Set(namesIn(includedNamespaces))].filter((name) => name !== '' && !never.has(name));
  const isIncluded = new Set(included);
  const matcher =
    namespaceSelector === undefined || isEmptyLabelSelector(namespaceSelector) ? undefined : labelMatcherOrNothing(namespaceSelector);
  const picks = (labels: Labels): boolean => matcher?.matches(labels) === true;
  return {
    isAll,
    included,
    picks,
    takes: (namespace, labels) => !never.has(namespace) && (isAll || isIncluded.has(namespace) || picks(labels)),
  };
}

/** Namespaces by what becomes of them. */
export interface Division {
  /** Those that get a copy, sorted; some may not exist. */
  readonly matched: readonly string[];
  /** All others that exist, sorted. */
  readonly unmatched: readonly string[];
}

/**
 * @param namespaces all that exist, any order
 * @param scope the only namespace that the manager works in; undefined for all
 */
export function divide(targets: Targets, namespaces: readonly KubeObject[], scope: string | undefined): Division {
  const matched = new Set<string>(targets.isAll ? [] : targets.included);
  const unmatched: string[] = [];
  for (const { metadata } of namespaces) {
    if (targets.takes(metadata.name, metadata.labels)) matched.add(metadata.name);
    else unmatched.push(metadata.name);
  }
  const isInScope = (name: string): boolean => scope === undefined || name === scope;
  return { matched: [...matched].filter(isInScope).sort(), unmatched: unmatched.filter(isInScope).sort() };
}
