/** ResourceDistribution: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { declaration, resourceDistributions, resourceDistributionsV1Alpha1 } from './schema.ts';
export type {
  DistributedResource,
  ResourceDistribution,
  ResourceDistributionCondition,
  ResourceDistributionSpec,
  ResourceDistributionStatus,
  ResourceDistributionTargets,
  ResourceDistributionV1Alpha1,
} from './schema.ts';
