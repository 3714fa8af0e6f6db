/** What is shown of a phase, as data: a scenario lists the measures of its phases. Pure. */
import type { Row } from '../table.ts';
import { writesOf, type PhaseResult } from './phase.ts';

type Limits = Pick<Row, 'limit' | 'limitOf'>;

export interface PhaseMeasure<P extends PhaseResult = PhaseResult> extends Limits {
  /** With its unit. */
  readonly what: string;
  readonly ours: (phase: P) => number;
  /** @param at the number of the phase, from 0 on */
  readonly peer?: (phase: P, at: number) => Row['peer'];
  /** In the place of `limit`, where it is not the same for every phase. */
  readonly limitAt?: (at: number) => number | undefined;
}

/** Upstream's default client-side limit. */
const upstreamCallsPerSecond = 30;

export const wallTime: PhaseMeasure = { what: 'wall time (s)', ours: ({ wallSeconds }) => wallSeconds };
const computedUpstream = ({ apiCalls }: PhaseResult): Row['peer'] => ({
  name: `s at ${upstreamCallsPerSecond} calls/s (computed)`,
  value: apiCalls / upstreamCallsPerSecond,
});
export const cpu: PhaseMeasure = { what: 'CPU of the manager (s)', ours: ({ cpuSeconds }) => cpuSeconds };
export const peakRss: PhaseMeasure = { what: 'peak RSS (MiB)', ours: (phase) => phase.peakRssMiB };
export const calls: PhaseMeasure = { what: 'API calls', ours: ({ apiCalls }) => apiCalls };
const conflicts: PhaseMeasure = { what: 'conflicts (409)', ours: (phase) => phase.conflicts };
export const ownWork: PhaseMeasure = {
  what: 'longest own work between two event-loop turns (CPU ms)',
  ours: ({ longestWorkMs }) => longestWorkMs,
  limit: 50,
};
const loopDelay: PhaseMeasure = {
  what: 'longest event-loop delay (ms)',
  ours: ({ longestDelayMs }) => longestDelayMs,
  peer: ({ idleLongestDelayMs }) => ({ name: 'idle process', value: idleLongestDelayMs }),
};
export const coresBusy: PhaseMeasure = { what: 'share of all cores that is busy', ours: ({ machineBusy }) => machineBusy };
const podsPerSecond = (pods: number): PhaseMeasure => ({ what: 'Pods/s', ours: ({ wallSeconds }) => pods / wallSeconds });
export const callsPerPod = (pods: number): PhaseMeasure => ({ what: 'API calls per Pod', ours: ({ apiCalls }) => apiCalls / pods });
export const writesPer = (count: number, what: string): PhaseMeasure => ({
  what: `writes a ${what}`,
  ours: (phase) => writesOf(phase) / count,
});

/** The whole of a rollout of `pods` Pods. */
export const rolloutMeasures = (pods: number): readonly PhaseMeasure[] => [
  { ...wallTime, peer: computedUpstream },
  podsPerSecond(pods),
  cpu,
  peakRss,
  callsPerPod(pods),
  conflicts,
  ownWork,
  loopDelay,
];

/** The same measure beside what each phase is compared with. */
export const beside = (measure: PhaseMeasure, name: string, value: (at: number) => number, limits: Limits = {}): PhaseMeasure => ({
  ...measure,
  ...limits,
  peer: (_, at) => ({ name, value: value(at) }),
});

function rowOf<P extends PhaseResult>(phase: P, at: number, { what, ours, peer, limit, limitOf, limitAt }: PhaseMeasure<P>): Row {
  const shown = peer?.(phase, at);
  const most = limitAt === undefined ? limit : limitAt(at);
  return {
    what: `${phase.name}: ${what}`,
    ours: ours(phase),
    ...(shown === undefined ? {} : { peer: shown }),
    ...(most === undefined ? {} : { limit: most }),
    ...(limitOf === undefined ? {} : { limitOf }),
  };
}

export const rowsOf = <P extends PhaseResult>(phases: readonly P[], measures: readonly PhaseMeasure<P>[]): readonly Row[] =>
  phases.flatMap((phase, at) => measures.map((measure) => rowOf(phase, at, measure)));

const atOnce = 'process that answers at once';

/** Latencies of one webhook in a phase, beside those of a process that answers at once. */
export function latencyRows(
  name: string,
  { ours, floor }: Readonly<Record<'ours' | 'floor', { readonly p50Ms: number; readonly p99Ms: number } | undefined>>,
  { shares = ['p50', 'p99'], limit }: { readonly shares?: readonly ('p50' | 'p99')[]; readonly limit?: number } = {},
): readonly Row[] {
  if (ours === undefined) return [{ what: `${name} p99 (ms)`, note: 'no review was answered', ...(limit === undefined ? {} : { limit }) }];
  return shares.map((share) => ({
    what: `${name} ${share} (ms)`,
    ours: ours[`${share}Ms`],
    ...(floor === undefined ? {} : { peer: { name: atOnce, value: floor[`${share}Ms`] } }),
    ...(share === 'p99' && limit !== undefined ? { limit, limitOf: 'ours' as const } : {}),
  }));
}
