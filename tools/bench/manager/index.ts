/** The manager process on clusters of its own: start and memory on one, a CloneSet's life on another. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../table.ts';
import { buildManager } from './manager-process.ts';
import { measureMemory, type MemoryResult } from './memory.ts';
import type { PhaseResult } from './phase.ts';
import { measureRollout, type RolloutResult } from './rollout.ts';

export interface ManagerBenchOptions {
  readonly pods: number;
  readonly stored: number;
  readonly profileFolder?: string;
  readonly progress: (line: string) => void;
}

export interface ManagerBenchResult {
  readonly rows: readonly Row[];
  readonly details: { readonly memory: MemoryResult; readonly rollout: RolloutResult };
}

/** Upstream's default client-side limit. */
const upstreamCallsPerSecond = 30;

const memoryRows = (result: MemoryResult, stored: number): readonly Row[] => [
  { what: 'manager: ready after start (s)', ours: result.laterStart, limit: 1.5 },
  { what: 'manager: ready after the first start, which makes certificates (s)', ours: result.firstStart },
  { what: 'manager: RSS after 30 s idle (MiB)', ours: result.idleRssMiB, limit: 100 },
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
    {
      what: of('longest event-loop delay (ms)'),
      ours: result.longestDelayMs,
      peer: { name: 'idle process', value: result.idleLongestDelayMs },
      limit: 50,
      limitOf: 'ours',
    },
  ];
}

function admissionRows({ phases, admissionPaths, atRest }: RolloutResult): readonly Row[] {
  if (admissionPaths.length === 0) return [{ what: 'admission p99 during the rollout (ms)', limit: 10, note: 'no handler is served yet' }];
  return admissionPaths.flatMap((path) => {
    const during = phases.flatMap(({ admission }) => admission[path] ?? []);
    const calls = during.reduce((sum, one) => sum + one.calls, 0);
    const mean = during.reduce((sum, one) => sum + one.p50Ms * one.calls, 0) / calls;
    const rest = atRest[path];
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
        ...(rest === undefined ? {} : { peer: { name: 'at rest', value: rest.p99Ms } }),
      },
    ];
  });
}

export async function run(options: ManagerBenchOptions): Promise<ManagerBenchResult> {
  const { pods, stored, profileFolder, progress } = options;
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  try {
    const program = await buildManager(folder);
    const rollout = await measureRollout({
      program,
      folder: join(folder, 'rollout'),
      pods,
      progress,
      ...(profileFolder === undefined ? {} : { profileFolder }),
    });
    const memory = await measureMemory({ program, folder: join(folder, 'memory'), stored, progress });
    const rows = [...memoryRows(memory, stored), ...rollout.phases.flatMap((phase) => phaseRows(phase, pods)), ...admissionRows(rollout)];
    return { rows, details: { memory, rollout } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
