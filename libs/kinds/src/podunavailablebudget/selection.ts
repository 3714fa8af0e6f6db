/** Whom a budget is for: the Pods of a selector, or those of one workload. Pure. @see spec/podunavailablebudget.md 4.4 */
import type { PodUnavailableBudget } from '@kruise/api';
import { isEmptyLabelSelector, labelMatcherOf, memberAt, type LabelMatcher, type Pod, memoized } from '@kruise/objects';
import { targetOf, targetText, type Target } from '@kruise/workloads';

export type Selection =
  | { readonly kind: 'Selector'; readonly matcher: LabelMatcher }
  | { readonly kind: 'Target'; readonly target: Target }
  /** Admission did not check it, and it selects no Pod. */
  | { readonly kind: 'Faulty'; readonly why: string };

const faulty = (why: string): Selection => ({ kind: 'Faulty', why });

function read(budget: PodUnavailableBudget): Selection {
  const [selector, reference] = ['selector', 'targetRef'].map((member) => memberAt(budget, 'spec', member) ?? undefined);
  if (reference !== undefined) {
    const target = targetOf(budget);
    return target === undefined || target.kind === '' || target.name === ''
      ? faulty('spec.targetRef: apiVersion, kind and name must be given')
      : { kind: 'Target', target };
  }
  if (selector === undefined) return faulty('spec.selector, targetRef: one of them must be given');
  const parsed = labelMatcherOf(selector);
  if (parsed.kind === 'Illegal') return faulty(`spec.selector${parsed.why}`);
  return isEmptyLabelSelector(selector) ? faulty('spec.selector: must not be empty') : { kind: 'Selector', matcher: parsed.matcher };
}

export type SelectionOf = (budget: PodUnavailableBudget) => Selection;

/** Reads each state of a budget once. */
export const selections = (): SelectionOf => memoized(read);

/**
 * Whether the budget is for the Pod.
 *
 * @param workloads that the Pod is of, from its controller upwards; undefined when this is not known, and any may be among them
 */
export function isFor(selection: Selection, pod: Pod, workloads: readonly Target[] | undefined): boolean {
  switch (selection.kind) {
    case 'Selector':
      return selection.matcher.matches(pod.metadata.labels);
    case 'Target':
      return workloads === undefined || workloads.some((workload) => targetText(workload) === targetText(selection.target));
    case 'Faulty':
      return false;
  }
}
