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
export { validatePersistentPodState } from './validation.ts';
export type { PersistentPodStateRules, WorkloadGroupKind } from './validation.ts';
export { persistentPodStateWarnings } from './warnings.ts';
