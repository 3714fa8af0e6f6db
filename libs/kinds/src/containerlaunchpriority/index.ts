export { barrierName, hasLevels, newBarrier } from './barrier.ts';
export { injectBarrier } from './inject-barrier.ts';
export { plan } from './plan.ts';
export type { Action } from './plan.ts';
export { isNews } from './triggers.ts';
