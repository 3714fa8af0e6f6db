/** SidecarSet: declaration, types, conversion, defaults and validation. */
export { sidecarSetAnnotations, sidecarSetEnvNames, sidecarSetLabels, sidecarSetWhiteListKey } from './names.ts';
export { sidecarSetConflicts } from './conflicts.ts';
export { conflictSubjects } from './conflict-subjects.ts';
export type { ConflictSubject } from './conflict-subjects.ts';
export { converter as sidecarSetConverter } from './conversion.ts';
export { defaultSidecarSet } from './defaults.ts';
export { compileResourceExpression } from './resources-expression/resource-expression.ts';
export type { CompiledExpression, Evaluated, ExpressionResource, ResourceExpression } from './resources-expression/resource-expression.ts';
export { declaration as sidecarSetDeclaration, sidecarSets, sidecarSetsV1Alpha1 } from './schema.ts';
export type {
  SidecarContainer,
  SidecarResourcesPolicy,
  SidecarSet,
  SidecarSetInjectionStrategy,
  SidecarSetPatchPodMetadata,
  SidecarSetSpec,
  SidecarSetStatus,
  SidecarSetUpdateStrategy,
  SidecarSetV1Alpha1,
  SidecarTransferEnv,
} from './schema.ts';
export { sidecarSetBaseOf, validateSidecarSet, validateSidecarSetStrictly, validateSidecarSetUpdate } from './validation.ts';
export type { SidecarSetValidation } from './validation.ts';
export { sidecarSetWarnings } from './warnings.ts';
export { validatePatchedAnnotations } from './white-list.ts';
