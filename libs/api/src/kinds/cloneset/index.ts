/** CloneSet: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { cloneSets, cloneSetsV1Alpha1, declaration } from './schema.ts';
export type { CloneSet, CloneSetSpec, CloneSetSpecV1Alpha1, CloneSetStatus, CloneSetV1Alpha1 } from './schema.ts';
