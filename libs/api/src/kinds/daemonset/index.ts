/** DaemonSet: declaration, types and conversion. */
export { daemonSetAnnotations } from './names.ts';
export { converter as daemonSetConverter } from './conversion.ts';
export { daemonSets, daemonSetsV1Alpha1, declaration as daemonSetDeclaration } from './schema.ts';
export type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetSpecV1Alpha1,
  DaemonSetStatus,
  DaemonSetStatusV1Alpha1,
  DaemonSetV1Alpha1,
} from './schema.ts';
