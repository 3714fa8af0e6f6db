export { withRememberedPlace } from './inject.ts';
export { asksForOtherState, asksForState, planGenerate } from './plan-generate.ts';
export type { GenerateAction, GenerateSnapshot } from './plan-generate.ts';
export { nodesToDoubt, nodesToRead, planRecord } from './plan-record.ts';
export type { RecordSnapshot, RecordedWorkload } from './plan-record.ts';
export { plan } from './plan.ts';
export type { Plan, Snapshot } from './plan.ts';
export { byRecordedNode, isStatefulSet, isSupported } from './target.ts';
