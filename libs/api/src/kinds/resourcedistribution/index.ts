/** ResourceDistribution: declaration, types and conversion. */
export { distributionConditions, distributionReasons, resourceDistributionAnnotations, systemNamespaces } from './names.ts';
export type { DistributionCondition } from './names.ts';
export { readDistributedResource, resourceNameFaults } from './resource.ts';
export type { DistributedKind, DistributedResourceReading } from './resource.ts';
export { validateDistributedResource, validateDistributionName, validateTargets } from './validation.ts';
export { resourceDistributionWarnings } from './warnings.ts';
export { converter as resourceDistributionConverter } from './conversion.ts';
export { declaration as resourceDistributionDeclaration, resourceDistributions, resourceDistributionsV1Alpha1 } from './schema.ts';
export type {
  DistributedResource,
  ResourceDistribution,
  ResourceDistributionCondition,
  ResourceDistributionSpec,
  ResourceDistributionStatus,
  ResourceDistributionTargets,
  ResourceDistributionV1Alpha1,
} from './schema.ts';
