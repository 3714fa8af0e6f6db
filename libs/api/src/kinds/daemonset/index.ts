/** DaemonSet: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { daemonSets, daemonSetsV1Alpha1, declaration } from './schema.ts';
export type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetSpecV1Alpha1,
  DaemonSetStatus,
  DaemonSetStatusV1Alpha1,
  DaemonSetV1Alpha1,
} from './schema.ts';
