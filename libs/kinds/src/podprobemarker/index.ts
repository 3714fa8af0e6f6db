export type { Action } from './action.ts';
export { planNodeProbes } from './plan-node-probes.ts';
export { planServerlessMarks } from './plan-serverless.ts';
export { objectOf, plan, stagesOf, statusOf } from './plan.ts';
export type { Plan, Snapshot } from './plan.ts';
