import { describe, expect, it } from '@jest/globals';
import { parseQuarantine, readQuarantine, withoutQuarantined, type QuarantineEntry } from './quarantine.ts';
import { aFile } from './stages/tally.testing.ts';

const now = Date.parse('2026-01-20T12:00:00Z');
const entry: QuarantineEntry = {
  file: 'libs/a.test.ts',
  test: '/p/libs/a.test.ts test 2',
  reason: 'a port is in use',
  since: '2026-01-10',
};
const listOf = (given: object): string => JSON.stringify([{ ...entry, ...given }]);

describe('the list of tests in quarantine', () => {
  it('has only valid entries', () => {
    expect(readQuarantine().problems).toEqual([]);
  });

  it('accepts an entry with a reason for 14 days', () => {
    expect(parseQuarantine(listOf({ since: '2026-01-07' }), now)).toEqual({ entries: [{ ...entry, since: '2026-01-07' }], problems: [] });
  });

  it.each<{ name: string; given: object; problem: string }>([
    { name: 'without a reason', given: { reason: ' ' }, problem: 'has no reason' },
    { name: 'that is older than 14 days', given: { since: '2026-01-05' }, problem: 'is older than 14 days' },
    { name: 'without a date', given: { since: 'soon' }, problem: 'not a past date' },
    { name: 'with a date in the future', given: { since: '2026-03-01' }, problem: 'not a past date' },
  ])('refuses an entry $name', ({ given, problem }) => {
    const { entries, problems } = parseQuarantine(listOf(given), now);
    expect(entries).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('a test in quarantine', () => {
  const name = '/p/libs/a.test.ts';

  it('that fails is reported with the reason, and does not fail its file and the run', () => {
    const { code, outcome, quarantined } = withoutQuarantined({ testResults: [aFile({ name, results: ['passed', 'failed'] })] }, 1, [
      entry,
    ]);
    expect({ code, statuses: outcome.testResults.map(({ status }) => status) }).toEqual({ code: 0, statuses: ['passed'] });
    expect(quarantined).toEqual([
      { name: `${name}: ${entry.test}`, message: 'in quarantine since 2026-01-10: a port is in use', logs: [] },
    ]);
  });

  it('does not hide the failure of another test', () => {
    const { code, outcome } = withoutQuarantined({ testResults: [aFile({ name, results: ['failed', 'failed'] })] }, 1, [entry]);
    expect({ code, statuses: outcome.testResults.map(({ status }) => status) }).toEqual({ code: 1, statuses: ['failed'] });
  });

  it('that passes counts as passed', () => {
    const run = { testResults: [aFile({ name, results: ['passed', 'passed'] })] };
    expect(withoutQuarantined(run, 0, [entry])).toEqual({ code: 0, outcome: run, quarantined: [] });
  });

  it('does not turn a run into a pass in which no test failed', () => {
    expect(withoutQuarantined({ testResults: [] }, 1, [entry]).code).toBe(1);
  });
});
