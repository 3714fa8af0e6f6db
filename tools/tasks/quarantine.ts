/**
 * Tests in quarantine, `quarantine.yaml`. They run, and their failures are reported, but do not fail the run. An entry is valid for
 * {@link longestDays} days: until then the cause is found, or the test is deleted.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Failure, FileOutcome, JestOutcome } from './stages/tally.ts';

const longestDays = 14;
const dayMs = 86_400_000;

/** One test in quarantine. */
export interface QuarantineEntry {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Full name, with the names of its blocks. */
  readonly test: string;
  readonly reason: string;
  /** Date of the entry, `YYYY-MM-DD`. */
  readonly since: string;
}

export interface Quarantine {
  readonly entries: readonly QuarantineEntry[];
  /** What is wrong with the list. A faulty entry is not in `entries`. */
  readonly problems: readonly string[];
}

const fields = ['file', 'test', 'reason', 'since'] as const;

function problemOf(entry: Readonly<Record<string, unknown>>, now: number): string | undefined {
  const missing = fields.filter((name) => typeof entry[name] !== 'string' || entry[name].trim() === '');
  if (missing.length > 0) return `has no ${missing.join(', ')}`;
  const age = now - Date.parse(String(entry['since']));
  if (!(age > -dayMs)) return `has a \`since\` that is not a past date: ${String(entry['since'])}`;
  return age > longestDays * dayMs ? `is older than ${longestDays} days` : undefined;
}

/** Parses the list. @param now in ms since 1970, which decides whether an entry is too old */
export function parseQuarantine(text: string, now: number): Quarantine {
  const list: unknown = parse(text) ?? [];
  if (!Array.isArray(list)) return { entries: [], problems: ['the quarantine is not a list'] };
  const judged = list.map((value: unknown, index) => {
    const entry = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
    return { entry, index, problem: problemOf(entry, now) };
  });
  return {
    entries: judged.flatMap(({ entry, problem }) => (problem === undefined ? [entry as unknown as QuarantineEntry] : [])),
    problems: judged.flatMap(({ entry, index, problem }) =>
      problem === undefined ? [] : [`entry ${index + 1} of the quarantine (${JSON.stringify(entry['test'])}) ${problem}`],
    ),
  };
}

export const readQuarantine = (now = Date.now()): Quarantine =>
  parseQuarantine(readFileSync(join(import.meta.dirname, 'quarantine.yaml'), 'utf8'), now);

/** A run of Jest without the tests in quarantine that failed, and these. */
export interface Released {
  readonly code: number;
  readonly outcome: JestOutcome;
  readonly quarantined: readonly Failure[];
}

/**
 * Removes the failures of tests in quarantine. Their files pass unless something else in them failed, and the run passes unless something else in it
 * failed.
 *
 * @param code exit code of Jest
 * @remarks What fails a run outside of any test file, in the same run as a test in quarantine, is not distinguished from that test.
 */
export function withoutQuarantined(outcome: JestOutcome, code: number, entries: readonly QuarantineEntry[]): Released {
  const quarantined: Failure[] = [];
  const release = (file: FileOutcome): FileOutcome => {
    const kept = file.assertionResults.filter(({ status, fullName, failureMessages = [] }) => {
      const entry = status === 'failed' && entries.find(({ file: path, test }) => file.name.endsWith(`/${path}`) && test === fullName);
      if (entry === false || entry === undefined) return true;
      const head = `in quarantine since ${entry.since}: ${entry.reason}`;
      quarantined.push({ name: `${file.name}: ${fullName}`, message: [head, ...failureMessages].join('\n'), logs: [] });
      return false;
    });
    if (kept.length === file.assertionResults.length) return file;
    return { ...file, assertionResults: kept, status: kept.some(({ status }) => status === 'failed') ? 'failed' : 'passed' };
  };
  const testResults = outcome.testResults.map(release);
  const hasPassed = quarantined.length > 0 && testResults.every(({ status }) => status !== 'failed');
  return { code: hasPassed ? 0 : code, outcome: { testResults }, quarantined };
}
