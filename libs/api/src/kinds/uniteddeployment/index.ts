/** UnitedDeployment: declaration, types, conversion, defaults, validation and warnings. */
export { unitedDeploymentAnnotations, unitedDeploymentLabels } from './names.ts';
export { converter as unitedDeploymentConverter } from './conversion.ts';
export { defaultUnitedDeployment } from './defaults.ts';
export { parseSubsetShare } from './subset-share.ts';
export type { SubsetShare } from './subset-share.ts';
export { validateUnitedDeploymentUpdate } from './validation.ts';
export { unitedDeploymentObstacle, unitedDeploymentWarnings, validateUnitedDeployment } from './rules.ts';
export type { UnitedDeploymentValidation } from './validation-template.ts';
export { declaration as unitedDeploymentDeclaration, unitedDeployments, unitedDeploymentsV1Alpha1 } from './schema.ts';
export type {
  UnitedDeployment,
  UnitedDeploymentSpec,
  UnitedDeploymentStatus,
  UnitedDeploymentStatusV1Alpha1,
  UnitedDeploymentSubset,
  UnitedDeploymentV1Alpha1,
} from './schema.ts';
