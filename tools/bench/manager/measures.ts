/** What is shown of a phase, as data: a scenario lists the measures of its phases. Pure. */
import type { Row } from '../table.ts';
import type { PhaseResult } from './phase.ts';

type Limits = Pick<Row, 'limit' | 'limitOf'>;

export interface PhaseMeasure<P extends PhaseResult = PhaseResult> extends Limits {
  /** With its unit. */
  readonly what: string;
  readonly ours: (phase: P) => number;
  /** @param at the number of the phase, from 0 on */
  readonly peer?: (phase: P, at: number) => Row['peer'];
  /** In the place of `limit`, where it is not the same for every phase. */
  readonly limitFor?: (phase: P, at: number) => number | undefined;
}

/** Upstream's default client-side limit. */
const upstreamCallsPerSecond = 30;

const computedUpstream = ({ apiCalls }: PhaseResult): Row['peer'] => ({
  name: `s at ${upstreamCallsPerSecond} calls/s (computed)`,
  value: apiCalls / upstreamCallsPerSecond,
});

export const wallTime: PhaseMeasure = { what: 'wall time (s)', ours: ({ wallSeconds }) => wallSeconds };
export const cpu: PhaseMeasure = { what: 'CPU of the manager (s)', ours: ({ cpuSeconds }) => cpuSeconds };
export const calls: PhaseMeasure = { what: 'API calls', ours: ({ apiCalls }) => apiCalls };
export const ownWork: PhaseMeasure = {
  what: 'longest own work between two event-loop turns (CPU ms)',
  ours: ({ longestWorkMs }) => longestWorkMs,
  limit: 50,
};
export const busyShare = ({ machine }: PhaseResult): number => machine.busy / machine.total;
export const coresBusy: PhaseMeasure = { what: 'share of all cores that is busy', ours: busyShare };
export const callsPerPod = (pods: number): PhaseMeasure => ({ what: 'API calls per Pod', ours: ({ apiCalls }) => apiCalls / pods });

/** The whole of a rollout of `pods` Pods. */
export const rolloutMeasures = (pods: number): readonly PhaseMeasure[] => [
  { ...wallTime, peer: computedUpstream },
  { what: 'Pods/s', ours: ({ wallSeconds }) => pods / wallSeconds },
  cpu,
  { what: 'peak RSS (MiB)', ours: ({ peakRssMiB }) => peakRssMiB },
  callsPerPod(pods),
  { what: 'conflicts (409)', ours: ({ conflicts }) => conflicts },
  ownWork,
  {
    what: 'longest event-loop delay (ms)',
    ours: ({ longestDelayMs }) => longestDelayMs,
    peer: ({ idleLongestDelayMs }) => ({ name: 'idle process', value: idleLongestDelayMs }),
  },
];

/** A latency of `/mutate-pod` beside that of a process that answers at once; a limit is held against the latency itself. */
export const podLatency = (share: 'p50' | 'p99', limit?: number): PhaseMeasure => ({
  what: `/mutate-pod ${share} (ms)`,
  ours: ({ admission }) => admission['/mutate-pod']?.[`${share}Ms`] ?? NaN,
  peer: ({ floor }) => ({ name: 'process that answers at once', value: floor[`${share}Ms`] }),
  limit,
  limitOf: 'ours',
});

/** The same measure beside that of other phases of the same numbers. */
export const beside = (measure: PhaseMeasure, name: string, others: readonly PhaseResult[], limit?: number): PhaseMeasure => ({
  ...measure,
  limit,
  peer: (_, at) => ({ name, value: others[at] === undefined ? NaN : measure.ours(others[at]) }),
});

/** The same measure beside `least` of the phase, divided by `units`. A phase that needs one write only has no limit. */
export const besideLeast = <P extends PhaseResult>(measure: PhaseMeasure<P>, units = 1): PhaseMeasure<P> => ({
  ...measure,
  peer: ({ least }) => ({ name: 'least', value: least / units }),
  limitFor: ({ least }) => (least > 1 ? 1.2 : undefined),
});

/** @param about begins the name of each row */
export const rowsOf = <P extends PhaseResult>(phases: readonly P[], measures: readonly PhaseMeasure<P>[], about = ''): readonly Row[] =>
  phases.flatMap((phase, at) =>
    measures.map(({ what, ours, peer, limit, limitOf, limitFor = () => limit }) => ({
      what: `${about}${phase.name}: ${what}`,
      ours: ours(phase),
      peer: peer?.(phase, at),
      limit: limitFor(phase, at),
      limitOf,
    })),
  );
