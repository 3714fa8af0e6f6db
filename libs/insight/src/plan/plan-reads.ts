/** Which objects the plan of a change needs, as data. */
import { relatedPubOf } from '@kruise/kinds/podunavailablebudget';
import { formatLabelMatcher, isJsonObject, labelMatcherOrNothing, matchAll, memberAt, requirement, type Pod } from '@kruise/objects';
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

/** Returns whether a budget is, as far as its selector and the annotation of the Pod say, for the Pod. */
function isForPod(budget: AnyObject, pod: AnyObject): boolean {
  if (budget.metadata.namespace !== pod.metadata.namespace) return false;
  const named = relatedPubOf(pod as unknown as Pod);
  if (named !== '') return named === budget.metadata.name;
  const selector = memberAt(budget, 'spec', 'selector');
  return isJsonObject(selector) && labelMatcherOrNothing(selector).matches(pod.metadata.labels);
}

/** The budgets of Pods with sidecars, and the other Pods that use up the same allowances. */
function sidecarBudgets(root: AnyObject, objects: readonly AnyObject[]): readonly Read[] {
  const matcher = labelMatcherOrNothing(memberAt(root, 'spec', 'selector') as object | undefined);
  const own = objects.filter(({ kind, metadata }) => kind === 'Pod' && matcher.matches(metadata.labels));
  const budgets = objects.filter(({ kind }) => kind === 'PodUnavailableBudget');
  const concerned = budgets.filter((budget) => own.some((pod) => isForPod(budget, pod)));
  return [everywhere('policy.kruise.io/PodUnavailableBudget'), ...concerned.flatMap((budget) => treeReads(budget, objects))];
}

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
      return [
        ...treeReads(root, objects),
        ...(selectsNamespaces(root) ? [everywhere('/Namespace')] : []),
        ...sidecarBudgets(root, objects),
      ];
    default:
      return treeReads(root, objects);
  }
}
