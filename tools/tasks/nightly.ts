/**
 * `npm run nightly`: searches that take too long for every change. Properties with many more cases, webhooks asked about large objects of every
 * shape, a rollout killed at every write of twenty Pods, budgets that many clients charge at once, attacks of a tenant in their full size, dashboards
 * and alerts on a real Prometheus, tests on real nodes that repeat integration tests, mutants of every pure rule, other releases of Kubernetes, Helm 3,
 * the plugin for every platform, installed by krew, and the image for every platform. A search that fails does not end the run. Last line: `N passed, N failed`; the runs of
 * mutants and on real nodes count as one test each.
 */
import { availableParallelism } from 'node:os';
import { createProgress, ensureBinaries, kubernetesVersion, testedKubernetes } from '@kruise/testing';
import { ensureCompiler } from '../image/compiler.ts';
import { ensureLibraries } from '../image/debian-libraries.ts';
import { imagePlatforms } from '../image/platforms.ts';
import { ensureNode, pinnedNode } from '../release/node/node-package.ts';
import { platforms } from '../release/platforms.ts';
import { runJest } from './jest/jest-tier.ts';
import { integrationPrograms } from './stages/integration-programs.ts';
import { lastLines } from './stages/last-lines.ts';
import { pathInProject, printLines, runProgram, signalOfEnd } from './run-program.ts';
import { countOnly, failedStep, joined, type Report, totalOf } from './stages/tally.ts';

const hours = (count: number): number => count * 3_600_000;
const progress = createProgress((line) => console.error(line));

interface Search {
  readonly title: string;
  readonly run: (signal: AbortSignal) => Promise<Report>;
}

const tests = (
  patterns: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  timeoutMs = hours(4),
): Promise<Report> =>
  runJest({
    name: patterns.join(' '),
    patterns,
    env: { KRUISE_TEST_TIER: 'nightly', ...env },
    workers: availableParallelism(),
    timeoutMs,
    signal,
  });

const otherKubernetes = (Object.keys(testedKubernetes) as (keyof typeof testedKubernetes)[]).filter(
  (minor) => testedKubernetes[minor] !== kubernetesVersion,
);

