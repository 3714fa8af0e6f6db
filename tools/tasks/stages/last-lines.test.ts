import { describe, expect, it } from '@jest/globals';
import { lastLines } from './last-lines.ts';
import { countOnly, type Failure, type Report } from './tally.ts';

const linesOf = (given: Partial<Report>): readonly string[] =>
  lastLines({ ...countOnly({ passed: 40, failed: 0, skipped: 0 }), ...given }, (file) => file.replace('/p/', ''));

const failure = (given: Partial<Failure> = {}): Failure => ({ name: '/p/a.test.ts', message: '● it works', logs: [], ...given });

describe('the end of the output', () => {
  it('is one line when there is nothing else to report', () => {
    expect(linesOf({ tally: { passed: 42, failed: 1, skipped: 0 } })).toEqual(['42 passed, 1 failed']);
  });

  it('shows how long the stages took, with their sum, and the 20 slowest files', () => {
    const files = Array.from({ length: 30 }, (_, n) => ({ name: `/p/${n}`, ms: n * 1000 }));
    const stages = [
      { name: 'static', ms: 62_300 },
      { name: 'unit', ms: 140_000 },
    ];
    const lines = linesOf({ stages, files });
    expect(lines.slice(0, 6)).toEqual([
      'Stages:',
      '   62.3 s  static',
      '  140.0 s  unit',
      '  202.3 s  total',
      'Slowest files:',
      '  29.0 s  29',
    ]);
    expect(lines).toHaveLength(4 + 21 + 1);
  });

  it('shows how long the run took when stages ran at the same time', () => {
    const stages = [
      { name: 'static', ms: 62_300 },
      { name: 'unit', ms: 140_000 },
    ];
    const report = { ...countOnly({ passed: 1, failed: 0, skipped: 0 }), stages };
    expect(lastLines(report, (file) => file, 150_000)[3]).toBe('  150.0 s  total');
  });

  it('names each skipped test with its reason, and counts them', () => {
    const skipped = [{ file: '/p/a', name: 'a disk is full (skipped: needs root)' }];
    expect(linesOf({ skipped, tally: { passed: 3, failed: 0, skipped: 1 } })).toEqual([
      'SKIPPED a: a disk is full (skipped: needs root)',
      '3 passed, 0 failed, 1 skipped',
    ]);
  });

  it('reports a test that was skipped without a reason, which fails the run', () => {
    const skipped = [{ file: '/p/a', name: 'a disk is full (skipped: )' }];
    expect(linesOf({ skipped, tally: { passed: 3, failed: 0, skipped: 1 } })).toEqual([
      'SKIPPED a: a disk is full (skipped: )',
      '1 skipped without a reason (see skipUnless of @kruise/testing): the run has failed',
      '3 passed, 1 failed, 1 skipped',
    ]);
  });

  it('shows what failed, without colours, with the logs concerned, right before the summary', () => {
    const message = '\n\u001b[31m● it works\u001b[39m\n\n  expected 1';
    const failures = [failure({ message, logs: [{ name: 'manager.log', lines: ['one', 'two'] }] })];
    expect(linesOf({ failures, tally: { passed: 3, failed: 1, skipped: 0 } })).toEqual([
      'FAILED a.test.ts',
      '  | ● it works',
      '  |   expected 1',
      '  the last 2 lines of manager.log:',
      '  | one',
      '  | two',
      '3 passed, 1 failed',
    ]);
  });

  it('shows the failure of a test in quarantine, which does not fail the run', () => {
    const quarantined = [failure({ name: '/p/a.test.ts: it works', message: 'in quarantine since 2026-01-10: a port is in use' })];
    expect(linesOf({ quarantined, tally: { passed: 3, failed: 0, skipped: 0 } })).toEqual([
      'QUARANTINED a.test.ts: it works',
      '  | in quarantine since 2026-01-10: a port is in use',
      '3 passed, 0 failed',
    ]);
  });

  it('shows 60 lines of a message, and the messages of five files', () => {
    const message = Array.from({ length: 70 }, (_, n) => `line ${n}`).join('\n');
    const long = linesOf({ failures: [failure({ message })] });
    expect(long).toHaveLength(1 + 60 + 1 + 1);
    expect(long.at(-2)).toBe('  | … 10 more lines above');
    const many = linesOf({ failures: Array.from({ length: 7 }, (_, n) => failure({ name: `/p/${n}` })) });
    expect(many.filter((line) => line.startsWith('FAILED'))).toEqual(['5', '6', '0', '1', '2', '3', '4'].map((n) => `FAILED ${n}`));
  });
});
