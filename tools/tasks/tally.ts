/** What tests are counted as, and the one line that ends every test program. Pure. */

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const nothing: Tally = { passed: 0, failed: 0, skipped: 0 };
/** A step that is no test failed: it counts as one failed test, so that no failure is lost in the sum. */
export const oneFailure: Tally = { passed: 0, failed: 1, skipped: 0 };

export const sum = (tallies: readonly Tally[]): Tally =>
  tallies.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }), nothing);

/** The last line; whoever adds up several programs reads it. */
export const summaryLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`;

/** The part of Jest's `--json` output that counts. */
export interface JestOutcome {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  /** Files that did not come to run their tests. */
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly FileOutcome[];
}

/** One test file. */
export interface FileOutcome {
  /** Its absolute path. */
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

const isFailed = ({ status }: { readonly status: string }): boolean => status === 'failed';

/** Paths of the files in which something failed. */
export const failedFiles = (outcome: JestOutcome): readonly string[] => outcome.testResults.filter(isFailed).map(({ name }) => name);

/** What remains of a run when its failed files are taken out, to be counted by their second run. */
export function withoutFailedFiles(outcome: JestOutcome): Tally {
  const results = outcome.testResults.filter((file) => !isFailed(file)).flatMap((file) => file.assertionResults);
  const passed = results.filter(({ status }) => status === 'passed').length;
  return { passed, failed: 0, skipped: results.length - passed };
}

/**
 * @param outcome undefined when Jest wrote none
 * @param exitCode of Jest; when it is not 0 something failed, whatever the numbers say
 * @param mayBeEmpty whether it is fine that there was nothing to run
 */
export function tallyOf(outcome: JestOutcome | undefined, exitCode: number, mayBeEmpty = false): Tally {
  if (outcome === undefined) return oneFailure;
  const failed = outcome.numFailedTests + outcome.numRuntimeErrorTestSuites;
  const isEmpty = !mayBeEmpty && outcome.numPassedTests + failed === 0;
  return {
    passed: outcome.numPassedTests,
    failed: failed === 0 && (exitCode !== 0 || isEmpty) ? 1 : failed,
    skipped: outcome.numPendingTests,
  };
}
