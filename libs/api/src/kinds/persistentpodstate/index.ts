/** PersistentPodState: declaration, types and conversion. */
export { persistentPodStateAnnotations, persistentPodStateWhiteListKey } from './names.ts';
export { converter as persistentPodStateConverter } from './conversion.ts';
export { declaration as persistentPodStateDeclaration, persistentPodStates, persistentPodStatesV1Alpha1 } from './schema.ts';
export type {
  PersistentPodState,
  PersistentPodStateSpec,
  PersistentPodStateStatus,
  PersistentPodStateV1Alpha1,
  PodState,
} from './schema.ts';
