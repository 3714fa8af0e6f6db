/** StatefulSet: declaration, types and conversion. */
export { statefulSetAnnotations } from './names.ts';
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
