/** What tests are counted as, and the lines that end every test program. Pure. */
import { stripVTControlCharacters } from 'node:util';

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

/** The last line; whoever adds up several programs reads it. Skipped tests are in it when there are some. */
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
  /** What Jest says of its failures. */
  readonly message: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

const isFailed = ({ status }: { readonly status: string }): boolean => status === 'failed';
const isPassed = ({ status }: { readonly status: string }): boolean => status === 'passed';

/** The files in which something failed. */
export const failedFiles = (outcome: JestOutcome): readonly FileOutcome[] => outcome.testResults.filter(isFailed);

/** A file that did not load, or left something open, has no failed test of its own: it counts as one. */
export function tallyOfFile(file: FileOutcome): Tally {
  const { assertionResults: results } = file;
  const failed = results.filter(isFailed).length;
  const passed = results.filter(isPassed).length;
  return { passed, failed: failed === 0 && isFailed(file) ? 1 : failed, skipped: results.length - passed - failed };
}

/**
 * @param outcome undefined when Jest wrote none
 * @param exitCode of Jest; when it is not 0 something failed, whatever the numbers say
 * @param mayBeEmpty whether it is fine that there was nothing to run
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
  /** With the names of what it stands in, and the reason that `skipUnless` has put into one of them. */
  readonly name: string;
}

export const skippedTests = ({ testResults }: JestOutcome): readonly SkippedTest[] =>
  testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.filter((result) => !isPassed(result) && !isFailed(result)).map(({ fullName }) => ({ file, name: fullName })),
  );

/** A file that fails in some runs and passes in others: a race, in the test or in the program. */
export interface UnsteadyFile {
  readonly file: string;
  /** What Jest said when it failed. */
  readonly failure: string;
}

/** What a tier, or several of them, have shown. */
export interface Report {
  readonly tally: Tally;
  readonly skipped: readonly SkippedTest[];
  readonly unsteady: readonly UnsteadyFile[];
}

export const countOnly = (tally: Tally): Report => ({ tally, skipped: [], unsteady: [] });

/** More unsteady files than these in one run are no accident, and fail it. */
export const mostUnsteady = 2;

const failureLines = 30;
const hasReason = ({ name }: SkippedTest): boolean => /\(skipped: \S.*\)/.test(name);

function beginningOf(failure: string): readonly string[] {
  const lines = stripVTControlCharacters(failure).split('\n');
  return lines.filter((line) => line.trim() !== '').slice(0, failureLines);
}

export const joined = (reports: readonly Report[]): Report => ({
  tally: sum(reports.map(({ tally }) => tally)),
  skipped: reports.flatMap(({ skipped }) => skipped),
  unsteady: reports.flatMap(({ unsteady }) => unsteady),
});

/** What fails a run besides its failed tests: each is a line that says it, and counts as one failed test. */
function faultsOf({ skipped, unsteady }: Report): readonly string[] {
  const mute = skipped.filter((test) => !hasReason(test)).length;
  return [
    ...(mute > 0 ? [`${mute} skipped without a reason (see skipUnless of @kruise/testing): the run has failed`] : []),
    ...(unsteady.length > mostUnsteady ? [`${unsteady.length} unsteady files, more than ${mostUnsteady}: the run has failed`] : []),
  ];
}

/** The sum of a run, {@link faultsOf} it included. */
export const totalOf = (report: Report): Tally => sum([report.tally, ...faultsOf(report).map(() => oneFailure)]);

/**
 * What ends the output of a run, for whoever reads its end only: the tests that did not run, the files that are unsteady with the beginning of
 * what they failed with, and the summary. `.ci/run` finds the first two kinds of line by how they begin.
 */
export function lastLines(report: Report, pathOf: (file: string) => string): readonly string[] {
  return [
    ...report.skipped.map(({ file, name }) => `SKIPPED ${pathOf(file)}: ${name}`),
    ...report.unsteady.flatMap(({ file, failure }) => [
      `UNSTEADY ${pathOf(file)}: it fails in some runs and passes in others; it failed with`,
      ...beginningOf(failure).map((line) => `  | ${line}`),
    ]),
    ...faultsOf(report),
    summaryLine(totalOf(report)),
  ];
}
