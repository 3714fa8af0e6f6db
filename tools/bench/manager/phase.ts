/** One phase of a CloneSet: it begins with a write, ends when the status reports it, and records its cost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '@kruise/testing';
import { cpuSecondsOf, machineTime, peakRssMiB, resetPeak, threadTimeOf, type ThreadTime } from '../process-usage.ts';
import { quantile } from '../statistics.ts';
import type { AdmissionLoad } from './admission-load.ts';
import type { DelayWatch } from './delay-watch.ts';
import type { ManagerProcess } from './manager-process.ts';

const pollMs = 100;

export interface Phase {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly isOver: () => Promise<boolean>;
  readonly timeoutMs: number;
}

export interface PhaseResult {
  readonly name: string;
  readonly wallSeconds: number;
  /** Of the manager, all threads. */
  readonly cpuSeconds: number;
  readonly peakRssMiB: number;
  readonly apiCalls: number;
  readonly apiCallsByMethod: Readonly<Record<string, number>>;
  readonly conflicts: number;
  readonly reconciles: number;
  readonly longestDelayMs: number;
  /** CPU of the main thread between two turns of its event loop. */
  readonly longestWorkMs: number;
  /** Of an idle Node process at the same time. */
  readonly idleLongestDelayMs: number;
  readonly admission: Readonly<Record<string, { readonly p50Ms: number; readonly p99Ms: number; readonly calls: number }>>;
  /** The same of a process that answers at once. */
  readonly echo: PhaseResult['admission'];
  /** Of the manager's webhook thread. */
  readonly webhookThread: ThreadTime & { readonly reviews: number };
  /** CPU seconds of the cluster's processes. */
  readonly clusterCpuSeconds: Readonly<Record<string, number>>;
  /** Share of all cores that was busy, 0 to 1. */
  readonly machineBusy: number;
}

export interface Instruments {
  readonly plane: ControlPlane;
  readonly manager: ManagerProcess;
  readonly admission: AdmissionLoad;
  readonly echo: AdmissionLoad;
  readonly delays: DelayWatch;
}

interface Counters {
  readonly calls: number;
  readonly byMethod: ReadonlyMap<string, number>;
  readonly conflicts: number;
  readonly reconciles: number;
  readonly cpu: number;
  readonly clusterCpu: Readonly<Record<string, number>>;
  readonly machine: ReturnType<typeof machineTime>;
  readonly webhookThread: PhaseResult['webhookThread'];
}

/** What the manager calls it. */
const webhookThread = 'webhooks';
const requests = 'rest_client_requests_total';

async function count({ plane, manager }: Instruments): Promise<Counters> {
  const metrics = await manager.metrics();
  return {
    calls: metrics.sum(requests),
    byMethod: metrics.by(requests, 'method'),
    conflicts: metrics.sum(requests, { code: '409' }),
    reconciles: metrics.sum('controller_runtime_reconcile_total'),
    cpu: cpuSecondsOf(manager.pid),
    clusterCpu: Object.fromEntries(plane.components.records().map(({ name, pid }) => [name, cpuSecondsOf(pid)])),
    machine: machineTime(),
    webhookThread: {
      ...threadTimeOf(manager.pid, webhookThread),
      reviews: metrics.sum('controller_runtime_webhook_requests_total'),
    },
  };
}

export const admissionOf = (latencies: ReadonlyMap<string, readonly number[]>): PhaseResult['admission'] =>
  Object.fromEntries(
    [...latencies].map(([path, all]) => [path, { p50Ms: quantile(all, 0.5), p99Ms: quantile(all, 0.99), calls: all.length }]),
  );

const difference = (after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...after].map(([key, value]) => [key, value - (before.get(key) ?? 0)] as const).filter(([, value]) => value !== 0));

/** HTTP methods of writes. */
const writing = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** How many of the calls of a phase write. */
export const writesOf = ({ apiCallsByMethod }: PhaseResult): number =>
  writing.reduce((sum, method) => sum + (apiCallsByMethod[method] ?? 0), 0);

/** @throws when the phase is not over in time */
export async function runPhase(phase: Phase, instruments: Instruments): Promise<PhaseResult> {
  const { manager, admission, echo, delays } = instruments;
  resetPeak(manager.pid);
  await delays.take();
  admission.take();
  echo.take();
  const before = await count(instruments);
  const began = performance.now();
  await phase.begin();
  while (!(await phase.isOver())) {
    if (performance.now() - began > phase.timeoutMs)
      throw new Error(`${phase.name}: not over after ${phase.timeoutMs / 1000} s; the manager's log ends with:\n${manager.logTail()}`);
    await sleep(pollMs);
  }
  const wallSeconds = (performance.now() - began) / 1000;
  const after = await count(instruments);
  const { manager: longestDelayMs, work: longestWorkMs, idleProcess: idleLongestDelayMs } = await delays.take();
  return {
    name: phase.name,
    wallSeconds,
    cpuSeconds: after.cpu - before.cpu,
    peakRssMiB: peakRssMiB(manager.pid),
    apiCalls: after.calls - before.calls,
    apiCallsByMethod: difference(after.byMethod, before.byMethod),
    conflicts: after.conflicts - before.conflicts,
    reconciles: after.reconciles - before.reconciles,
    longestDelayMs,
    longestWorkMs,
    idleLongestDelayMs,
    admission: admissionOf(admission.take()),
    echo: admissionOf(echo.take()),
    webhookThread: {
      ran: after.webhookThread.ran - before.webhookThread.ran,
      waited: after.webhookThread.waited - before.webhookThread.waited,
      reviews: after.webhookThread.reviews - before.webhookThread.reviews,
    },
    clusterCpuSeconds: Object.fromEntries(
      Object.entries(after.clusterCpu).map(([name, cpu]) => [name, cpu - (before.clusterCpu[name] ?? 0)]),
    ),
    machineBusy: (after.machine.busy - before.machine.busy) / (after.machine.total - before.machine.total),
  };
}
