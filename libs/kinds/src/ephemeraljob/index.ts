export { plan, stagesOf, subjectsOf } from './plan.ts';
export type { Action, Plan, Snapshot } from './plan.ts';
export { containerProgress, podProgress } from './progress.ts';
export { marked, specOf, templateOf } from './template.ts';
