/** The manager process on clusters of its own: start and memory, and the phases of a CloneSet. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../table.ts';
import { budgetRows, measureBudget, type BudgetResult } from './budget.ts';
import { buildManager } from './manager-process.ts';
import { measureCronJobs, type CronJobsResult } from './cron-jobs.ts';
import { distributeRows, measureDistribute, type DistributeResult } from './distribute.ts';
import { hostileRows, measureHostile, type HostileResult } from './hostile.ts';
import { measureMemory, type MemoryResult } from './memory.ts';
import { measureNodeMemory, type NodeMemoryResult } from './node-memory.ts';
import { churn, measurePerNode } from './per-node.ts';
import type { PhaseResult } from './phase.ts';
import { measurePodStates, type PodStatesResult } from './pod-states.ts';
import { measureRollout, type RolloutResult } from './rollout.ts';
import { measureSidecars } from './sidecars.ts';
import { measureSpread, type SpreadResult } from './spread.ts';
import { measureStateful, type StatefulResult } from './stateful.ts';
import { measureUnited, type UnitedPhase } from './united.ts';
import { quantile } from '../statistics.ts';

export interface BenchResult<D> {
  readonly rows: readonly Row[];
  readonly details: D;
}

type Progress = (line: string) => void;

/** Upstream's default client-side limit. */
const upstreamCallsPerSecond = 30;

const memoryRows = (result: MemoryResult, stored: number): readonly Row[] => [
  { what: 'manager: ready after start (s)', ours: result.laterStart, limit: 1.5 },
  { what: 'manager: ready after the first start, which makes certificates (s)', ours: result.firstStart },
  { what: 'manager: RSS after 30 s idle (MiB)', ours: result.idleRssMiB, limit: 100 },
  { what: 'manager: of that not shared with other processes (MiB)', ours: result.idlePrivateMiB },
  { what: `manager: RSS with ${stored.toLocaleString('en-US')} Pods in the store (MiB)`, ours: result.storedRssMiB, limit: 250 },
  { what: 'manager: peak RSS meanwhile (MiB)', ours: result.storedPeakRssMiB },
];

function phaseRows(result: PhaseResult, pods: number): readonly Row[] {
  const of = (what: string): string => `${result.name}: ${what}`;
  return [
    {
      what: of('wall time (s)'),
      ours: result.wallSeconds,
      peer: { name: `s at ${upstreamCallsPerSecond} calls/s (computed)`, value: result.apiCalls / upstreamCallsPerSecond },
    },
    { what: of('Pods/s'), ours: pods / result.wallSeconds },
    { what: of('CPU of the manager (s)'), ours: result.cpuSeconds },
    { what: of('peak RSS (MiB)'), ours: result.peakRssMiB },
    { what: of('API calls per Pod'), ours: result.apiCalls / pods },
    { what: of('conflicts (409)'), ours: result.conflicts },
    { what: of('longest own work between two event-loop turns (CPU ms)'), ours: result.longestWorkMs, limit: 50 },
    {
      what: of('longest event-loop delay (ms)'),
      ours: result.longestDelayMs,
      peer: { name: 'idle process', value: result.idleLongestDelayMs },
    },
  ];
}

/** What is the machine's and what is ours in the latencies. */
function webhookThreadRows(phases: readonly PhaseResult[]): readonly Row[] {
  const sum = (pick: (phase: PhaseResult) => number): number => phases.reduce((all, phase) => all + pick(phase), 0);
  const perReviewMs = (pick: (phase: PhaseResult) => number): number =>
    (sum(pick) * 1000) / sum(({ webhookThread }) => webhookThread.reviews);
  return [
    { what: 'webhook thread: CPU of one review (ms)', ours: perReviewMs(({ webhookThread }) => webhookThread.ran) },
    { what: 'webhook thread: waiting for a processor, per review (ms)', ours: perReviewMs(({ webhookThread }) => webhookThread.waited) },
  ];
}

