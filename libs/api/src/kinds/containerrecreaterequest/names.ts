/** Names on the wire that belong to ContainerRecreateRequests alone. */

/** Annotation keys of ContainerRecreateRequests alone. */
export const containerRecreateRequestAnnotations = {
  /** On a v1alpha1 ContainerRecreateRequest: JSON list of the containers' states. */
  syncContainerStatuses: 'crr.apps.kruise.io/sync-container-statuses',
  /** On a v1alpha1 ContainerRecreateRequest: RFC 3339 time since when its Pod is kept not ready. */
  unreadyAcquired: 'crr.apps.kruise.io/unready-acquired',
} as const;

/** The finalizer that the manager adds to ContainerRecreateRequests. It is set while the request keeps its Pod not ready. */
export const containerRecreateRequestFinalizer = 'crr.apps.kruise.io/unready-acquired';
