/** WorkloadSpread: declaration, types and conversion. */
export { workloadSpreadAnnotations, workloadSpreadFakeSubset, workloadSpreadWhiteListKey } from './names.ts';
export { converter as workloadSpreadConverter } from './conversion.ts';
export { declaration as workloadSpreadDeclaration, workloadSpreads, workloadSpreadsV1Alpha1 } from './schema.ts';
export type {
  WorkloadSpread,
  WorkloadSpreadScheduleStrategy,
  WorkloadSpreadSpec,
  WorkloadSpreadStatus,
  WorkloadSpreadSubset,
  WorkloadSpreadSubsetStatus,
  WorkloadSpreadV1Alpha1,
} from './schema.ts';
export { isSpreadable, unworkableSpread, validateWorkloadSpread, workloadSpreadFindings } from './validation.ts';
export type { SpreadSupport, WorkloadSpreadFindings, WorkloadSpreadRules } from './validation.ts';
export type { SpreadTemplate } from './validation-subset.ts';
