/** Names on the wire that belong to DaemonSets alone. */

/** Annotation keys of DaemonSets alone. */
export const daemonSetAnnotations = {
  /** On a v1alpha1 DaemonSet, `true`: the partition also applies to creation. */
  progressiveCreatePod: 'daemonset.kruise.io/progressive-create-pod',
} as const;
