/** Which objects the plan of a change needs, as data. */
import { formatLabelMatcher, isJsonObject, labelMatcherOrNothing, matchAll, memberAt, requirement } from '@kruise/objects';
import { everywhere, inNamespace, labelled, selected, selectorTextOf, treeReads, type Read } from '../reads.ts';
import { kindOf, type AnyObject } from '../seen.ts';

const hasClaims = (root: AnyObject): boolean => {
  const templates = memberAt(root, 'spec', 'volumeClaimTemplates');
  return Array.isArray(templates) && templates.length > 0;
};

/** Claims have the labels of the selector, and not what its expressions require. */
function claims(root: AnyObject): readonly Read[] {
  const matchLabels = memberAt(root, 'spec', 'selector', 'matchLabels');
  if (!hasClaims(root) || !isJsonObject(matchLabels)) return [];
  const matcher = matchAll(Object.entries(matchLabels).map(([key, value]) => requirement(key, 'Equals', [String(value)])));
  return labelled(root, ['/PersistentVolumeClaim'], formatLabelMatcher(matcher));
}

/** Budgets may be for Pods of other workloads, too, which use up the same allowance. */
function podsOfBudgets(root: AnyObject, objects: readonly AnyObject[]): readonly Read[] {
  const own = selectorTextOf(root);
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  const budgets = objects.filter(({ kind }) => kind === 'PodUnavailableBudget');
  return budgets.flatMap((budget) => {
    const text = isJsonObject(memberAt(budget, 'spec', 'selector')) ? selectorTextOf(budget) : undefined;
    if (text === undefined || text === own) return [];
    const matcher = labelMatcherOrNothing(memberAt(budget, 'spec', 'selector') as object);
    return pods.some(({ metadata }) => matcher.matches(metadata.labels)) ? labelled(root, ['/Pod'], text) : [];
  });
}

const workload = (root: AnyObject, objects: readonly AnyObject[]): readonly Read[] => [
  ...selected('/Pod', 'apps/ControllerRevision')(root, objects),
  ...inNamespace('policy.kruise.io/PodUnavailableBudget', 'policy/PodDisruptionBudget')(root, objects),
  ...claims(root),
  ...podsOfBudgets(root, objects),
];

const isSpread = (root: AnyObject): boolean => memberAt(root, 'spec', 'template', 'spec', 'topologySpreadConstraints') !== undefined;

const selectsNamespaces = (root: AnyObject): boolean => memberAt(root, 'spec', 'namespaceSelector') !== undefined;

/** Returns what the plan of a change needs. What is found may add reads. @param root the object after the change */
export function planReads(root: AnyObject, objects: readonly AnyObject[]): readonly Read[] {
  switch (kindOf(root)) {
    case 'apps.kruise.io/CloneSet':
      return [...workload(root, objects), ...(isSpread(root) ? [everywhere('/Node')] : [])];
    case 'apps.kruise.io/StatefulSet':
      return [...workload(root, objects), ...(hasClaims(root) ? [everywhere('storage.k8s.io/StorageClass')] : [])];
    case 'apps.kruise.io/DaemonSet':
      return [...workload(root, objects), everywhere('/Node')];
    case 'apps.kruise.io/SidecarSet':
      return [...treeReads(root, objects), ...(selectsNamespaces(root) ? [everywhere('/Namespace')] : [])];
    default:
      return treeReads(root, objects);
  }
}
