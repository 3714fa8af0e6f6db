/** Thresholds: how many equal runs in a row make a result. Pure. @see spec/podprobemarker.md 5.3 */
import type { ContainerProbe } from '@kruise/api';
import type { ProbeOutcome } from './probe-outcome.ts';

/** Equal outcomes in a row. */
export interface Runs {
  readonly state: ProbeOutcome['state'] | undefined;
  readonly count: number;
}

export const noRuns: Runs = { state: undefined, count: 0 };

/** Returns a number of a probe: anything below 1 counts as 1. */
export const atLeastOne = (value: number | undefined): number => Math.max(1, value ?? 1);

export const countRun = (runs: Runs, { state }: ProbeOutcome): Runs => ({ state, count: runs.state === state ? runs.count + 1 : 1 });

export function isDecided({ state, count }: Runs, { successThreshold, failureThreshold }: ContainerProbe): boolean {
  return count >= atLeastOne(state === 'Succeeded' ? successThreshold : failureThreshold);
}
