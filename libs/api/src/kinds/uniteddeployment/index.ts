/** UnitedDeployment: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { declaration, unitedDeployments, unitedDeploymentsV1Alpha1 } from './schema.ts';
export type {
  UnitedDeployment,
  UnitedDeploymentSpec,
  UnitedDeploymentStatus,
  UnitedDeploymentStatusV1Alpha1,
  UnitedDeploymentSubset,
  UnitedDeploymentV1Alpha1,
} from './schema.ts';
