/** Outcomes of test files for tests of the runner. */
import type { FileOutcome } from './tally.ts';

interface FileShape {
  readonly name: string;
  /** Of its tests, in order. */
  readonly results?: readonly string[];
  /** Of the file; by default what its tests say. */
  readonly status?: string;
  /** When it ran, in ms; at an unknown time by default. */
  readonly span?: readonly [from: number, to: number];
  readonly message?: string;
}

const endOfRun = 1_000_000;

export const aFile = ({ name, results = [], status, span = [endOfRun, endOfRun], message = '' }: FileShape): FileOutcome => ({
  name,
  status: status ?? (results.includes('failed') ? 'failed' : 'passed'),
  startTime: span[0],
  endTime: span[1],
  message,
  assertionResults: results.map((result, index) => ({ status: result, fullName: `${name} test ${index + 1}` })),
});
