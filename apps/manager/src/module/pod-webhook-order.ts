/**
 * The order of what the Pod webhooks do, with the reason of each place. A step gets the Pod as the steps before it left it.
 * @see spec/manager.md 4.9
 */

/** The steps for a new Pod, first to last. */
export const podStepOrder = [
  // Only the owner of the Pod and a gate decide about it, and no other step reads it: it is first, as in OpenKruise.
  'readiness-gate',
  // Before all steps that choose by the labels or change the containers: the patch of a subset may set labels, which SidecarSets, budgets and markers
  // select by, and its strategic merge must meet the containers of the workload only.
  'workload-spread',
  // After the labels are final, and before the steps that read containers: those add to injected containers, too.
  'sidecar-injection',
  // After the sidecars: every container of the Pod waits for those with a higher priority, injected ones included.
  'container-launch-priority',
  // After the labels are final, which budgets select by. It writes only annotations.
  'podunavailablebudget',
  // After the subset, whose node affinity the recorded nodes are added to.
  'persistent-pod-state',
  // After the sidecars: the liveness probes of injected containers move as well.
  'enhanced-liveness',
  // Last: the annotation describes the containers and labels as they are created.
  'serverless-probes',
] as const;

/** The checks of a Pod that is changed, deleted or evicted, first to last. The first refusal ends the review. */
export const podCheckOrder = [
  // Before those that count: a Pod that a budget keeps must not be counted as deleted.
  'podunavailablebudget',
  // It refuses nothing and counts the Pod as deleted.
  'workloadspread',
] as const;

export type PodStepName = (typeof podStepOrder)[number];
export type PodCheckName = (typeof podCheckOrder)[number];

/** Returns the modules in the order of `order`; several of one name keep theirs. */
export const inOrder = <Name extends string, T extends { readonly name: Name }>(
  order: readonly Name[],
  modules: readonly T[],
): readonly T[] => modules.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
