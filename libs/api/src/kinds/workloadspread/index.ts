/** WorkloadSpread: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { declaration, workloadSpreads, workloadSpreadsV1Alpha1 } from './schema.ts';
export type {
  WorkloadSpread,
  WorkloadSpreadScheduleStrategy,
  WorkloadSpreadSpec,
  WorkloadSpreadStatus,
  WorkloadSpreadSubset,
  WorkloadSpreadSubsetStatus,
  WorkloadSpreadV1Alpha1,
} from './schema.ts';
