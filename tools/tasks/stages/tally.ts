/** What a run of tests has shown, and what adds up several of them. Pure. */

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const nothing: Tally = { passed: 0, failed: 0, skipped: 0 };
/** A step that is no test failed: it counts as one failed test, so that no failure is lost in the sum. */
export const oneFailure: Tally = { passed: 0, failed: 1, skipped: 0 };

const sum = (tallies: readonly Tally[]): Tally =>
  tallies.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }), nothing);

/** Returns the last line of every test program. Skipped tests are in it when there are some. */
export const summaryLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;

/** The part of Jest's `--json` output that counts. */
export interface JestOutcome {
  /** In the order in which the files ended. */
  readonly testResults: readonly FileOutcome[];
}

/** One test file. */
export interface FileOutcome {
  /** Its absolute path. */
  readonly name: string;
  readonly status: string;
  /** Both are the end of the whole run, in ms, when the file did not load or left something open. */
  readonly startTime: number;
  readonly endTime: number;
  /** What Jest prints about its failures. */
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[];
  }[];
}

const isFailed = ({ status }: { readonly status: string }): boolean => status === 'failed';
const isPassed = ({ status }: { readonly status: string }): boolean => status === 'passed';

/** Returns the files in which something failed. */
export const failedFiles = (outcome: JestOutcome): readonly FileOutcome[] => outcome.testResults.filter(isFailed);

/** A file that did not load, or left something open, has no failed test of its own: it counts as one. */
function tallyOfFile(file: FileOutcome): Tally {
  const { assertionResults: results } = file;
  const failed = results.filter(isFailed).length;
  const passed = results.filter(isPassed).length;
  return { passed, failed: failed === 0 && isFailed(file) ? 1 : failed, skipped: results.length - passed - failed };
}

/**
 * Counts the tests of one run of Jest.
 *
 * @param outcome undefined when Jest wrote none
 * @param exitCode of Jest; when it is not 0 something failed, whatever the numbers say
 * @param mayBeEmpty whether a run without tests is no failure
 */
export function tallyOf(outcome: JestOutcome | undefined, exitCode: number, mayBeEmpty = false): Tally {
  if (outcome === undefined) return oneFailure;
  const total = sum(outcome.testResults.map(tallyOfFile));
  const isEmpty = !mayBeEmpty && total.passed + total.failed === 0;
  return total.failed === 0 && (exitCode !== 0 || isEmpty) ? sum([total, oneFailure]) : total;
}

/** A test that did not run. */
export interface SkippedTest {
  readonly file: string;
  /** With the names of its blocks, and the reason that `skipUnless` has put into one of them. */
  readonly name: string;
}

export const skippedTests = ({ testResults }: JestOutcome): readonly SkippedTest[] =>
  testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.filter((result) => !isPassed(result) && !isFailed(result)).map(({ fullName }) => ({ file, name: fullName })),
  );

/** The end of the log of a program that a failed file has started. */
export interface LogEnd {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Something that failed: a test file, or a step that is no test. */
export interface Failure {
  /** Path of the file, or title of the step. */
  readonly name: string;
  readonly message: string;
  readonly logs: readonly LogEnd[];
}

/** How long something took, in ms. */
export interface Timing {
  readonly name: string;
  readonly ms: number;
}

/** What a stage, or several of them, have shown. */
export interface Report {
  readonly tally: Tally;
  readonly skipped: readonly SkippedTest[];
  readonly failures: readonly Failure[];
  /** Tests in quarantine that failed: see quarantine.ts. */
  readonly quarantined: readonly Failure[];
  /** Every test file, by path. */
  readonly files: readonly Timing[];
  /** In the order in which they ran. */
  readonly stages: readonly Timing[];
}

export const countOnly = (tally: Tally): Report => ({ tally, skipped: [], failures: [], quarantined: [], files: [], stages: [] });

/** Returns the report of a step that is no test and has failed. */
export const failedStep = (name: string, message: string, logs: readonly LogEnd[] = []): Report => ({
  ...countOnly(oneFailure),
  failures: [{ name, message, logs }],
});

/** Returns how long each file took. A file that did not load has no time. */
export const timesOfFiles = ({ testResults }: JestOutcome): readonly Timing[] =>
  testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }));

export const joined = (reports: readonly Report[]): Report => ({
  tally: sum(reports.map(({ tally }) => tally)),
  skipped: reports.flatMap(({ skipped }) => skipped),
  failures: reports.flatMap(({ failures }) => failures),
  quarantined: reports.flatMap(({ quarantined }) => quarantined),
  files: reports.flatMap(({ files }) => files),
  stages: reports.flatMap(({ stages }) => stages),
});

const hasReason = ({ name }: SkippedTest): boolean => /\(skipped: \S.*\)/.test(name);

/** Returns how many tests were skipped without a reason. There must be none. */
export const skippedWithoutReason = ({ skipped }: Report): number => skipped.filter((test) => !hasReason(test)).length;

/** Returns the sum of a run, in which tests that were skipped without a reason count as one failure. */
export const totalOf = (report: Report): Tally => sum([report.tally, skippedWithoutReason(report) > 0 ? oneFailure : nothing]);
