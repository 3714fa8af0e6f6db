/** Names on the wire that belong to PodUnavailableBudgets alone. */

/** Label keys of PodUnavailableBudgets alone. */
export const podUnavailableBudgetLabels = {
  /** On a Pod, as the start of the key, any value: a PodUnavailableBudget counts the Pod as unavailable. */
  unavailablePodPrefix: 'unavailable-pod.kruise.io/',
} as const;

/** Annotation keys of PodUnavailableBudgets alone. */
export const podUnavailableBudgetAnnotations = {
  /** On a Pod: name of its PodUnavailableBudget. */
  relatedPub: 'pub.kruise.io/related-pub',
  /** Old key of {@link podUnavailableBudgetAnnotations.relatedPub}; both are always written together. */
  legacyRelatedPub: 'kruise.io/related-pub',
  /** On a Pod, true: no PodUnavailableBudget protects it. */
  noProtect: 'pub.kruise.io/no-protect',
  /** On a PodUnavailableBudget, old form of `spec.protectOperations`: operations joined by commas. */
  protectOperations: 'kruise.io/pub-protect-operations',
  /** On a PodUnavailableBudget, old form of `spec.protectTotalReplicas`: a number. */
  protectTotalReplicas: 'pub.kruise.io/protect-total-replicas',
} as const;
