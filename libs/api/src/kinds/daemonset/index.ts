/** DaemonSet: declaration, types, conversion, defaults, validation and warnings. */
export { daemonSetAnnotations } from './names.ts';
export { converter as daemonSetConverter } from './conversion.ts';
export { defaultDaemonSet } from './defaults.ts';
export type { DaemonSetDefaulting, DaemonSetVersion } from './defaults.ts';
export { validateDaemonSetUpdate } from './validation.ts';
export { daemonSetObstacle, daemonSetWarnings, validateDaemonSet } from './rules.ts';
export type { DaemonSetValidation } from './validation.ts';
export type { DaemonSetWarningOptions } from './warnings.ts';
export { daemonSets, daemonSetsV1Alpha1, declaration as daemonSetDeclaration } from './schema.ts';
export type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetSpecV1Alpha1,
  DaemonSetStatus,
  DaemonSetStatusV1Alpha1,
  DaemonSetV1Alpha1,
} from './schema.ts';
