export { isCompleted, notReadyKeyOf, plan, stagesOf } from './plan.ts';
export type { Action, Plan, Seen } from './plan.ts';
