/** Runs the actions of a plan, those of neighbouring Pods beside each other: what one Pod refuses stops none of the others. */
import { isFailure } from '@kruise/kube';
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
  let next = 0;
  let ended = false;
  const worker = async (): Promise<void> => {
    for (let action = actions[next++]; action !== undefined && !ended; action = actions[next++]) {
      try {
        await execute(action, io, signal);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        failures.push({ action, error });
        ended ||= endsAll(error, signal);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelWrites, actions.length) }, worker));
  return failures;
}
