/** Which subsets the failures of a pass concern. */
import { mostSpecificError } from '@kruise/kube';
import { compareUtf8, type PlanResult } from '@kruise/objects';
import { subsetOfAction, type Action, UnrenderableChild } from '@kruise/kinds/uniteddeployment';

/** What failed of the children, and of which subset that was. */
export interface ChildFailure {
  readonly error: Error;
  readonly about?: string;
}

/** What says most of the failures of some stages, in the order of the subsets' names; else what could not be rendered. */
export function failureIn(results: readonly PlanResult<Action>[], stages: readonly string[]): ChildFailure | undefined {
  const all = results
    .flatMap((result) => stages.flatMap((stage) => result.stages.get(stage)?.failures ?? []))
    .toSorted((a, b) => compareUtf8(subsetOfAction(a.action), subsetOfAction(b.action)));
  const faults = all.filter((failed) => failed.error instanceof UnrenderableChild).map((failed) => failed.error.message);
  const failures = all.filter((failed) => !(failed.error instanceof UnrenderableChild));
  const error = mostSpecificError(failures.map((failed) => failed.error));
  const failed = failures.find((one) => one.error === error);
  if (failed !== undefined) {
    const subset = subsetOfAction(failed.action);
    return subset === '' ? { error: failed.error } : { error: failed.error, about: `subset ${subset}` };
  }
  return faults.length === 0 ? undefined : { error: new Error(faults.join('; ')) };
}

/** Subsets of which something was refused in a stage, or is left to the next pass. */
export function undoneIn(result: PlanResult<Action>, stage: string): ReadonlySet<string> {
  const { failures = [], left = [] } = result.stages.get(stage) ?? {};
  return new Set([...failures.map(({ action }) => action), ...left].map(subsetOfAction));
}
