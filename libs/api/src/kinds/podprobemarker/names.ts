/** Names on the wire that belong to PodProbeMarkers alone. */

/** Annotation keys of PodProbeMarkers alone. */
export const podProbeMarkerAnnotations = {
  /** On a Pod for serverless nodes: JSON list of its probes. */
  podProbe: 'kruise.io/podprobe',
  /** On a Pod for serverless nodes: names of its PodProbeMarkers, joined by commas. */
  list: 'kruise.io/podprobemarker-list',
} as const;

/** The finalizer that the manager adds to PodProbeMarkers. */
export const podProbeMarkerFinalizer = 'kruise.io/node-pod-probe-cleanup';
