/** The manager process on clusters of its own: start and memory, and a CloneSet's life. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../table.ts';
import { buildManager } from './manager-process.ts';
import { measureMemory, type MemoryResult } from './memory.ts';
import type { PhaseResult } from './phase.ts';
import { measurePodStates, type PodStatesResult } from './pod-states.ts';
import { measureRollout, type RolloutResult } from './rollout.ts';
import { measureSidecars } from './sidecars.ts';
import { measureStateful, type StatefulResult } from './stateful.ts';
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
