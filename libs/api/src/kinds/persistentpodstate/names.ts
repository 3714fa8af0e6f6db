/** Names on the wire that belong to PersistentPodStates alone. */

/** Annotation keys of PersistentPodStates alone. */
export const persistentPodStateAnnotations = {
  /** On a workload, `true`: create a PersistentPodState for it. */
  autoGenerate: 'kruise.io/auto-generate-persistent-pod-state',
  /** On a workload: keys of node labels that must stay the same, joined by commas. */
  requiredTopology: 'kruise.io/required-persistent-topology',
  /** On a workload: keys of node labels that should stay the same, joined by commas. */
  preferredTopology: 'kruise.io/preferred-persistent-topology',
  /** On a workload: Pod annotation keys to keep, joined by commas. */
  podAnnotations: 'kruise.io/persistent-pod-annotations',
  /** On a Pod: the PersistentPodState that changed it. */
  injected: 'kruise.io/injected-persistent-pod-state',
} as const;

/** Key of the shared ConfigMap (`configuration`): workloads of other groups that are watched. */
export const persistentPodStateWhiteListKey = 'PPS_Watch_Custom_Workload_WhiteList';
