/** PodUnavailableBudget: declaration, types and conversion. */
export { podUnavailableBudgetAnnotations, podUnavailableBudgetLabels } from './names.ts';
export { converter as podUnavailableBudgetConverter } from './conversion.ts';
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
