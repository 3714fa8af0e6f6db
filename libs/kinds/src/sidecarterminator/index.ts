export { isRefusedForLong, plan, retryWait } from './plan.ts';
export type { Action, Warning } from './plan.ts';
export { isTermination, newRequest, requestName } from './request.ts';
export { isDue } from './sidecars.ts';