/** Integration tests in their full size; with `KRUISE_TEST_TIER: 'integration'` in `env` in their usual one. */
async function integration(patterns: readonly string[], env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Report> {
  await ensureBinaries(integrationPrograms, progress, { ...process.env, ...env }, signal);
  return tests(patterns, { KRUISE_TEST_TIER: 'nightly-integration', ...env }, signal);
}

/** The release of the plugin needs the Node of every platform and krew, which other runs do not fetch. */
async function pluginRelease(signal: AbortSignal): Promise<Report> {
  await ensureBinaries(['krew'], progress, process.env, signal);
  for (const { nodePackage } of platforms) await ensureNode(pinnedNode('plugin', nodePackage));
  return tests(['tools/release/release\\.int\\.test\\.ts$'], { KRUISE_TEST_TIER: 'integration', KRUISE_RELEASE_PLATFORMS: 'all' }, signal);
}

/** The images of all platforms need packages that other runs do not fetch, and a compiler for each platform. */
async function platformImages(signal: AbortSignal): Promise<Report> {
  for (const platform of imagePlatforms) {
    await ensureCompiler(platform);
    await ensureNode(pinnedNode('image', platform.nodePackage));
    await ensureLibraries(platform);
  }
  return tests(
    ['tools/image/platform-images\\.int\\.test\\.ts$'],
    { KRUISE_TEST_TIER: 'integration', KRUISE_IMAGE_PLATFORMS: 'all' },
    signal,
  );
}

/** A program of its own, which removes its cluster whatever happens to this one. */
async function realNodes(signal: AbortSignal): Promise<Report> {
  const { code } = await runProgram({ file: 'tools/tasks/e2e.ts', args: ['--nightly'], passOn: true, timeoutMs: hours(2), signal });
  return code === 0 ? countOnly({ passed: 1, failed: 0, skipped: 0 }) : failedStep('tests on real nodes', `they ended with code ${code}`);
}

async function mutants(signal: AbortSignal): Promise<Report> {
  const { code } = await runProgram({ file: 'tools/mutate/main.ts', passOn: true, timeoutMs: hours(8), signal });
  return code === 0 ? countOnly({ passed: 1, failed: 0, skipped: 0 }) : failedStep('mutants', `it ended with code ${code}`);
}

const searches: readonly Search[] = [
  {
    title: 'properties, 2,000 cases each and more',
    run: (signal) => tests(['(?<!refused-writes)\\.property\\.test\\.ts$'], {}, signal),
  },
  {
    title: 'refused writes, 100,000 runs of each kind',
    run: (signal) => tests(['refused-writes\\.property\\.test\\.ts$'], {}, signal, hours(12)),
  },
  { title: 'a death at every write, in every way', run: (signal) => tests(['/crash\\.test\\.ts$'], {}, signal) },
  {
    title: 'what each webhook costs, every shape of 10 KB to 3 MiB',
    run: (signal) => tests(['webhooks\\.cost\\.property\\.test\\.ts$'], { KRUISE_COST_SHAPES: 'all' }, signal),
  },
  { title: 'a death at every write, 20 Pods', run: (signal) => tests(['cloneset/runs/crash'], { KRUISE_CRASH_PODS: '20' }, signal) },
  {
    title: 'budgets on a real API server, 5,000 rounds of 64 at once',
    run: (signal) => integration(['budget-race\\.int\\.test\\.ts$'], { KRUISE_RACE_ROUNDS: '5000' }, signal),
  },
  {
    title: 'plans compared with a real API server, 600 changes',
    run: (signal) => integration(['plan-predicts\\.int\\.test\\.ts$'], {}, signal),
  },
  {
    title: 'kills of manager and API server under 20 Pods, 150 namespaces and 30 Pods a second',
    run: (signal) =>
      integration(
        ['int-tests/faults', 'resourcedistribution/faults', 'webhook-failsafe'],
        { KRUISE_KILL_PODS: '20', KRUISE_OUTAGE_NAMESPACES: '150', KRUISE_STORM_PER_SECOND: '30', KRUISE_STORM_ROTATIONS: '2' },
        signal,
      ),
  },
  {
    title: 'adopt killed at every write, and every release of the original upgraded and restored',
    run: (signal) => integration(['plugin-adopt\\.int', 'upgrade-from-original\\.int'], {}, signal),
  },
  {
    title: 'a hostile tenant, each attack alone and in its full size',
    run: (signal) => integration(['int-tests/hostile/hostile-tenant'], { KRUISE_HOSTILE_SIZE: 'full' }, signal),
  },
  {
    title: 'tree -w from the event to the screen',
    run: (signal) => integration(['kubectl-kruise/src/tree-delay\\.int'], { KRUISE_TREE_LONGEST_P95: '250' }, signal),
  },
  {
    title: 'queries of dashboards and drills of alerts on a real Prometheus',
    run: (signal) => integration(['monitoring/(drills|queries)\\.int\\.test\\.ts$'], { KRUISE_LIVE_MONITORING: '1' }, signal),
  },
  { title: 'every test on real nodes', run: realNodes },
  { title: 'mutants of the pure rules', run: mutants },
  ...otherKubernetes.map((minor) => ({
    title: `integration tests on Kubernetes ${testedKubernetes[minor]}`,
    run: (signal: AbortSignal) => integration([], { KRUISE_TEST_TIER: 'integration', KRUISE_KUBERNETES: minor }, signal),
  })),
  { title: 'the plugin for every platform, installed by krew', run: pluginRelease },
  { title: 'the image for every platform', run: platformImages },
  { title: 'the chart with Helm 3', run: (signal) => integration(['tools/chart/'], { KRUISE_HELM: '3' }, signal) },
];

async function main(): Promise<number> {
  const signal = signalOfEnd();
  const reports: Report[] = [];
  for (const { title, run } of searches) {
    if (signal.aborted) break;
    progress.note(`${title}…`);
    reports.push(await progress.step(title, () => run(signal)));
  }
  if (signal.aborted) reports.push(failedStep('the run', 'it was ended by a signal'));
  const report = joined(reports);
  await printLines(lastLines(report, pathInProject));
  return totalOf(report).failed === 0 ? 0 : 1;
}

// At once: nothing that is left open delays who waits for this.
process.exit(await main());
