/**
 * `npm run e2e`: starts a real cluster of three nodes, installs the chart with an image built from the sources, runs the tests of `e2e/`,
 * and removes the cluster, whatever happens. A stage that fails ends the run. Last line: `N passed, N failed`, and `, N skipped` if any; before it times,
 * what was skipped, and what failed. With `KRUISE_E2E_REPORT` the report goes to that file instead, for the program that has started this one.
 */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient, loadClusterConfig } from '@kruise/kube';
import { type Cluster, clusterFolder, createProgress, startCluster, stopCluster } from '@kruise/testing';
import { recordHistory } from '../history/record.ts';
import { clusterReport } from './stages/cluster-report.ts';
import { buildKruiseImage, installKruise } from './install-kruise.ts';
import { runJest } from './jest/jest-tier.ts';
import { lastLines } from './stages/last-lines.ts';
import { endWith, pathInProject, printLines, root, signalOfEnd } from './run-program.ts';
import { countOnly, type Failure, failedStep, joined, type LogEnd, nothing, type Report, type Timing, totalOf } from './stages/tally.ts';

const usage = `usage: npm run e2e [-- --nightly] [-- --keep] [-- PATTERN ...]

  --nightly   also the tests of e2e/nightly
  --keep      leave the cluster up; the next run uses it again
  PATTERN     run only the test files whose path fits`;

const name = 'e2e';
const progress = createProgress((line) => console.error(line));

/** Off by default, and without harm to objects of other tests: so their tests need no manager of their own. */
const gates = [
  'ConfigRollout',
  'SidecarTerminator',
  'PreDownloadImageForInPlaceUpdate',
  'PreDownloadImageForDaemonSetUpdate',
  'StatefulSetStartOrdinal',
  'StatefulSetAutoResizePVCGate',
  'ResourcesDeletionProtection',
  'DeletionProtectionForCRDCascadingGate',
  'ResourceDistributionGate',
  'PodUnavailableBudgetUpdateGate',
  'InPlacePodVerticalScaling',
  'InPlaceWorkloadVerticalScaling',
];

/** On or off in `gates/` alone, as they change what other tests expect. */
const gatesOfGates: Readonly<Record<string, boolean>> = {
  CloneSetEventHandlerOptimization: true,
  CloneSetPartitionRollback: true,
  CloneSetShortHash: true,
  DaemonSetPruneIneligibleNodes: true,
  PersistentPodStateAutoCleanup: true,
  PreparingUpdateAsUpdate: true,
  RecreatePodWhenChangeVCTInCloneSetGate: true,
  RecreatePodWhenChangeVCTInStatefulSetGate: true,
  ResourcesDeletionProtection: false,
  ResourceDistributionGate: false,
};

/**
 * The managers are installed with the gates of the first stage that has tests to run, and are restarted for the second one alone. Tests that disturb
 * managers or nodes run one by one; tests that only look at their own namespace run side by side. The `audit` stage comes last: it checks all requests
 * of Kruise's programs, and every recorded state of StatefulSets. The tests of `nightly` run on demand, one by one: they disturb managers and nodes as
 * well. `serial` comes early because it mostly waits: `npm test -- --e2e` runs static checks and unit tests at that time.
 */
const stages = [
  { stage: 'gates', gates: gatesOfGates, workers: 4, timeoutMs: 10 * 60_000 },
  { stage: 'serial', gates: {}, workers: 1, timeoutMs: 20 * 60_000 },
  { stage: 'parallel', gates: {}, workers: 6, timeoutMs: 30 * 60_000 },
  { stage: 'nightly', gates: {}, workers: 1, timeoutMs: 45 * 60_000 },
  { stage: 'audit', gates: {}, workers: 1, timeoutMs: 5 * 60_000 },
] as const;

/** The value of `--feature-gates` with those of the chart and `changed`; empty when nothing is changed. */
function gatesFlag(changed: Readonly<Record<string, boolean>>): string {
  if (Object.keys(changed).length === 0) return '';
  const kept = ['ImagePullJobGate', ...gates].filter((gate) => !(gate in changed)).map((gate) => [gate, true] as const);
  return [...kept, ...Object.entries(changed)].map(([gate, isOn]) => `${gate}=${isOn}`).join(',');
}

/** Arguments for managers that are installed for these patterns. */
function firstManagerArgs(patterns: readonly string[]): readonly string[] {
  const files = readdirSync(join(root, 'e2e/gates')).map((file) => join(root, 'e2e/gates', file));
  const hasGatesTests = patterns.length === 0 || files.some((file) => patterns.some((pattern) => new RegExp(pattern, 'i').test(file)));
  return hasGatesTests ? [`--feature-gates=${gatesFlag(gatesOfGates)}`] : [];
}

const programs = ['kruise-system', 'kruise-daemon'].map((namespace) => `system:serviceaccounts:${namespace}`);