function admissionRows({ phases, admissionPaths, atRest }: RolloutResult): readonly Row[] {
  if (admissionPaths.length === 0) return [{ what: 'admission p99 during the rollout (ms)', limit: 10, note: 'no handler is served yet' }];
  return admissionPaths.flatMap((path) => {
    const during = phases.flatMap(({ admission }) => admission[path] ?? []);
    const calls = during.reduce((sum, one) => sum + one.calls, 0);
    const mean = during.reduce((sum, one) => sum + one.p50Ms * one.calls, 0) / calls;
    const rest = atRest[path];
    const floor = Math.max(...phases.flatMap(({ echo }) => Object.values(echo).map(({ p99Ms }) => p99Ms)));
    return [
      {
        what: `${path}: p50 during the rollout (ms)`,
        ours: mean,
        ...(rest === undefined ? {} : { peer: { name: 'at rest', value: rest.p50Ms } }),
      },
      {
        what: `${path}: p99 of the slowest phase (ms)`,
        ours: Math.max(...during.map(({ p99Ms }) => p99Ms)),
        limit: 10,
        limitOf: 'ours' as const,
        peer: { name: 'of a process that answers at once', value: floor },
      },
    ];
  });
}

/** Builds the manager into a folder that is removed afterwards. */
async function withManagerProgram<T>(use: (program: string, folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  try {
    return await use(await buildManager(folder), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const runMemory = (options: { readonly stored: number; readonly progress: Progress }): Promise<BenchResult<MemoryResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureMemory({ ...options, program, folder });
    return { rows: memoryRows(details, options.stored), details };
  });

interface PhaseOptions {
  readonly pods: number;
  readonly progress: Progress;
  readonly profileFolder?: string;
}

export const runRollout = (options: PhaseOptions): Promise<BenchResult<RolloutResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureRollout({ ...options, program, folder });
    return {
      rows: [
        ...details.phases.flatMap((phase) => phaseRows(phase, options.pods)),
        ...admissionRows(details),
        ...webhookThreadRows(details.phases),
      ],
      details,
    };
  });

export const runSidecars = (options: PhaseOptions): Promise<BenchResult<readonly PhaseResult[]>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureSidecars({ ...options, program, folder });
    return { rows: details.flatMap((phase) => phaseRows(phase, options.pods)), details };
  });

/** Writes that no implementation can leave out on the wire as it is, for each phase: two readiness gates belong to two controllers. */
const leastCallsPerPod = [
  // The Pod, and its readiness gates InPlaceUpdateReady and KruisePodReady.
  3,
  // Out of service, the new image, in service again.
  3,
  // The old Pod, and the new one as above.
  4,
  // The Pod.
  1,
];

function statefulRows({ cloneSet, statefulSet, orderedGaps }: StatefulResult, pods: number): readonly Row[] {
  const phases = statefulSet.flatMap((phase, i): readonly Row[] => [
    {
      what: `StatefulSet, Parallel: ${phase.name}: wall time (s)`,
      ours: phase.wallSeconds,
      peer: { name: 'CloneSet', value: cloneSet[i]?.wallSeconds ?? NaN },
      limit: 1.2,
    },
    {
      what: `StatefulSet, Parallel: ${phase.name}: API calls per Pod`,
      ours: phase.apiCalls / pods,
      peer: { name: 'least', value: leastCallsPerPod[i] ?? NaN },
      limit: 1.2,
    },
    { what: `StatefulSet, Parallel: ${phase.name}: CPU of the manager (s)`, ours: phase.cpuSeconds },
    {
      what: `StatefulSet, Parallel: ${phase.name}: longest own work between two event-loop turns (CPU ms)`,
      ours: phase.longestWorkMs,
      limit: 50,
    },
  ]);
  const count = orderedGaps.length + 1;
  return [
    ...phases,
    { what: `${count} Pods, OrderedReady: from ready to the next creation, median (ms)`, ours: quantile(orderedGaps, 0.5), limit: 30 },
    { what: `${count} Pods, OrderedReady: from ready to the next creation, p99 (ms)`, ours: quantile(orderedGaps, 0.99) },
  ];
}

export const runStateful = (options: PhaseOptions): Promise<BenchResult<StatefulResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureStateful({ ...options, program, folder });
    return { rows: statefulRows(details, options.pods), details };
  });

function podStateRows({ recorded, injection, echo }: PodStatesResult): readonly Row[] {
  const floor = Object.values(echo)[0];
  const of = (what: string): string => `steering one Pod of ${recorded.toLocaleString('en-US')} that are recorded: ${what}`;
  if (injection === undefined) return [{ what: of('p99 (ms)'), limit: 10, note: 'no review was answered' }];
  const peer = (value: number | undefined): Pick<Row, 'peer'> =>
    value === undefined ? {} : { peer: { name: 'process that answers at once', value } };
  return [
    { what: of('p50 (ms)'), ours: injection.p50Ms, ...peer(floor?.p50Ms) },
    { what: of('p99 (ms)'), ours: injection.p99Ms, limit: 10, limitOf: 'ours', ...peer(floor?.p99Ms) },
  ];
}

