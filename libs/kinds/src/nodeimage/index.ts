export { silentNode } from './plan-silence.ts';
export type { Silence } from './plan-silence.ts';
export { isVirtual, plan, untilCreation } from './plan.ts';
export type { Action, Plan } from './plan.ts';
export type { Context, Snapshot } from './snapshot.ts';
