/** SidecarSet: declaration, types, conversion and defaults. */
export { converter } from './conversion.ts';
export { defaultSidecarSet } from './defaults.ts';
export type { CorePartDefaults } from './defaults.ts';
export { declaration, sidecarSets, sidecarSetsV1Alpha1 } from './schema.ts';
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