export const runPodStates = (options: PhaseOptions): Promise<BenchResult<PodStatesResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measurePodStates({ ...options, program, folder });
    return { rows: podStateRows(details), details };
  });

function mutatePodRows({ name, admission, echo, machineBusy }: PhaseResult, limit: Pick<Row, 'limit' | 'limitOf'>): readonly Row[] {
  const ours = admission['/mutate-pod'];
  const [floor] = Object.values(echo);
  if (ours === undefined || floor === undefined) return [];
  return [
    {
      what: `${name}: /mutate-pod p99 (ms)`,
      ours: ours.p99Ms,
      peer: { name: 'process that answers at once', value: floor.p99Ms },
      ...limit,
    },
    { what: `${name}: share of all cores that is busy`, ours: machineBusy },
  ];
}

function spreadRows({ plain, spread, calm, conflicts }: SpreadResult, pods: number): readonly Row[] {
  return [
    { what: `${spread.name}: wall time (s)`, ours: spread.wallSeconds, peer: { name: 'without', value: plain.wallSeconds }, limit: 1.3 },
    { what: `${spread.name}: API calls per Pod`, ours: spread.apiCalls / pods, peer: { name: 'without', value: plain.apiCalls / pods } },
    { what: `${spread.name}: status conflicts per Pod`, ours: conflicts / pods, limit: 0.2 },
    { what: `${spread.name}: CPU of the manager (s)`, ours: spread.cpuSeconds, peer: { name: 'without', value: plain.cpuSeconds } },
    ...mutatePodRows(spread, {}),
    ...mutatePodRows(calm, { limit: 10, limitOf: 'ours' }),
  ];
}

export const runSpread = (options: PhaseOptions): Promise<BenchResult<SpreadResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureSpread({ ...options, program, folder });
    return { rows: spreadRows(details, options.pods), details };
  });

/** Writes that no implementation can leave out, by phase; of churn for a node that leaves and joins again. */
const leastCallsPerNode: readonly ((nodes: number) => number)[] = [
  // The Pod, and its readiness gates InPlaceUpdateReady and KruisePodReady.
  (nodes) => nodes * 3,
  // Out of service, the new image, in service again.
  (nodes) => nodes * 3,
  // The old Pod, and the new one, whose only gate is KruisePodReady.
  (nodes) => nodes * 3,
  // The Pod.
  () => 1,
  // The old Pod, the new one and its gate.
  () => (churn.perSecond * churn.seconds * 3) / 2,
  // The Pod and its gate.
  (nodes) => nodes * 2,
];

function perNodeRows(phases: readonly PhaseResult[], nodes: number, memory: NodeMemoryResult, stored: number): readonly Row[] {
  const rows = phases.flatMap((phase, i): readonly Row[] => {
    const least = leastCallsPerNode[i]?.(nodes) ?? NaN;
    return [
      { what: `${phase.name}: wall time (s)`, ours: phase.wallSeconds },
      {
        what: `${phase.name}: API calls`,
        ours: phase.apiCalls,
        peer: { name: 'least', value: least },
        ...(least > 1 ? { limit: 1.2 } : {}),
      },
      { what: `${phase.name}: CPU of the manager (s)`, ours: phase.cpuSeconds },
      { what: `${phase.name}: peak RSS (MiB)`, ours: phase.peakRssMiB },
      { what: `${phase.name}: longest own work between two event-loop turns (CPU ms)`, ours: phase.longestWorkMs, limit: 50 },
    ];
  });
  const of = (what: string): string =>
    `${stored.toLocaleString('en-US')} nodes, ${(stored * 2).toLocaleString('en-US')} Pods of two DaemonSets: ${what}`;
  return [
    ...rows,
    { what: of('RSS (MiB)'), ours: memory.rssMiB, limit: 250 },
    { what: of('peak RSS since the start (MiB)'), ours: memory.peakRssMiB },
    { what: of('own work when the label of one node changes (CPU ms)'), ours: memory.longestWorkMs, limit: 50 },
  ];
}

interface PerNodeDetails {
  readonly phases: readonly PhaseResult[];
  readonly memory: NodeMemoryResult;
}

