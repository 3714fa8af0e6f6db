/**
 * Runs the actions of a plan in their order. Neighbours of one kind run together: creations in batches of 1, 2, 4, … so that a quota that
 * is used up costs one call, the others a bounded number at a time. The first failure stops what has not begun.
 */
import { asError, inParallel, isFailure, slowStart } from '@kruise/kube';
import type { Action } from './action.ts';
import { execute } from './execute.ts';
import type { Io } from './io.ts';

/** Writes under way at a time for one CloneSet; the API server's own limits do the rest. */
const parallelWrites = 32;

export interface Executed {
  /** Actions that were done. */
  readonly done: number;
  readonly error?: Error;
}

/** Runs of actions of one kind, in order. */
function groupByKind(actions: readonly Action[]): readonly (readonly Action[])[] {
  const groups: Action[][] = [];
  for (const action of actions) {
    const last = groups.at(-1);
    if (last?.[0]?.kind === action.kind) last.push(action);
    else groups.push([action]);
  }
  return groups;
}

/** A conflict on one object says nothing about the others: they go on, and the conflict comes back at the end. */
async function runTogether(group: readonly Action[], io: Io, signal: AbortSignal): Promise<Executed> {
  let done = 0;
  let stop: Error | undefined;
  let conflict: Error | undefined;
  await inParallel(group, parallelWrites, async (action) => {
    if (stop !== undefined) return;
    try {
      await execute(action, io, signal);
      done++;
    } catch (error) {
      if (isFailure(error, 'Conflict')) conflict ??= error;
      else stop ??= asError(error);
    }
  });
  const error = stop ?? conflict;
  return { done, ...(error === undefined ? {} : { error }) };
}

async function runSlowly(group: readonly Action[], io: Io, signal: AbortSignal): Promise<Executed> {
  const { succeeded, failure } = await slowStart(group.length, (index) => execute(group[index] as Action, io, signal), signal);
  return { done: succeeded, ...(failure === undefined ? {} : { error: asError(failure.error) }) };
}

export async function executeAll(actions: readonly Action[], io: Io, signal: AbortSignal): Promise<Executed> {
  let done = 0;
  for (const group of groupByKind(actions)) {
    const ran = await (group[0]?.kind === 'CreatePod' ? runSlowly : runTogether)(group, io, signal);
    done += ran.done;
    if (ran.error !== undefined) return { done, error: ran.error };
  }
  return { done };
}
