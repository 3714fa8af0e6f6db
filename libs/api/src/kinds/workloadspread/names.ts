/** Names on the wire that belong to WorkloadSpreads alone. */

/** Annotation keys of WorkloadSpreads alone. */
export const workloadSpreadAnnotations = {
  /** On a Pod: JSON with WorkloadSpread and subset. */
  matched: 'apps.kruise.io/matched-workloadspread',
  /** On a WorkloadSpread, `true`: earlier Pods are not patched. */
  ignorePatchExistingPods: 'workloadspread.kruise.io/ignore-patch-existing-pods-metadata',
} as const;

/** The subset of Pods that fit no other one of their WorkloadSpread; never part of a status. */
export const workloadSpreadFakeSubset = 'kruise.io/workloadspread-fake-subset-name';

/** Key of the shared ConfigMap (`configuration`): workloads of other groups that are watched. */
export const workloadSpreadWhiteListKey = 'WorkloadSpread_Watch_Custom_Workload_WhiteList';
