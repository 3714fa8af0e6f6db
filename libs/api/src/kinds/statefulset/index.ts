/** StatefulSet: declaration, types and conversion. */
export { statefulSetAnnotations } from './names.ts';
export { ordinalSlots, parsePodOrdinal, parseReservedOrdinals } from './ordinals.ts';
export type { OrdinalChoice, OrdinalRange, OrdinalSlots, ReservedOrdinals } from './ordinals.ts';
export { classesToLookUp, resizesWithUpdate, validateClaimGrowth } from './claim-growth.ts';
export { defaultStatefulSet } from './defaults.ts';
export type { StatefulSetDefaulting, StatefulSetVersion } from './defaults.ts';
export { validateStatefulSetUpdate } from './validation.ts';
export { statefulSetObstacle, statefulSetWarnings, validateStatefulSet } from './rules.ts';
export type { StatefulSetWarningOptions } from './warnings.ts';
export { converter as statefulSetConverter } from './conversion.ts';
export { declaration as statefulSetDeclaration, statefulSets, statefulSetsV1Alpha1 } from './schema.ts';
export type {
  StatefulSet,
  StatefulSetSpec,
  StatefulSetSpecV1Alpha1,
  StatefulSetStatus,
  StatefulSetStatusV1Alpha1,
  StatefulSetV1Alpha1,
} from './schema.ts';
