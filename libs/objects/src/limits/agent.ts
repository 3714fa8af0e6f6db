/** Bounds of what the node agent runs at a time. */
import type { Limits } from './limit.ts';

export const agentLimits = {} as const satisfies Limits;
