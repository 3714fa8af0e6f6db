/** Names on the wire that belong to UnitedDeployments alone. */

/** Label keys of UnitedDeployments alone. */
export const unitedDeploymentLabels = {
  /** On a child of a UnitedDeployment and on its Pods: the subset. */
  subsetName: 'apps.kruise.io/subset-name',
  /** On a child of a UnitedDeployment and on its Pods: name of the UnitedDeployment's revision. */
  revision: 'apps.kruise.io/controller-revision-hash',
  /** On Pods of a UnitedDeployment with reservation: `true` or `false`. */
  reservedPod: 'apps.kruise.io/united-deployment-reserved-pod',
} as const;

/** Annotation keys of UnitedDeployments alone. */
export const unitedDeploymentAnnotations = {
  /** On a child of a UnitedDeployment: the patch of its subset as compact JSON. */
  subsetPatch: 'apps.kruise.io/subset-patch',
} as const;
