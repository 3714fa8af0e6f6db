export type { Batch, BatchEnd, ChangePlan, ClaimChange, FieldChange, PlanFacts, WorkloadPlan } from './change-plan.ts';
export { planReads } from './plan-reads.ts';
export { countsText, pods } from './counts-text.ts';
export { actsOfChange, planChange } from './plan-change.ts';
export type { Act } from './run/simulated-pods.ts';
export { withDefaults } from './with-defaults.ts';
