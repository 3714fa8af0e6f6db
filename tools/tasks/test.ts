/**
 * `npm test`: static checks (types, lint, format, generated files), unit tests, integration tests on a real etcd and kube-apiserver; with `--e2e`
 * the tests on real nodes as well. Static checks and unit tests run beside the tests on real nodes, which leave the processor idle most of that
 * time. A stage that fails ends the run. Last line: `N passed, N failed`, and `, N skipped` if any; a failed check counts as one failed test. Before
 * it: times of stages and files, what was skipped, what failed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProgress, ensureBinaries } from '@kruise/testing';
import { runJest } from './jest/jest-tier.ts';
import { integrationPrograms } from './stages/integration-programs.ts';
import { lastLines } from './stages/last-lines.ts';
import { endWith, pathInProject, printLines, runProgram, signalOfEnd } from './run-program.ts';
import { runStages, type Stage } from './stages/run-stages.ts';
import { slowRunWarning } from './stages/slow-run.ts';
import { StaticChecks } from './stages/static-checks.ts';
import { failedStep, joined, type Report, summaryLine, totalOf } from './stages/tally.ts';

const usage = `usage: npm test [-- --quick | --e2e | --only TIER] [-- --keep-going] [-- PATTERN ...]

  --quick        static checks, and unit tests with a quarter of the cases of each search: 4 minutes on two cores
  --e2e          also the tests on real nodes (needs root)
  --only TIER    run that tier alone: static, unit, integration or e2e
  --keep-going   run the other tiers even when one has failed
  PATTERN        run only the test files whose path matches`;

/** In the order in which they start. The tests on real nodes begin with those that wait most: see `tools/tasks/e2e.ts`. */
const tiers = ['e2e', 'static', 'unit', 'integration'] as const;
type TierName = (typeof tiers)[number];

/** The tiers of each flag, apart from `--only`. */
const tiersOf = {
  quick: new Set<TierName>(['static', 'unit']),
  default: new Set<TierName>(['static', 'unit', 'integration']),
  e2e: new Set<TierName>(tiers),
};

const minutes = (count: number): number => count * 60_000;
const progress = createProgress((line) => console.error(line));

async function runIntegration(patterns: readonly string[], signal: AbortSignal): Promise<Report> {
  try {
    await ensureBinaries(integrationPrograms, progress, process.env, signal);
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
    const { code } = await runProgram({
      file: 'tools/tasks/e2e.ts',
      args: patterns,
      env,
      passOn: true,
      timeoutMs: minutes(75),
      graceMs: minutes(2),
      signal,
    });
    const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
    return code !== 0 && totalOf(report).failed === 0 ? joined([report, failedStep('e2e', `it ended with code ${code}`)]) : report;
  } catch (error) {
    return failedStep('e2e', `it ended without a report: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const quickEnv = { KRUISE_TEST_TIER: 'quick' };

/** Static checks run beside the tests that follow. */
function stageOf(tier: TierName, { patterns, isQuick }: Command): Stage {
  const stage = (run: Stage['run']): Stage => ({ name: tier, run: (signal) => (progress.note(`${tier}…`), run(signal)) });
  switch (tier) {
    case 'static': {
      const checks = new StaticChecks(progress);
      return { ...stage((signal) => checks.run(signal)), leavesRoom: checks.leaveRoom };
    }
    case 'unit':
      return stage((signal) =>
        runJest({ name: 'unit', patterns, workers: 2, timeoutMs: minutes(25), signal, ...(isQuick ? { env: quickEnv } : {}) }),
      );
    case 'integration':
      return { ...stage((signal) => runIntegration(patterns, signal)), isAlone: true };
    case 'e2e':
      return { ...stage((signal) => runE2e(patterns, signal)), leavesRoom: Promise.resolve() };
  }
}

interface Command {
  readonly tiers: readonly TierName[];
  readonly patterns: readonly string[];
  readonly keepGoing: boolean;
  readonly isQuick: boolean;
}

/** What the arguments request. @throws when they cannot be understood */
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
    throw new Error(`--only must be one of ${tiers.toSorted().join(', ')}, not ${JSON.stringify(values.only)}`);
  if ([values.only !== undefined, values.quick, values.e2e].filter(Boolean).length > 1)
    throw new Error('--quick, --e2e and --only cannot be combined');
  const wanted = tiersOf[values.quick ? 'quick' : values.e2e ? 'e2e' : 'default'];
  const chosen = only === undefined ? tiers.filter((tier) => wanted.has(tier) && (tier !== 'static' || positionals.length === 0)) : [only];
  return { tiers: chosen, patterns: positionals, keepGoing: values['keep-going'], isQuick: values.quick };
}

async function runTiers(command: Command, signal: AbortSignal): Promise<Report> {
  const onEnd = (tier: string, report: Report, ms: number): void => {
    const { failed } = totalOf(report);
    const details = tier === 'static' ? (failed === 0 ? 'good' : `${failed} failed`) : summaryLine(report.tally);
    progress.note(`${tier}: ${details} (${(ms / 1000).toFixed(1)} s)`);
  };
  const stages = command.tiers.map((tier) => stageOf(tier, command));
  const report = await runStages(stages, { keepGoing: command.keepGoing, onEnd }, signal);
  return signal.aborted ? joined([report, failedStep('the run', 'it was ended by a signal')]) : report;
}

async function main(): Promise<number> {
  const load = loadavg()[0] ?? 0;
  const command = parse(process.argv.slice(2));
  if (command === 'help') {
    console.error(usage);
    return 0;
  }
  const began = performance.now();
  const report = await runTiers(command, signalOfEnd());
  const totalMs = performance.now() - began;
  await printLines([...slowRunWarning(report.stages, totalMs, load), ...lastLines(report, pathInProject, totalMs)]);
  return totalOf(report).failed === 0 ? 0 : 1;
}

await endWith(main, usage);
