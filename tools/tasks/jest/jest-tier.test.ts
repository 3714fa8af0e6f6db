import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { logFolderOf, logRootVariable } from '@kruise/testing';
import { type JestRun, type RunJest, runJest, type Tier } from './jest-tier.ts';
import type { FileOutcome } from '../stages/tally.ts';
import { aFile } from '../stages/tally.testing.ts';

const passed = (name: string): FileOutcome => aFile({ name, results: ['passed'], span: [0, 5] });
const failed = (name: string): FileOutcome => aFile({ name, results: ['failed'], message: `${name} has failed`, span: [5, 12] });
const ends =
  (code: number, ...testResults: readonly FileOutcome[]): RunJest =>
  async (): Promise<JestRun> => ({ code, outcome: { testResults } });

const tier = (given: Partial<Tier> = {}): Tier => ({
  name: 'unit',
  patterns: [],
  workers: 1,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  ...given,
});

describe('a tier', () => {
  it('reports its tests and how long each file took', async () => {
    expect(await runJest(tier(), ends(0, passed('a'), passed('b')))).toEqual({
      tally: { passed: 2, failed: 0, skipped: 0 },
      skipped: [],
      failures: [],
      quarantined: [],
      files: [
        { name: 'a', ms: 5 },
        { name: 'b', ms: 5 },
      ],
      stages: [{ name: 'unit', ms: expect.any(Number) }],
    });
  });

  it('runs each file once: a failed one has failed', async () => {
    let runs = 0;
    const run: RunJest = (...args) => {
      runs += 1;
      return ends(1, passed('a'), failed('x'))(...args);
    };
    expect(await runJest(tier(), run)).toMatchObject({
      tally: { passed: 1, failed: 1 },
      failures: [{ name: 'x', message: 'x has failed', logs: [] }],
    });
    expect(runs).toBe(1);
  });

  it('shows the last 50 lines of three logs of a failed file, those of our programs first, and none of the others', async () => {
    const run: RunJest = async (_args, env) => {
      for (const [file, names] of [
        ['a', ['manager.log']],
        ['x', ['etcd.log', 'kube-apiserver.log', 'kube-scheduler.log', 'manager.log']],
      ] as const) {
        const folder = logFolderOf(env[logRootVariable]!, file);
        mkdirSync(folder, { recursive: true });
        for (const name of names) writeFileSync(join(folder, name), Array.from({ length: 60 }, (_, n) => `${name} ${n}\n`).join(''));
      }
      return { code: 1, outcome: { testResults: [passed('a'), failed('x')] } };
    };
    const [failure] = (await runJest(tier(), run)).failures;
    expect(failure?.logs.map(({ name }) => name)).toEqual(['manager.log', 'kube-apiserver.log', 'kube-scheduler.log']);
    expect(failure?.logs[0]?.lines).toHaveLength(50);
    expect(failure?.logs[0]?.lines.at(-1)).toBe('manager.log 59');
  });

  it('passes when only a test in quarantine fails, and reports it', async () => {
    const entries = [{ file: 'libs/x.test.ts', test: '/p/libs/x.test.ts test 1', reason: 'a port is in use', since: '2026-01-10' }];
    const report = await runJest(tier(), ends(1, passed('a'), failed('/p/libs/x.test.ts')), { entries, problems: [] });
    expect(report).toMatchObject({ tally: { passed: 1, failed: 0 }, failures: [] });
    expect(report.quarantined.map(({ name }) => name)).toEqual(['/p/libs/x.test.ts: /p/libs/x.test.ts test 1']);
  });

  it('fails when an entry of the quarantine is too old', async () => {
    const report = await runJest(tier(), ends(0, passed('a')), { entries: [], problems: ['entry 1 is older than 14 days'] });
    expect(report).toMatchObject({ tally: { passed: 1, failed: 1 }, failures: [{ name: 'quarantine' }] });
  });

  it('passes its patterns on, and may then have nothing to run', async () => {
    const asked: (readonly string[])[] = [];
    const run: RunJest = async (args) => {
      asked.push(args);
      return { code: 0, outcome: { testResults: [] } };
    };
    expect((await runJest(tier({ patterns: ['some'] }), run)).tally).toEqual({ passed: 0, failed: 0, skipped: 0 });
    expect((await runJest(tier(), run)).tally).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(asked).toEqual([['--passWithNoTests', 'some'], []]);
  });

  it.each<{ name: string; given: JestRun }>([
    { name: 'ends without an outcome', given: { code: 1, outcome: undefined } },
    { name: 'ends badly though its tests pass', given: { code: 1, outcome: { testResults: [passed('a')] } } },
  ])('that $name has one failure, which names it', async ({ given }) => {
    const report = await runJest(tier(), async () => given);
    expect(report.tally.failed).toBe(1);
    expect(report.failures).toEqual([{ name: 'unit', message: expect.stringContaining('code 1'), logs: [] }]);
  });

  it('reports its skipped tests', async () => {
    expect(await runJest(tier(), ends(0, aFile({ name: 'a', results: ['passed', 'pending'] })))).toMatchObject({
      tally: { skipped: 1 },
      skipped: [{ file: 'a', name: 'a test 2' }],
    });
  });
});
