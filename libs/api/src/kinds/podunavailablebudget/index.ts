/** PodUnavailableBudget: declaration, types, conversion, validation, and the operations that it protects from. */
export { podUnavailableBudgetAnnotations, podUnavailableBudgetLabels } from './names.ts';
export { converter as podUnavailableBudgetConverter } from './conversion.ts';
export { protectedOperations, protectedTotal } from './protect.ts';
export {
  declaration as podUnavailableBudgetDeclaration,
  podUnavailableBudgets,
  podUnavailableBudgetsV1Alpha1,
  pubOperations,
} from './schema.ts';
export type {
  PodUnavailableBudget,
  PodUnavailableBudgetSpec,
  PodUnavailableBudgetStatus,
  PodUnavailableBudgetV1Alpha1,
  PubOperation,
} from './schema.ts';
export { budgetOverlaps, validatePodUnavailableBudget } from './validation.ts';
export type { OverlapOf } from './validation.ts';
export { podUnavailableBudgetWarnings } from './warnings.ts';
