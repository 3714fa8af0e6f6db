/** Names on the wire that belong to ResourceDistributions alone. */

/** Annotation keys of ResourceDistributions alone. */
export const resourceDistributionAnnotations = {
  /** On a distributed ConfigMap or Secret: the ResourceDistribution it comes from. */
  from: 'kruise.io/resourcedistribution.resource.from',
  /** On a distributed ConfigMap or Secret: hash of the distributed resource. */
  hash: 'kruise.io/resourcedistribution.resource.hashcode',
} as const;

/** Namespaces that never receive a copy, even when they are named. */
export const systemNamespaces: readonly string[] = ['kube-system', 'kube-public'];

/** The types of conditions, in the order in which the status lists them. */
export const distributionConditions = [
  'GetResourceFailed',
  'CreateResourceFailed',
  'UpdateResourceFailed',
  'DeleteResourceFailed',
  'ConflictOccurred',
  'NamespaceNotExists',
] as const;
export type DistributionCondition = (typeof distributionConditions)[number];

/** Reasons that are always the same. */
export const distributionReasons = {
  succeeded: 'Succeeded',
  conflict: 'conflict with existing resources because of the same namespace, group, version, kind and name',
  missing: 'namespace not found or is terminating',
  overwritten: 'another client repeatedly changes or deletes the copy; the controller restores it with increasing delays, up to 5 minutes',
} as const;
