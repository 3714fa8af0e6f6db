/** Names on the wire that belong to CloneSets alone. */

/** Label keys of CloneSets alone. */
export const cloneSetLabels = {
  /** On Pods and claims of a CloneSet: the five characters that identify the pair. */
  instanceId: 'apps.kruise.io/cloneset-instance-id',
  /** On a v1alpha1 CloneSet, `true`: Pods in PreparingDelete do not count as replicas. */
  scalingExcludePreparingDelete: 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete',
} as const;
