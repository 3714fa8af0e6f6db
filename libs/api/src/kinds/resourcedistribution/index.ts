/** ResourceDistribution: declaration, types and conversion. */
export { resourceDistributionAnnotations } from './names.ts';
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
