/** What ends the output of a test program, for a reader who looks at the end only. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { type Failure, type Report, skippedWithoutReason, summaryLine, type Timing, totalOf } from './tally.ts';

const slowestFiles = 20;
/** Of one failed file; and of how many files the message is printed. */
const messageLines = 60;
const printedFailures = 5;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function table(title: string, rows: readonly Timing[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(({ ms }) => seconds(ms).length));
  return [title, ...rows.map(({ name, ms }) => `  ${seconds(ms).padStart(width)}  ${name}`)];
}

const slowest = (files: readonly Timing[]): readonly Timing[] =>
  files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, slowestFiles)
    .filter(({ ms }) => ms > 0);

const sumOf = (stages: readonly Timing[]): number => stages.reduce((all, { ms }) => all + ms, 0);

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  | ${line}`);

function linesOf({ name, message, logs }: Failure, pathOf: (file: string) => string, word = 'FAILED'): readonly string[] {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [
    `${word} ${pathOf(name)}`,
    ...indented(lines.slice(0, messageLines)),
    ...(lines.length > messageLines ? [`  | … ${lines.length - messageLines} more lines above`] : []),
    ...logs.flatMap((log) => [`  the last ${log.lines.length} lines of ${log.name}:`, ...indented(log.lines)]),
  ];
}

function quarantineLines(quarantined: readonly Failure[], pathOf: (file: string) => string): readonly string[] {
  return quarantined.flatMap((failure) => linesOf(failure, pathOf, 'QUARANTINED'));
}

function failureLines(failures: readonly Failure[], pathOf: (file: string) => string): readonly string[] {
  const rest = failures.slice(printedFailures).map(({ name }) => `FAILED ${pathOf(name)}`);
  return [...rest, ...failures.slice(0, printedFailures).flatMap((failure) => linesOf(failure, pathOf))];
}

/**
 * Returns the last lines of a run: how long each stage and the slowest files took, the tests that did not run, what failed with the end of the logs
 * concerned, and the summary.
 *
 * @param pathOf writes a file's path as a reader wants it; leaves the title of a step as it is
 * @param totalMs of the run. The default is the sum of its stages, which is more than the run took if some ran at the same time
 */
export function lastLines(report: Report, pathOf: (file: string) => string, totalMs = sumOf(report.stages)): readonly string[] {
  const total: Timing = { name: 'total', ms: totalMs };
  const files = slowest(report.files).map(({ name, ms }) => ({ name: pathOf(name), ms }));
  const mute = skippedWithoutReason(report);
  return [
    ...table('Stages:', report.stages.length > 1 ? [...report.stages, total] : report.stages),
    ...table('Slowest files:', files),
    ...report.skipped.map(({ file, name }) => `SKIPPED ${pathOf(file)}: ${name}`),
    ...(mute > 0 ? [`${mute} skipped without a reason (see skipUnless of @kruise/testing): the run has failed`] : []),
    ...quarantineLines(report.quarantined, pathOf),
    ...failureLines(report.failures, pathOf),
    summaryLine(totalOf(report)),
  ];
}
