import { describe, expect, it } from '@jest/globals';
import { percentOf, scoreOf, survivors, type MutationReport, type ReportedMutant } from './results.ts';

const source = ['const two = 1 + 1;', '  return limit(', '    two,', '  );', ''].join('\n');
const mutant = (status: ReportedMutant['status'], more: Partial<ReportedMutant> = {}): ReportedMutant => ({
  mutatorName: 'ArithmeticOperator',
  replacement: '1 - 1',
  status,
  location: { start: { line: 1, column: 13 }, end: { line: 1, column: 18 } },
  ...more,
});
const report = (...mutants: readonly ReportedMutant[]): MutationReport => ({ files: { 'a.ts': { source, mutants } } });

describe('survivors', () => {
  it('are reported with the line they begin on and what becomes of it, on one line', () => {
    const call = { start: { line: 2, column: 10 }, end: { line: 4, column: 4 } };
    expect(
      survivors(report(mutant('NoCoverage', { location: call, replacement: 'limit()' }), mutant('Survived'), mutant('Killed'))),
    ).toEqual([
      { file: 'a.ts', line: 1, code: 'const two = 1 + 1;', mutant: '1 + 1 -> 1 - 1', covered: true },
      { file: 'a.ts', line: 2, code: 'return limit(', mutant: 'limit( two, ) -> limit()', covered: false },
    ]);
  });
});

describe('the score', () => {
  const all = report(mutant('Killed'), mutant('Timeout'), mutant('Survived'), mutant('Ignored'), mutant('RuntimeError'));

  it('counts a mutant that never ended as killed, and neither ignored nor broken ones', () => {
    const score = scoreOf(all, {});
    expect([score.killed, score.mutants, percentOf(score)]).toEqual([2, 3, 66.6]);
  });

  it('distinguishes survivors with a reason from others; a reason kills nothing', () => {
    const entry = { code: 'const two = 1 + 1;', mutant: '1 + 1 -> 1 - 1', why: 'nobody reads it' };
    const score = scoreOf(all, { 'a.ts': [entry] });
    expect(score.known).toEqual([{ file: 'a.ts', line: 1, code: entry.code, mutant: entry.mutant, covered: true, why: entry.why }]);
    expect([score.unknown, score.stale, percentOf(score)]).toEqual([[], [], 66.6]);
  });

  it('names entries that fit no survivor any more, of the files that were looked at', () => {
    const entry = { code: 'const three = 3;', mutant: '3 -> 0', why: 'it was' };
    const score = scoreOf(all, { 'a.ts': [entry], 'b.ts': [entry] });
    expect([score.unknown.length, score.stale]).toEqual([1, [entry]]);
  });

  it('of nothing is full', () => {
    expect(percentOf(scoreOf(report(), {}))).toBe(100);
  });

  it.each([
    [899, 1000, 89.9],
    [8999, 10_000, 89.9],
    [900, 1000, 90],
  ])('of %i in %i is %d %%: never rounded up', (killed, mutants, percent) => {
    expect(percentOf({ killed, mutants })).toBe(percent);
  });
});
