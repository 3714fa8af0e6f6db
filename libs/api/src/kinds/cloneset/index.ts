/** CloneSet: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { defaultCloneSet } from './defaults.ts';
export type { CloneSetDefaulting, CloneSetVersion } from './defaults.ts';
export { validateCloneSet, validateCloneSetUpdate } from './validation.ts';
export type { CloneSetValidation } from './validation.ts';
export { cloneSetWarnings } from './warnings.ts';
export type { CloneSetWarningOptions } from './warnings.ts';
export { cloneSets, cloneSetsV1Alpha1, declaration } from './schema.ts';
export type { CloneSet, CloneSetSpec, CloneSetSpecV1Alpha1, CloneSetStatus, CloneSetV1Alpha1 } from './schema.ts';
