export { leftBehindOf, planFirstCondition, planReset } from './plan.ts';
export type { ConditionPatch } from './plan.ts';
