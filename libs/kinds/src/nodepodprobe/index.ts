export { withoutEndedPods } from './plan-list.ts';
export type { NodePods } from './plan-list.ts';
export { planMarksPatch, planResultsPatch } from './plan-results.ts';
export { plan, stagesOf } from './plan.ts';
export type { Action, Plan, Snapshot } from './plan.ts';
