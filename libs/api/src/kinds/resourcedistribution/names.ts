/** Names on the wire that belong to ResourceDistributions alone. */

/** Annotation keys of ResourceDistributions alone. */
export const resourceDistributionAnnotations = {
  /** On a distributed ConfigMap or Secret: the ResourceDistribution it comes from. */
  from: 'kruise.io/resourcedistribution.resource.from',
  /** On a distributed ConfigMap or Secret: hash of the distributed resource. */
  hash: 'kruise.io/resourcedistribution.resource.hashcode',
} as const;
