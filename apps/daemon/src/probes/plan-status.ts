/** Computes the status of a NodePodProbe from the results of the workers. Pure. @see spec/podprobemarker.md 5.4 */
import type { ContainerProbeState, NodePodProbe, PodProbeStatus } from '@kruise/api';
import { agentLimits, deepEqual, formatTime, instant, parseTime, seconds, type Instant, type Milliseconds } from '@kruise/objects';

/** The last result of a worker. */
export interface ProbeResult {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  /** `<PodProbeMarker>#<probe>`. */
  readonly probe: string;
  readonly state: 'Succeeded' | 'Failed' | 'Unknown';
  readonly message: string;
  /** When that was last found. */
  readonly at: Instant;
  /** When the state last changed; absent for what an earlier process of the agent found. */
  readonly since?: Instant;
}

/** A result that the status did not show, for an event on its Pod. */
export type ChangedResult = ProbeResult;

export interface StatusPlan {
  /** The same list as given when nothing changes. */
  readonly statuses: readonly PodProbeStatus[];
  readonly changed: readonly ChangedResult[];
}

/** The part of a result that a status contains. */
export type Finding = Pick<ProbeResult, 'state' | 'message' | 'at' | 'since'>;

/** A result as old as this is written again, so that its time shows that the probe still runs. */
const refreshAfter = seconds(600);

/**
 * Returns whether a result is written. A command may print something else each time: a change of only the message is written at most once a minute.
 *
 * @param age of `held`
 */
export function isNews(held: Finding | undefined, { state, message }: Omit<Finding, 'at' | 'since'>, age: Milliseconds): boolean {
  if (held === undefined || held.state !== state || age >= refreshAfter) return true;
  return held.message !== message && age >= agentLimits.probeMessageInterval.value;
}

/** Returns the result of a probe in the list. */
export function shownState(list: NodePodProbe | undefined, uid: string, probe: string): ContainerProbeState | undefined {
  const states = list?.status?.podProbeStatuses?.find((status) => status.uid === uid)?.probeStates ?? [];
  return states.find(({ name }) => name === probe);
}

/**
 * Returns what an earlier process of the agent wrote of an instance that has not been replaced since.
 *
 * @param createdAt of the present instance, in nanoseconds
 * @param now a result from the future was written before the clock was set to an earlier time, and does not show the order
 * @returns undefined when nothing was written, or of an older instance: when in doubt, within the second of the status, it is of an older one
 */
export function planTakeover(shown: ContainerProbeState | undefined, createdAt: bigint, now: Instant): Finding | undefined {
  const at = parseTime(shown?.lastProbeTime);
  if (shown === undefined || at === undefined || at > now || createdAt <= 0n || createdAt >= BigInt(at) * 1_000_000n) return undefined;
  const { state, message = '' } = shown;
  return state === 'Succeeded' || state === 'Failed' || state === 'Unknown' ? { state, message, at } : undefined;
}

/** Returns a key that identifies a probe in a status. */
export const probeKey = (uid: string, probe: string): string => `${uid}/${probe}`;

/** Returns a function that says whether the status shows a probe: the list contains it, and its refusal is not omitted. */
function shownBy({ spec }: NodePodProbe, unshown: ReadonlySet<string>): (uid: string, probe: string) => boolean {
  const asked = new Set((spec?.podProbes ?? []).flatMap(({ uid, probes = [] }) => probes.map(({ name }) => probeKey(uid, name))));
  return (uid, probe) => asked.has(probeKey(uid, probe)) && !unshown.has(probeKey(uid, probe));
}

/**
 * Returns whether the state has not changed since the status shows it. Another state in between may have been too short to be written, as
 * that of a new container whose first run succeeds immediately.
 */
function isSameSpell({ state, since }: ProbeResult, held: ContainerProbeState | undefined): boolean {
  if (held?.state !== state) return false;
  const shownSince = parseTime(held.lastTransitionTime);
  // The status has whole seconds.
  return since === undefined || shownSince === undefined || Math.floor(since / 1000) * 1000 <= shownSince;
}

function nextState(result: ProbeResult, held: ContainerProbeState | undefined, now: Instant): ContainerProbeState {
  // Not before the change, or each plan would see another change after the clock was set to an earlier time.
  const changedAt = instant(Math.max(now, result.since ?? now));
  const transition = isSameSpell(result, held) ? held?.lastTransitionTime : formatTime(changedAt);
  return {
    name: result.probe,
    state: result.state,
    lastProbeTime: formatTime(result.at),
    ...(transition === undefined ? {} : { lastTransitionTime: transition }),
    ...(result.message === '' ? {} : { message: result.message }),
  };
}

const says = (state: ContainerProbeState | undefined): string => `${state?.state ?? ''}/${state?.message ?? ''}`;

/** The results of the probes of a list, and what is omitted. */
export interface Known {
  /** The results of all workers; those of probes that the spec does not name are ignored. */
  readonly results: readonly ProbeResult[];
  /** Keys ({@link probeKey}) of the probes that the status omits: what it showed of them before is removed. */
  readonly unshown: ReadonlySet<string>;
}

export function planStatus(list: NodePodProbe, { results, unshown }: Known, now: Instant): StatusPlan {
  const held = list.status?.podProbeStatuses ?? [];
  const isShown = shownBy(list, unshown);
  const byPod = new Map<
    string,
    { readonly identity: Omit<PodProbeStatus, 'probeStates'>; readonly states: Map<string, ContainerProbeState> }
  >();
  for (const { probeStates = [], ...identity } of held) {
    const kept = probeStates.filter(({ name }) => isShown(identity.uid, name));
    if (kept.length > 0) byPod.set(identity.uid, { identity, states: new Map(kept.map((state) => [state.name, state])) });
  }
  const changed: ChangedResult[] = [];
  for (const result of results) {
    const { uid, probe, namespace, pod: name } = result;
    if (!isShown(uid, probe)) continue;
    const entry = byPod.get(uid) ?? { identity: { name, namespace, uid }, states: new Map<string, ContainerProbeState>() };
    const before = entry.states.get(probe);
    const after = nextState(result, before, now);
    if (says(before) !== says(after)) changed.push(result);
    entry.states.set(probe, after);
    byPod.set(uid, entry);
  }
  const statuses = [...byPod.values()].map(({ identity, states }) => ({ ...identity, probeStates: [...states.values()] }));
  return { statuses: deepEqual(statuses, held) ? held : statuses, changed };
}
