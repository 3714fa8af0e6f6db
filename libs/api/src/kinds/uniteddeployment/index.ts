/** UnitedDeployment: declaration, types and conversion. */
export { unitedDeploymentAnnotations, unitedDeploymentLabels } from './names.ts';
export { converter as unitedDeploymentConverter } from './conversion.ts';
export { declaration as unitedDeploymentDeclaration, unitedDeployments, unitedDeploymentsV1Alpha1 } from './schema.ts';
export type {
  UnitedDeployment,
  UnitedDeploymentSpec,
  UnitedDeploymentStatus,
  UnitedDeploymentStatusV1Alpha1,
  UnitedDeploymentSubset,
  UnitedDeploymentV1Alpha1,
} from './schema.ts';
