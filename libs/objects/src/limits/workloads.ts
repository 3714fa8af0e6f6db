/** Bounds of what a workload controller plans and reads. */
import type { Limits } from './limit.ts';

export const workloadLimits = {} as const satisfies Limits;