/** What Kruise's programs request, without contents, but for what they delete, and how. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'Request',
      userGroups: programs,
      verbs: ['delete'],
      resources: [{ group: '', resources: ['pods', 'persistentvolumeclaims'] }],
    },
    { level: 'Metadata', userGroups: programs },
    { level: 'None' },
  ],
};

const auditLogOf = (folder: string): string => join(folder, 'log', 'audit.log');
const historyOf = (folder: string): string => join(folder, 'log', 'history.jsonl');

interface Command {
  readonly patterns: readonly string[];
  readonly isNightly: boolean;
}

async function runTests(cluster: Cluster, { patterns, isNightly }: Command, signal: AbortSignal): Promise<Report> {
  const reports: Report[] = [];
  for (const { stage, gates: changed, workers, timeoutMs } of stages) {
    if (signal.aborted) break;
    // A part of the tests says nothing of what rights are for.
    if (stage === 'audit' && patterns.length > 0) continue;
    if (stage === 'nightly' && !isNightly) continue;
    progress.note(`${stage} tests…`);
    const env = {
      KRUISE_E2E_STAGE: stage,
      KRUISE_E2E_GATES: gatesFlag(changed),
      KRUISE_E2E_KUBECONFIG: cluster.kubeconfigPath,
      KRUISE_E2E_KUBECTL: cluster.kubectl,
      KRUISE_E2E_HELM: cluster.helm,
      KRUISE_E2E_AUDIT: auditLogOf(cluster.dir),
      KRUISE_E2E_HISTORY: historyOf(cluster.dir),
    };
    const report = await runJest({ name: `e2e: ${stage}`, config: 'e2e/jest.config.mjs', env, patterns, workers, timeoutMs, signal });
    reports.push(report);
    if (totalOf(report).failed > 0) break;
  }
  return joined(reports);
}

/** Runs `work` while what happens to StatefulSets is written down. */
async function recorded<T>({ kubeconfigPath, dir }: Cluster, work: () => Promise<T>): Promise<T> {
  const client = createClient(loadClusterConfig({ path: kubeconfigPath }), { userAgent: 'e2e-history' });
  const stop = new AbortController();
  const recording = recordHistory(client, historyOf(dir), stop.signal);
  try {
    return await work();
  } finally {
    stop.abort();
    await recording;
    client.close();
  }
}

async function runOnCluster(command: Command, signal: AbortSignal): Promise<Report> {
  let cluster: Cluster | undefined;
  const began = performance.now();
  try {
    const policy = join(mkdtempSync(join(tmpdir(), 'kruise-audit-')), 'policy.json');
    writeFileSync(policy, JSON.stringify(auditPolicy));
    const log = auditLogOf(clusterFolder({ name }).dir);
    const apiServerFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-maxsize=1000'];
    // Nodes wait for each other while they start: the image is built meanwhile.
    const [started, image] = await Promise.all([startCluster({ name, nodes: 3, apiServerFlags, progress }), buildKruiseImage(progress)]);
    ({ cluster } = started);
    signal.throwIfAborted();
    const { kubeconfigPath, helm, registry, dir } = cluster;
    if (registry === undefined) throw new Error('the cluster has no registry');
    const repository = `${registry}/openkruise/kruise-manager`;
    const managerArgs = firstManagerArgs(command.patterns);
    await installKruise({ kubeconfigPath, helm, repository, image, localFolder: dir, gates, managerArgs, progress, signal });
    const ready: Timing = { name: 'e2e: cluster', ms: performance.now() - began };
    const report = await recorded(started.cluster, () => runTests(started.cluster, command, signal));
    const isLogged = report.failures.length > 0 && !signal.aborted;
    const logs = isLogged ? await clusterReport(cluster.kubectl, kubeconfigPath) : [];
    return joined([
      { ...countOnly(nothing), stages: [ready] },
      { ...report, failures: withLogs(report.failures, logs) },
    ]);
  } catch (error) {
    const logs = cluster !== undefined && !signal.aborted ? await clusterReport(cluster.kubectl, cluster.kubeconfigPath) : [];
    return failedStep('e2e', error instanceof Error ? error.message : String(error), logs);
  }
}

/** The first failure gets the state of the cluster: what came after it may follow from it. */
const withLogs = ([first, ...rest]: readonly Failure[], logs: readonly LogEnd[]): readonly Failure[] =>
  first === undefined ? [] : [{ ...first, logs: [...first.logs, ...logs] }, ...rest];

async function tearDown(keep: boolean): Promise<Report> {
  if (keep) {
    progress.note(`the cluster is left up; stop it with: npm run cluster -- down --name ${name}`);
    return countOnly(nothing);
  }
  const began = performance.now();
  try {
    await stopCluster({ name, progress });
    return { ...countOnly(nothing), stages: [{ name: 'e2e: removal', ms: performance.now() - began }] };
  } catch (error) {
    return failedStep('removal of the cluster', error instanceof Error ? error.message : String(error));
  }
}

/** Writes the report to where the program that started this one expects it, else prints its end. */
async function publish(report: Report): Promise<void> {
  const path = process.env.KRUISE_E2E_REPORT;
  if (path !== undefined) writeFileSync(path, JSON.stringify(report));
  else await printLines(lastLines(report, pathInProject));
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      keep: { type: 'boolean', default: false },
      nightly: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.error(usage);
    return 0;
  }
  const signal = signalOfEnd();
  const reports = [await runOnCluster({ patterns: positionals, isNightly: values.nightly }, signal), await tearDown(values.keep)];
  if (signal.aborted) reports.push(failedStep('the run', 'it was ended by a signal'));
  const report = joined(reports);
  await publish(report);
  return totalOf(report).failed === 0 ? 0 : 1;
}

await endWith(main, usage);
