export { childOf, faultOf, imageOf, plan } from './plan.ts';
export type { Action, Plan, Snapshot } from './plan.ts';
