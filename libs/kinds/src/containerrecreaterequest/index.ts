export { isCompleted, notReadyKeyOf, plan, silentAgent, stagesOf } from './plan.ts';
export type { Action, Plan, Seen } from './plan.ts';
