/** PersistentPodState: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { declaration, persistentPodStates, persistentPodStatesV1Alpha1 } from './schema.ts';
export type {
  PersistentPodState,
  PersistentPodStateSpec,
  PersistentPodStateStatus,
  PersistentPodStateV1Alpha1,
  PodState,
} from './schema.ts';
