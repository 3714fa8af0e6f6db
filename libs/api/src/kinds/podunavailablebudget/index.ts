/** PodUnavailableBudget: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { declaration, podUnavailableBudgets, podUnavailableBudgetsV1Alpha1, pubOperations } from './schema.ts';
export type {
  PodUnavailableBudget,
  PodUnavailableBudgetSpec,
  PodUnavailableBudgetStatus,
  PodUnavailableBudgetV1Alpha1,
  PubOperation,
} from './schema.ts';
