/** StatefulSet: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { declaration, statefulSets, statefulSetsV1Alpha1 } from './schema.ts';
export type {
  StatefulSet,
  StatefulSetSpec,
  StatefulSetSpecV1Alpha1,
  StatefulSetStatus,
  StatefulSetStatusV1Alpha1,
  StatefulSetV1Alpha1,
} from './schema.ts';
