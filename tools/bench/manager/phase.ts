/** One phase: it begins with a write, ends when the status reports it, and records its cost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf, machineTime, peakRssMiB, resetPeak, threadTimeOf, type ControlPlane } from '@kruise/testing';
import type { AdmissionLoad, Latencies } from './admission-load.ts';
import type { Delays, DelayWatch } from './delay-watch.ts';
import type { MeasuredManager } from './measured-manager.ts';

const pollMs = 100;

export interface Phase {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  /** Absent: it is over when it has begun. */
  readonly isOver?: () => Promise<boolean>;
  readonly timeoutMs: number;
  /** Writes that no implementation can omit on the wire as it is. */
  readonly least?: number | undefined;
}

/** Of everything, since its start. */
interface Counters {
  readonly apiCalls: number;
  /** Of these. */
  readonly writes: number;
  readonly conflicts: number;
  /** Of the manager, all threads. */
  readonly cpuSeconds: number;
  /** Seconds on a processor, and seconds in which it could have run and others had the processors. */
  readonly webhookThread: Readonly<Record<'ran' | 'waited' | 'reviews', number>>;
  /** Of the cluster's processes. */
  readonly clusterCpuSeconds: Readonly<Record<string, number>>;
  /** Seconds of all cores. */
  readonly machine: Readonly<Record<'busy' | 'total', number>>;
}

export interface Cost extends Counters {
  readonly wallSeconds: number;
  readonly peakRssMiB: number;
}

export interface PhaseResult extends Cost, Delays {
  readonly name: string;
  /** See {@link Phase}; NaN when it is not known. */
  readonly least: number;
  /** By path. */
  readonly admission: Readonly<Record<string, Latencies>>;
  /** Of a process that answers at once. */
  readonly floor: Latencies;
}

/** Those whose cost is measured. */
interface Programs {
  readonly plane: ControlPlane;
  readonly manager: MeasuredManager;
}

export interface Instruments extends Programs {
  readonly admission: AdmissionLoad;
  readonly echo: AdmissionLoad;
  readonly delays: DelayWatch;
}

/** What the manager calls it. */
const webhookThread = 'webhooks';
const requests = 'rest_client_requests_total';

async function countersOf({ plane, manager }: Programs): Promise<Counters> {
  const metrics = await manager.measured();
  return {
    apiCalls: metrics.sum(requests),
    writes: metrics.sum(requests, { method: /^(?!GET$)/ }),
    conflicts: metrics.sum(requests, { code: '409' }),
    cpuSeconds: cpuSecondsOf(manager.pid),
    webhookThread: {
      ...threadTimeOf(manager.pid, webhookThread),
      reviews: metrics.sum('controller_runtime_webhook_requests_total'),
    },
    clusterCpuSeconds: Object.fromEntries(plane.components.records().map(({ name, pid }) => [name, cpuSecondsOf(pid)])),
    machine: machineTime(),
  };
}

/** Every number of `after` less that of `before`. */
function since<T>(before: T, after: T): T {
  if (typeof after === 'number') return (after - Number(before ?? 0)) as T;
  const earlier = (before ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(after as object).map(([key, value]) => [key, since(earlier[key], value as unknown)])) as T;
}

export async function costOf(programs: Programs, work: () => Promise<unknown>): Promise<Cost> {
  const { pid } = programs.manager;
  resetPeak(pid);
  const [before, began] = [await countersOf(programs), performance.now()];
  await work();
  const wallSeconds = (performance.now() - began) / 1000;
  return { ...since(before, await countersOf(programs)), wallSeconds, peakRssMiB: peakRssMiB(pid) };
}

async function runToEnd({ name, begin, isOver, timeoutMs }: Phase, manager: MeasuredManager): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  await begin();
  while (isOver !== undefined && !(await isOver())) {
    if (performance.now() > deadline) throw manager.failure(`has not ended "${name}" after ${timeoutMs / 1000} s`);
    await sleep(pollMs);
  }
}

/** @throws when the phase is not over in time */
export async function runPhase(phase: Phase, instruments: Instruments): Promise<PhaseResult> {
  const { manager, admission, echo, delays } = instruments;
  await delays.take();
  admission.take();
  echo.take();
  const cost = await costOf(instruments, () => runToEnd(phase, manager));
  const { name, least = NaN } = phase;
  return { name, least, ...cost, ...(await delays.take()), admission: admission.take(), floor: echo.takeAll() };
}
