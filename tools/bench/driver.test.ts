import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tablesOf, type BenchRun } from './driver.ts';
import { readResults } from './results/files.ts';
import { withTables } from './results/results.ts';
import { renderPage } from './results/page.ts';
import { scenarioNames } from './scenarios.ts';

const machine = { cores: 2, cpu: 'C', memoryGiB: 8, node: 'v24', kubernetes: '1.34', loadAtStart: 0.4 };
const rows = [{ what: 'x (s)', ours: 1 }];
const run: BenchRun = {
  measuredAt: '2026-11-21T18:44:59.787Z',
  machine,
  results: {
    rollout: { rows, details: [], tables: { 'rollout-cpu': { columns: ['phase'], cells: [['create']] } } },
    store: { rows, details: [], tables: {} },
  },
  failures: [],
};

it('the tables of a run have the day, the machine, the command with the sizes that the scenario reads, and the load', () => {
  expect(tablesOf(run, { pods: 5 })).toEqual({
    rollout: { recordedAt: '2026-11-21', machine, options: ['rollout', '--pods', '5'], loadAtStart: 0.4, rows },
    'rollout-cpu': { recordedAt: '2026-11-21', machine, columns: ['phase'], cells: [['create']] },
    store: { recordedAt: '2026-11-21', machine, options: ['store'], loadAtStart: 0.4, rows },
  });
});

it('the page has a place for every scenario', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8');
  const results = Object.fromEntries(scenarioNames.map((name) => [name, { rows, details: [], tables: {} }]));
  expect(() => renderPage(page, withTables(readResults(), tablesOf({ ...run, results }, {})))).not.toThrow();
});
