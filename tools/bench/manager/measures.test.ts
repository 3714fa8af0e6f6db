import { describe, expect, it } from '@jest/globals';
import { beside, besideLeast, calls, callsPerPod, ownWork, podLatency, rolloutMeasures, rowsOf, wallTime } from './measures.ts';
import type { PhaseResult } from './phase.ts';

const phase = (name: string, given: Partial<PhaseResult> = {}): PhaseResult => ({
  name,
  least: NaN,
  wallSeconds: 20,
  cpuSeconds: 6,
  peakRssMiB: 130,
  apiCalls: 3000,
  writes: 2999,
  conflicts: 4,
  longestDelayMs: 70,
  longestWorkMs: 24,
  idleLongestDelayMs: 40,
  admission: {},
  floor: { p50Ms: NaN, p99Ms: NaN, calls: 0 },
  webhookThread: { ran: 1, waited: 1, reviews: 1 },
  clusterCpuSeconds: {},
  machine: { busy: 36, total: 40 },
  ...given,
});

describe('rowsOf', () => {
  it('gives a row for each phase and measure, with the name of the phase', () => {
    expect(rowsOf([phase('create'), phase('update', { longestWorkMs: 60 })], [wallTime, ownWork])).toEqual([
      { what: 'create: wall time (s)', ours: 20 },
      { what: 'create: longest own work between two event-loop turns (CPU ms)', ours: 24, limit: 50 },
      { what: 'update: wall time (s)', ours: 20 },
      { what: 'update: longest own work between two event-loop turns (CPU ms)', ours: 60, limit: 50 },
    ]);
  });

  it('compares a phase with the other one of its number', () => {
    const others = [phase('x', { apiCalls: 4000 })];
    expect(rowsOf([phase('a'), phase('b')], [beside(callsPerPod(1000), 'other', others, 1.2)])).toEqual([
      { what: 'a: API calls per Pod', ours: 3, peer: { name: 'other', value: 4 }, limit: 1.2 },
      { what: 'b: API calls per Pod', ours: 3, peer: { name: 'other', value: NaN }, limit: 1.2 },
    ]);
  });

  it('compares calls with the minimum of the phase, without a limit where that is one', () => {
    const phases = [phase('a', { least: 2500 }), phase('b', { least: 1 })];
    expect(rowsOf(phases, [besideLeast(calls)])).toEqual([
      { what: 'a: API calls', ours: 3000, peer: { name: 'least', value: 2500 }, limit: 1.2 },
      { what: 'b: API calls', ours: 3000, peer: { name: 'least', value: 1 } },
    ]);
    expect(rowsOf(phases.slice(0, 1), [besideLeast(callsPerPod(1000), 1000)])[0]?.peer).toEqual({ name: 'least', value: 2.5 });
  });

  it('takes the limit of a phase before that of all', () => {
    const limitFor = (_: PhaseResult, at: number): number | undefined => (at === 0 ? 10 : undefined);
    const limits = rowsOf([phase('a'), phase('b')], [{ ...wallTime, limit: 1, limitFor }]).map(({ limit }) => limit);
    expect(limits).toEqual([10, undefined]);
  });

  it('shows of a rollout what the client-side limit of upstream alone would take', () => {
    const [wall, perSecond] = rowsOf([phase('create')], rolloutMeasures(1000));
    expect(wall?.peer).toEqual({ name: 's at 30 calls/s (computed)', value: 100 });
    expect(perSecond).toEqual({ what: 'create: Pods/s', ours: 50 });
  });
});

it('holds the latency of a webhook itself against the limit, and shows NaN when no review was answered', () => {
  const floor = { p50Ms: 0.5, p99Ms: 3, calls: 70 };
  const answered = phase('x', { admission: { '/mutate-pod': { p50Ms: 1, p99Ms: 9, calls: 200 } }, floor });
  expect(rowsOf([answered, phase('y', { floor })], [podLatency('p99', 10)], 'Pods: ')).toEqual(
    [9, NaN].map((ours, at) => ({
      what: `Pods: ${at === 0 ? 'x' : 'y'}: /mutate-pod p99 (ms)`,
      ours,
      peer: { name: 'process that answers at once', value: 3 },
      limit: 10,
      limitOf: 'ours',
    })),
  );
});