/** Nodes for the measure of memory, for each node of the phases. */
const storedPerNode = 5;

export const runPerNode = ({
  nodes,
  ...options
}: Omit<PhaseOptions, 'pods'> & { readonly nodes: number }): Promise<BenchResult<PerNodeDetails>> =>
  withManagerProgram(async (program, folder) => {
    const phases = await measurePerNode({ ...options, nodes, program, folder });
    const stored = nodes * storedPerNode;
    const memory = await measureNodeMemory({ program, folder, nodes: stored, progress: options.progress });
    return { rows: perNodeRows(phases, nodes, memory, stored), details: { phases, memory } };
  });

function cronRows({ delays, phase }: CronJobsResult, count: number): readonly Row[] {
  const of = (what: string): string => `${count.toLocaleString('en-US')} AdvancedCronJobs of the same minute: ${what}`;
  return [
    { what: of('from the minute to the job, median (ms)'), ours: quantile(delays, 0.5) },
    { what: of('from the minute to the job, p99 (ms)'), ours: quantile(delays, 0.99), limit: 1000 },
    { what: of('API calls a job'), ours: phase.apiCalls / delays.length },
    { what: of('CPU of the manager (s)'), ours: phase.cpuSeconds },
    { what: of('longest own work between two event-loop turns (CPU ms)'), ours: phase.longestWorkMs, limit: 50 },
  ];
}

export const runCronJobs = ({
  count,
  ...options
}: Omit<PhaseOptions, 'pods'> & { readonly count: number }): Promise<BenchResult<CronJobsResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureCronJobs({ ...options, count, program, folder });
    return { rows: cronRows(details, count), details };
  });

/** Writes that no implementation can leave out, events aside: of each workload the status when the spec is observed, and when all is ready. */
function leastUnitedWrites(pods: number, subsets: number): readonly number[] {
  const statuses = (workloads: number): number => 2 * workloads;
  return [
    // A revision, the children and their revisions; of each Pod itself and two readiness gates.
    1 + 2 * subsets + pods * 3 + statuses(subsets + 1),
    // The child, the Pod and its gates.
    1 + 3 + statuses(2),
    // The child and the Pod.
    1 + 1 + statuses(2),
    // A revision, the children and their revisions; of each Pod out of service, the new image, in service again.
    1 + 2 * subsets + pods * 3 + statuses(subsets + 1),
  ];
}

const unitedRows = (phases: readonly UnitedPhase[], pods: number, subsets: number): readonly Row[] =>
  phases.flatMap(({ phase, touched, writes }, i): readonly Row[] => [
    { what: `${phase.name}: wall time (s)`, ours: phase.wallSeconds },
    { what: `${phase.name}: API calls`, ours: phase.apiCalls },
    {
      what: `${phase.name}: of these writes, without events`,
      ours: writes,
      peer: { name: 'least', value: leastUnitedWrites(pods, subsets)[i] ?? NaN },
      limit: 1.2,
    },
    { what: `${phase.name}: children written`, ours: touched, ...(i === 1 || i === 2 ? { limit: 1 } : {}) },
    { what: `${phase.name}: CPU of the manager (s)`, ours: phase.cpuSeconds },
    { what: `${phase.name}: longest own work between two event-loop turns (CPU ms)`, ours: phase.longestWorkMs, limit: 50 },
  ]);

export const runUnited = ({
  subsets,
  ...options
}: PhaseOptions & { readonly subsets: number }): Promise<BenchResult<readonly UnitedPhase[]>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureUnited({ ...options, subsets, program, folder });
    return { rows: unitedRows(details, options.pods, subsets), details };
  });

export const runBudget = (options: PhaseOptions): Promise<BenchResult<BudgetResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureBudget({ ...options, program, folder });
    return { rows: budgetRows(details), details };
  });

export const runDistribute = (
  options: Omit<PhaseOptions, 'pods'> & { readonly namespaces: number },
): Promise<BenchResult<DistributeResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureDistribute({ ...options, program, folder });
    return { rows: distributeRows(details), details };
  });

export const runHostile = (options: Pick<PhaseOptions, 'progress'>): Promise<BenchResult<HostileResult>> =>
  withManagerProgram(async (program, folder) => {
    const details = await measureHostile({ ...options, program, folder });
    return { rows: hostileRows(details), details };
  });
