/** Bounds of references from one object to others, and of the requests that they cause. */
import type { Limits } from './limit.ts';

export const referenceLimits = {} as const satisfies Limits;
