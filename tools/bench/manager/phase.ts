/** One phase: it begins with a write, ends when the status reports it, and records its cost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@kruise/kube';
import { cpuSecondsOf, machineTime, peakRssMiB, resetPeak, threadTimeOf, type ControlPlane } from '@kruise/testing';
import { latenciesOf, type AdmissionLoad, type Latencies } from './admission-load.ts';
import type { Delays, DelayWatch } from './delay-watch.ts';
import type { MeasuredManager } from './measured-manager.ts';

const pollMs = 100;

export interface Phase {
  readonly name: string;
  readonly begin: (client: Client) => Promise<unknown>;
  /** Absent: it is over when it has begun. */
  readonly isOver?: (client: Client) => Promise<boolean>;
  readonly timeoutMs: number;
  /** Writes that no implementation can omit on the wire as it is. */
  readonly least?: number | undefined;
}

/** Those whose cost is measured. */
interface Programs {
  readonly plane: ControlPlane;
  readonly manager: MeasuredManager;
}

export interface Instruments extends Programs {
  readonly client: Client;
  readonly admission: AdmissionLoad;
  readonly echo: AdmissionLoad;
  readonly delays: DelayWatch;
}

/** What the manager calls it. */
const webhookThread = 'webhooks';
const requests = 'rest_client_requests_total';

/** Of everything, since its start. Times are in seconds. */
async function countersOf({ plane, manager }: Programs) {
  const metrics = await manager.measured();
  return {
    apiCalls: metrics.sum(requests),
    /** Of these. */
    writes: metrics.sum(requests, { method: /^(?!GET$)/ }),
    conflicts: metrics.sum(requests, { code: '409' }),
    /** Of the manager, all threads. */
    cpuSeconds: cpuSecondsOf(manager.pid),
    webhookThread: { ...threadTimeOf(manager.pid, webhookThread), reviews: metrics.sum('controller_runtime_webhook_requests_total') },
    clusterCpuSeconds: Object.fromEntries(plane.components.records().map(({ name, pid }) => [name, cpuSecondsOf(pid)])),
    /** Of all cores. */
    machine: machineTime(),
  };
}

type Counters = Awaited<ReturnType<typeof countersOf>>;

interface Cost extends Counters {
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

async function runToEnd({ name, begin, isOver, timeoutMs }: Phase, { manager, client }: Instruments): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  await begin(client);
  while (isOver !== undefined && !(await isOver(client))) {
    if (performance.now() > deadline) throw manager.failure(`has not ended "${name}" after ${timeoutMs / 1000} s`);
    await sleep(pollMs);
  }
}

/** @throws when the phase is not over in time */
export async function runPhase(phase: Phase, instruments: Instruments): Promise<PhaseResult> {
  const { admission, echo, delays } = instruments;
  await delays.take();
  admission.take();
  echo.take();
  const cost = await costOf(instruments, () => runToEnd(phase, instruments));
  const { name, least = NaN } = phase;
  const byPath = Object.groupBy(admission.take(), ({ path }) => path);
  return {
    name,
    least,
    ...cost,
    ...(await delays.take()),
    admission: Object.fromEntries(Object.entries(byPath).map(([path, calls = []]) => [path, latenciesOf(calls)])),
    floor: latenciesOf(echo.take()),
  };
}
