export type { Action, Note } from './action.ts';
export { classify } from './classify.ts';
export { fitOf } from './fit-memory.ts';
export { labelsOf } from './new-pod.ts';
export { plan, waitsForRemovals } from './plan.ts';
export type { Context, Plan, Snapshot } from './plan.ts';
export { afterActions, endingOf, heldStatus, isStatusChanged, pacedStatus } from './status.ts';
export { examine } from './examine.ts';
