/** Runs the actions of a plan, those of neighbouring Pods beside each other: what one Pod refuses stops none of the others. */
import { asError, inParallel, isFailure } from '@kruise/kube';
import type { Action } from './action.ts';
import { execute, type Io } from './execute.ts';

/** Writes under way at a time for one SidecarSet; the API server's own limits do the rest. */
const parallelWrites = 16;

export interface Failed {
  readonly action: Action;
  readonly error: Error;
}

/** Nobody is there to answer, or the process ends: the others would fail as well. */
const endsAll = (error: Error, signal: AbortSignal): boolean => signal.aborted || isFailure(error, 'Unreachable', 'Aborted');

/** @returns the failures, in the order they came */
export async function executeAll(actions: readonly Action[], io: Io, signal: AbortSignal): Promise<readonly Failed[]> {
  const failures: Failed[] = [];
  let ended = false;
  await inParallel(actions, parallelWrites, async (action) => {
    if (ended) return;
    try {
      await execute(action, io, signal);
    } catch (thrown) {
      const error = asError(thrown);
      failures.push({ action, error });
      ended ||= endsAll(error, signal);
    }
  });
  return failures;
}
