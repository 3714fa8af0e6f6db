/**
 * Files that failed are tried again under the load that they failed under: which files run, and what follows from how they end. Pure.
 *
 * A try repeats the part of the first run that the failed files stood in, in the same order and with as many workers: with several workers the files
 * that ran at the same time, with one worker the file right before, whose leftovers it may have stumbled on. This company has passed already and does
 * not count twice; what fails of it now is unsteady itself. A file must pass {@link tries} times: one that fails in half of its runs gets through
 * once in eight. A try takes no longer than the first run took. When more files failed than may be unsteady, the run has failed whatever a try would
 * show, and there is none.
 */
import { failedFiles, type FileOutcome, type JestOutcome, sum, type Tally, tallyOfFile, type UnsteadyFile } from './tally.ts';

export const tries = 3;

interface Span {
  readonly from: number;
  readonly to: number;
}

const isTimed = ({ startTime, endTime }: FileOutcome): boolean => startTime < endTime;

const endOf = (results: readonly FileOutcome[], index: number): number => results.slice(index).find(isTimed)?.endTime ?? Infinity;

/** When a file ran. Where Jest does not tell: from when the file `workers` places before it ended until the next one did. */
function spanOf(results: readonly FileOutcome[], index: number, workers: number): Span {
  const result = results[index]!;
  if (isTimed(result)) return { from: result.startTime, to: result.endTime };
  return { from: index < workers ? -Infinity : endOf(results, index - workers), to: endOf(results, index) };
}

/** Paths of what one try runs, in the order in which they began. */
export function filesOfTry({ testResults: results }: JestOutcome, workers: number): readonly string[] {
  const files = results.map((result, index) => ({ ...result, index, ...spanOf(results, index, workers) }));
  const failed = files.filter(({ status }) => status === 'failed');
  const isBeside = (file: (typeof files)[number], other: (typeof files)[number]): boolean =>
    workers === 1 ? file.index === other.index - 1 : file.from < other.to && other.from < file.to;
  const chosen = files.filter((file) => failed.some((other) => file === other || isBeside(file, other)));
  return chosen.sort((a, b) => (workers > 1 && a.from !== b.from ? a.from - b.from : a.index - b.index)).map(({ name }) => name);
}

const hasNotPassed = ({ testResults }: JestOutcome, name: string): boolean =>
  !testResults.some((file) => file.name === name && file.status !== 'failed');

/** Whether another try could still change anything. */
export const isOpen = (first: JestOutcome, outcomes: readonly JestOutcome[]): boolean =>
  outcomes.length < tries && failedFiles(first).some(({ name }) => !outcomes.some((outcome) => hasNotPassed(outcome, name)));

/** What the tries have shown; {@link Verdict.tally} replaces that of the first run. */
export interface Verdict {
  readonly tally: Tally;
  readonly unsteady: readonly UnsteadyFile[];
}

/**
 * @param outcomes of the tries; fewer than {@link tries} prove nothing
 */
export function verdictOf(first: JestOutcome, outcomes: readonly JestOutcome[]): Verdict {
  const hasPassed = ({ name }: FileOutcome): boolean =>
    outcomes.length === tries && outcomes.every((outcome) => !hasNotPassed(outcome, name));
  const failedBefore = failedFiles(first);
  const recovered = failedBefore.filter(hasPassed);
  const company = outcomes.flatMap(failedFiles).filter(({ name }) => !failedBefore.some((file) => file.name === name));
  const firstOfEach = [...recovered, ...company].filter(({ name }, at, all) => all.findIndex((file) => file.name === name) === at);
  return {
    tally: sum(
      first.testResults.map((file) => {
        const last = recovered.includes(file) ? outcomes.at(-1)?.testResults.find(({ name }) => name === file.name) : undefined;
        return tallyOfFile(last ?? file);
      }),
    ),
    unsteady: firstOfEach.map(({ name, message }) => ({ file: name, failure: message })),
  };
}
