/** CloneSet: declaration, types and conversion. */
export { cloneSetLabels } from './names.ts';
export { converter as cloneSetConverter } from './conversion.ts';
export { normalizeCloneSetTemplate } from './cloneset-to-hub.ts';
export { defaultCloneSet } from './defaults.ts';
export type { CloneSetDefaulting, CloneSetVersion } from './defaults.ts';
export { cloneSetObstacle, cloneSetWarnings, validateCloneSet } from './rules.ts';
export { validateCloneSetUpdate } from './validation.ts';
export type { CloneSetValidation } from './validation.ts';
export type { CloneSetWarningOptions } from './warnings.ts';
export { cloneSets, cloneSetsV1Alpha1, declaration as cloneSetDeclaration } from './schema.ts';
export type { CloneSet, CloneSetSpec, CloneSetSpecV1Alpha1, CloneSetStatus, CloneSetV1Alpha1 } from './schema.ts';
