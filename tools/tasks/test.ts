/**
 * `npm test`: static checks (types, lint, format, generated files), unit tests, integration tests on a real etcd and kube-apiserver; with `--e2e`
 * the tests on real nodes as well. A stage that fails ends the run. Last line: `N passed, N failed`, and `, N skipped` if any; a failed check counts
 * as one failed test. Before it: times of stages and files, what was skipped, what failed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProgress, ensureBinaries } from '@kruise/testing';
import { runJest } from './jest-tier.ts';
import { lastLines } from './last-lines.ts';
import { endWith, pathInProject, printLines, runProgram, signalOfEnd } from './run-program.ts';
import { slowRunWarning } from './slow-run.ts';
import { countOnly, failedStep, joined, nothing, type Report, summaryLine, totalOf } from './tally.ts';

const usage = `usage: npm test [-- --quick | --e2e | --only TIER] [-- --keep-going] [-- PATTERN ...]

  --quick        static checks and unit tests, 5.5 minutes on two cores
  --e2e          also the tests on real nodes (needs root)
  --only TIER    run that tier alone: static, unit, integration or e2e
  --keep-going   run the other tiers even when one has failed
  PATTERN        run only the test files whose path matches`;

const tiers = ['static', 'unit', 'integration', 'e2e'] as const;
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

async function runCheck(check: Check, signal: AbortSignal): Promise<Report> {
  const began = performance.now();
  const { code, output, timedOut } = await runProgram({ ...check, passOn: false, timeoutMs: minutes(8), signal });
  if (code === 0) {
    progress.note(`${check.title}: good (${seconds(began)})`);
    return countOnly(nothing);
  }
  progress.note(`${check.title}: FAILED${timedOut ? ', it took too long' : ''} (${seconds(began)})\n${output.trim()}`);
  return failedStep(check.title, output.trim());
}

async function runStatic(signal: AbortSignal): Promise<Report> {
  const began = performance.now();
  const lanes = checks.map(async (lane) => {
    const reports: Report[] = [];
    for (const check of lane) reports.push(await runCheck(check, signal));
    return joined(reports);
  });
  const report = joined(await Promise.all(lanes));
  return { ...report, stages: [{ name: 'static', ms: performance.now() - began }] };
}

async function runIntegration(patterns: readonly string[], signal: AbortSignal): Promise<Report> {
  try {
    await ensureBinaries(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'helm'], progress);
  } catch (error) {
    return failedStep('integration', `no control plane: ${error instanceof Error ? error.message : String(error)}`);
  }
  // More than cores: files wait for leases, restarts and clocks most of their time.
  const env = { KRUISE_TEST_TIER: 'integration' };
  return runJest({ name: 'integration', env, patterns, workers: 4, timeoutMs: minutes(30), signal });
}

/** A program of its own, which removes its cluster whatever happens to this one. */
async function runE2e(patterns: readonly string[], signal: AbortSignal): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-e2e-'));
  const path = join(folder, 'report.json');
  try {
    const env = { KRUISE_E2E_REPORT: path };
    const { code } = await runProgram({ file: 'tools/tasks/e2e.ts', args: patterns, env, passOn: true, timeoutMs: minutes(75), signal });
    const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
    return code !== 0 && totalOf(report).failed === 0 ? joined([report, failedStep('e2e', `it ended with code ${code}`)]) : report;
  } catch (error) {
    return failedStep('e2e', `it ended without a report: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runTier(tier: TierName, patterns: readonly string[], signal: AbortSignal): Promise<Report> {
  progress.note(`${tier}…`);
  switch (tier) {
    case 'static':
      return runStatic(signal);
    case 'unit':
      return runJest({ name: 'unit', patterns, workers: 2, timeoutMs: minutes(12), signal });
    case 'integration':
      return runIntegration(patterns, signal);
    case 'e2e':
      return runE2e(patterns, signal);
  }
}

interface Command {
  readonly tiers: readonly TierName[];
  readonly patterns: readonly string[];
  readonly keepGoing: boolean;
}

/** What the arguments ask for. @throws when they cannot be understood */
function parse(args: readonly string[]): Command | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      e2e: { type: 'boolean', default: false },
      'keep-going': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const only = tiers.find((tier) => tier === values.only);
  if (values.only !== undefined && only === undefined)
    throw new Error(`--only must be one of ${tiers.join(', ')}, not ${JSON.stringify(values.only)}`);
  if ([values.only !== undefined, values.quick, values.e2e].filter(Boolean).length > 1)
    throw new Error('--quick, --e2e and --only cannot be combined');
  const last: TierName = values.quick ? 'unit' : values.e2e ? 'e2e' : 'integration';
  const upToLast = tiers.slice(0, tiers.indexOf(last) + 1);
  const chosen = only === undefined ? upToLast.filter((tier) => tier !== 'static' || positionals.length === 0) : [only];
  return { tiers: chosen, patterns: positionals, keepGoing: values['keep-going'] };
}

async function runTiers({ tiers: chosen, patterns, keepGoing }: Command, signal: AbortSignal): Promise<Report> {
  const reports: Report[] = [];
  for (const tier of chosen) {
    if (signal.aborted) break;
    const began = performance.now();
    const report = await runTier(tier, patterns, signal);
    const { failed } = totalOf(report);
    const details = tier === 'static' ? (failed === 0 ? 'good' : `${failed} failed`) : summaryLine(report.tally);
    progress.note(`${tier}: ${details} (${seconds(began)})`);
    reports.push(report);
    if (failed > 0 && !keepGoing) break;
  }
  if (signal.aborted) reports.push(failedStep('the run', 'it was ended by a signal'));
  return joined(reports);
}

async function main(): Promise<number> {
  const load = loadavg()[0] ?? 0;
  const command = parse(process.argv.slice(2));
  if (command === 'help') {
    console.error(usage);
    return 0;
  }
  const report = await runTiers(command, signalOfEnd());
  await printLines([...slowRunWarning(report.stages, load), ...lastLines(report, pathInProject)]);
  return totalOf(report).failed === 0 ? 0 : 1;
}

await endWith(main, usage);
