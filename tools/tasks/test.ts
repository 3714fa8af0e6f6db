/**
 * `npm test`: static checks (types, lint, format, generated files), unit tests, integration tests on a real etcd and kube-apiserver.
 * Everything runs even when something fails before it. Last line: `N passed, N failed`, and `, N skipped` if any; a
 * failed check counts as one failed test. Before it: what was skipped, and what is unsteady.
 */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { createProgress, ensureBinaries } from '@kruise/testing';
import { runJest } from './jest-tier.ts';
import { root, runProgram, signalOfEnd } from './run-program.ts';
import {
  countOnly,
  joined,
  lastLines,
  mostUnsteady,
  nothing,
  oneFailure,
  type Report,
  sum,
  summaryLine,
  type Tally,
  totalOf,
} from './tally.ts';

const usage = `usage: npm test [-- --only static|unit|integration] [-- PATTERN ...]

  --only TIER   run that tier alone
  PATTERN       run only the test files whose path fits`;

const tiers = ['static', 'unit', 'integration'] as const;
type TierName = (typeof tiers)[number];

const minutes = (count: number): number => count * 60_000;
const progress = createProgress((line) => console.error(line));
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

interface Check {
  readonly title: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Two lanes that take about the same time. Lint takes longer than all others together, so a part of it is in the second lane. */
const checks: readonly (readonly Check[])[] = [
  [
    // Without it the linter knows nothing of the layers.
    {
      title: 'project graph',
      file: 'node_modules/nx/dist/bin/nx.js',
      args: ['graph', '--file=node_modules/.cache/project-graph.json'],
      env: { NX_DAEMON: 'false' },
    },
    {
      title: 'lint of apps, libs and the rest',
      file: 'node_modules/eslint/bin/eslint.js',
      args: ['.', '--max-warnings', '0', '--ignore-pattern', 'tools/**', '--ignore-pattern', 'e2e/**'],
    },
  ],
  [
    { title: 'types', file: 'node_modules/typescript/bin/tsc', args: ['--noEmit', '-p', 'tsconfig.json'] },
    { title: 'format', file: 'node_modules/prettier/bin/prettier.cjs', args: ['--check', '.', '--log-level', 'warn'] },
    { title: 'generated files', file: 'tools/generate/main.ts', args: ['--check'] },
    // The project graph is there by now.
    { title: 'lint of tools and e2e', file: 'node_modules/eslint/bin/eslint.js', args: ['tools', 'e2e', '--max-warnings', '0'] },
  ],
];

async function runCheck(check: Check, signal: AbortSignal): Promise<Tally> {
  const began = performance.now();
  const { code, output, timedOut } = await runProgram({ ...check, passOn: false, timeoutMs: minutes(8), signal });
  if (code === 0) {
    progress.note(`${check.title}: good (${seconds(began)})`);
    return nothing;
  }
  progress.note(`${check.title}: FAILED${timedOut ? ', it took too long' : ''} (${seconds(began)})\n${output.trim()}`);
  return oneFailure;
}

async function runStatic(signal: AbortSignal): Promise<Tally> {
  const lanes = checks.map(async (lane) => {
    const tallies: Tally[] = [];
    for (const check of lane) tallies.push(await runCheck(check, signal));
    return sum(tallies);
  });
  return sum(await Promise.all(lanes));
}

async function runIntegration(patterns: readonly string[], signal: AbortSignal): Promise<Report> {
  try {
    await ensureBinaries(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'], progress);
  } catch (error) {
    progress.note(`integration tests cannot run without a control plane: ${error instanceof Error ? error.message : String(error)}`);
    return countOnly(oneFailure);
  }
  return runJest({
    env: { KRUISE_TEST_TIER: 'integration' },
    patterns,
    workers: 2,
    timeoutMs: minutes(30),
    signal,
    mayBeUnsteady: mostUnsteady,
  });
}

async function runTier(tier: TierName, patterns: readonly string[], signal: AbortSignal): Promise<Report> {
  progress.note(`${tier}…`);
  switch (tier) {
    case 'static':
      return countOnly(await runStatic(signal));
    case 'unit':
      return runJest({ patterns, workers: 2, timeoutMs: minutes(12), signal, mayBeUnsteady: 0 });
    case 'integration':
      return runIntegration(patterns, signal);
  }
}

function parse(args: readonly string[]): { readonly tiers: readonly TierName[]; readonly patterns: readonly string[] } | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) return usage;
    const only = tiers.find((tier) => tier === values.only);
    if (values.only !== undefined && only === undefined)
      return `--only must be ${tiers.join(', ')}, not ${JSON.stringify(values.only)}\n${usage}`;
    const chosen = only === undefined ? tiers.filter((tier) => tier !== 'static' || positionals.length === 0) : [only];
    return { tiers: chosen, patterns: positionals };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${usage}`;
  }
}

async function main(): Promise<number> {
  const command = parse(process.argv.slice(2));
  if (typeof command === 'string') {
    console.error(command);
    return command === usage ? 0 : 2;
  }
  const signal = signalOfEnd();
  const reports: Report[] = [];
  for (const tier of command.tiers) {
    if (signal.aborted) break;
    const began = performance.now();
    const report = await runTier(tier, command.patterns, signal);
    const { failed } = report.tally;
    const details = tier === 'static' ? (failed === 0 ? 'good' : `${failed} failed`) : summaryLine(report.tally);
    progress.note(`${tier}: ${details} (${seconds(began)})`);
    reports.push(report);
  }
  if (signal.aborted) reports.push(countOnly(oneFailure));
  const report = joined(reports);
  for (const line of lastLines(report, (file) => relative(root, file))) console.log(line);
  return totalOf(report).failed === 0 ? 0 : 1;
}

// At once: nothing that is left open holds up who waits for this.
process.exit(await main());
