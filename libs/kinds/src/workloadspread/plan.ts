/** What a pass over a WorkloadSpread does: marks Pods, counts, and moves on Pods that find no node. Pure. @see spec/workloadspread.md 5.2 */
import { workloadSpreadAnnotations, type WorkloadSpread, type WorkloadSpreadStatus, type WorkloadSpreadSubsetStatus } from '@kruise/api';
import {
  addToList,
  compareUtf8,
  earliest,
  sortUtf8,
  workloadLimits,
  type Instant,
  type Milliseconds,
  type Node,
  type Pod,
} from '@kruise/objects';
import type { OnPod } from '@kruise/workloads';
import { costOf, deletionCosts, hasDeletionCosts } from './subsets/deletion-cost.ts';
import { markOf, type MarkPod } from './injection/mark-pod.ts';
import { limitOf } from './subsets/replicas.ts';
import { criticalTime } from './subsets/schedulable.ts';
import { isInUse, subsetStatus, type StatusNote, type SubsetOutcome, type VersionedStatuses } from './subsets/status.ts';
import { groupPods, Trials, type GroupedPods } from './injection/subset-of-pod.ts';
import { versionOfPod, type VersionedKinds } from './versions.ts';

export interface Snapshot {
  readonly spread: WorkloadSpread;
  /** Of the workload, as far as the filter lets them through; any order, all phases. */
  readonly pods: readonly Pod[];
  /** The wanted number of Pods; undefined if it is unknown. */
  readonly total: number | undefined;
  /** Of new Pods. */
  readonly workloadVersion: string;
  readonly nodeOf: (name: string) => Node | undefined;
}

export interface Context {
  readonly now: Instant;
  readonly versioned: VersionedKinds;
  /** Whether marks of this generation are still to be made: they were refused, or are more than one pass makes. */
  readonly areMarksLeft?: boolean;
}

/** Its owner makes another, which goes to the next subset. */
interface ReschedulePod extends OnPod {
  readonly kind: 'ReschedulePod';
}

export type Action = MarkPod | ReschedulePod;

export type Note = StatusNote | { readonly kind: 'NoSubsetHasRoom'; readonly pods: number };

export interface Plan {
  /** Before the status, so that a generation that is observed is one whose costs are set: while marks are left, the status keeps the former generation. */
  readonly marks: readonly MarkPod[];
  readonly status: WorkloadSpreadStatus;
  /** After it, so that admission sends the Pods that come for them elsewhere. */
  readonly reschedule: readonly ReschedulePod[];
  readonly notes: readonly Note[];
  readonly requeueAfter?: Milliseconds;
}

interface Version {
  readonly name: string;
  readonly grouped: GroupedPods;
}

/** What all rules of a pass share. */
interface Round extends Snapshot, Context {
  readonly limits: readonly number[];
  readonly critical: Milliseconds | undefined;
  readonly ignoresMetadata: boolean;
}

type OldStatuses = readonly WorkloadSpreadSubsetStatus[] | undefined;

const ofVersion = (old: VersionedStatuses, version: string): OldStatuses => (Object.hasOwn(old, version) ? old[version] : undefined);

function roundOf(seen: Snapshot, at: Context): Round {
  const { spread, total } = seen;
  const { [workloadSpreadAnnotations.ignorePatchExistingPods]: ignored = '' } = spread.metadata.annotations ?? {};
  return {
    ...seen,
    ...at,
    limits: spread.spec.subsets.map((subset) => limitOf(subset, total)),
    critical: criticalTime(spread),
    ignoresMetadata: ignored.toLowerCase() === 'true',
  };
}

/** In the order of names. A status of very many versions times many subsets would be larger than any object. */
function countedVersions(byVersion: ReadonlyMap<string, readonly Pod[]>, ofNewPods: string): readonly string[] {
  const most = workloadLimits.versionsOfSpread.value;
  const rank = ([name, pods]: readonly [string, readonly Pod[]]): number => (name === ofNewPods ? Infinity : pods.length);
  const ranked = byVersion.size <= most ? [...byVersion] : [...byVersion].sort((a, b) => rank(b) - rank(a) || compareUtf8(a[0], b[0]));
  return sortUtf8(ranked.slice(0, most).map(([name]) => name));
}

function versionsOf({ spread, pods, limits, nodeOf, now, versioned, workloadVersion }: Round): readonly Version[] {
  const byVersion = new Map<string, Pod[]>();
  for (const pod of pods) {
    addToList(byVersion, versionOfPod(pod, versioned), pod);
  }
  const trials = new Trials();
  return countedVersions(byVersion, workloadVersion).map((name) => ({
    name,
    grouped: groupPods({ spread, pods: byVersion.get(name) ?? [], limits, nodeOf, now, promised: promisedIn(name, spread), trials }),
  }));
}

/** In the order of the subsets. */
function promisedIn(version: string, { spec, status }: WorkloadSpread): readonly number[] {
  const states = new Map(
    (ofVersion(status?.versionedSubsetStatuses ?? {}, version) ?? []).map((state) => [state.name, state.creatingPods]),
  );
  return spec.subsets.map(({ name }) => Object.keys(states.get(name) ?? {}).length);
}

function marksOf({ name, grouped }: Version, round: Round): readonly MarkPod[] {
  const { spread, limits, workloadVersion, ignoresMetadata } = round;
  const subsets = grouped.subsets.map((pods, index) => ({ limit: limits[index] ?? 0, pods }));
  const costs = hasDeletionCosts(spread) ? deletionCosts(subsets, grouped.outside, name === workloadVersion) : new Map<Pod, number>();
  const adopted = new Map(grouped.adopted.map(({ pod, subset }) => [pod, subset]));
  const all = [...grouped.subsets.flat(), ...grouped.outside];
  return all.flatMap((pod) => {
    const cost = costs.get(pod);
    const wanted = costOf(pod) === String(cost) ? undefined : cost;
    const mark = markOf(pod, { spread: spread.metadata.name, subset: adopted.get(pod), cost: wanted, ignoresMetadata });
    return mark === undefined ? [] : [mark];
  });
}

/** @param pods in the order of the subsets */
function count(pods: readonly (readonly Pod[])[], old: OldStatuses, { spread, limits, critical, now }: Round): readonly SubsetOutcome[] {
  const { subsets } = spread.spec;
  const before = new Map((old ?? []).map((one) => [one.name, one]));
  return subsets.map(({ name }, index) =>
    subsetStatus(
      {
        name,
        limit: limits[index] ?? 0,
        pods: pods[index] ?? [],
        old: before.get(name),
        isLast: index === subsets.length - 1,
      },
      critical,
      now,
    ),
  );
}

const statusesOf = (outcomes: readonly SubsetOutcome[]): readonly WorkloadSpreadSubsetStatus[] => outcomes.map(({ status }) => status);

/** Every version with Pods, and those to which something was promised. */
function countVersions(versions: readonly Version[], round: Round): ReadonlyMap<string, readonly SubsetOutcome[]> {
  const old = round.spread.status?.versionedSubsetStatuses ?? {};
  const counted = new Map<string, readonly SubsetOutcome[]>();
  for (const { name, grouped } of versions) counted.set(name, count(grouped.subsets, ofVersion(old, name), round));
  for (const name of Object.keys(old).filter((one) => !counted.has(one))) counted.set(name, count([], old[name], round));
  return counted;
}

const hasPods = ({ grouped }: Version): boolean => grouped.outside.length + grouped.leftAlone.length + grouped.subsets.flat().length > 0;

function statusOf(
  overall: readonly SubsetOutcome[],
  counted: ReadonlyMap<string, readonly SubsetOutcome[]>,
  { spread, kept, isMarked }: { readonly spread: WorkloadSpread; readonly kept: readonly string[]; readonly isMarked: boolean },
): WorkloadSpreadStatus {
  const versioned = Object.fromEntries(kept.map((name) => [name, statusesOf(counted.get(name) ?? [])]));
  return {
    observedGeneration: (isMarked ? spread.metadata.generation : spread.status?.observedGeneration) ?? 0,
    subsetStatuses: statusesOf(overall),
    ...(kept.length === 0 ? {} : { versionedSubsetStatuses: versioned }),
  };
}

/** Each once: that a subset is tried again is said of all versions together. */
function notesOf(overall: readonly SubsetOutcome[], counted: ReadonlyMap<string, readonly SubsetOutcome[]>): readonly StatusNote[] {
  const ofVersions = [...counted.values()].flat().flatMap(({ notes }) => notes);
  return [...overall.flatMap(({ notes }) => notes), ...ofVersions.filter(({ kind }) => kind !== 'RecoverSchedulable')];
}

const reschedule = (overall: readonly SubsetOutcome[], critical: Milliseconds | undefined): readonly ReschedulePod[] =>
  overall.flatMap(({ failed, status }) =>
    failed.map((pod) => ({
      kind: 'ReschedulePod',
      pod,
      because: `no node of subset ${status.name} took it within ${(critical ?? 0) / 1000} s`,
    })),
  );

/** The subset that a Pod is in, in the order of the spec and over all versions. */
const overAll = (versions: readonly Version[], { spread }: Round): readonly (readonly Pod[])[] =>
  spread.spec.subsets.map((_subset, index) => versions.flatMap(({ grouped }) => grouped.subsets[index] ?? []));

/** Pods in no subset; those that a change of the spec has left without one are not among them. */
function noRoomNote(versions: readonly Version[], isMatched: (pod: Pod) => boolean): readonly Note[] {
  const pods = versions.flatMap(({ grouped }) => [...grouped.outside, ...grouped.leftAlone]).filter((pod) => !isMatched(pod)).length;
  return pods === 0 ? [] : [{ kind: 'NoSubsetHasRoom', pods }];
}

/** Pods that came past admission, as there is room that they were not given: they are taken in later. */
const lateComers = (versions: readonly Version[], counted: ReadonlyMap<string, readonly SubsetOutcome[]>): readonly Milliseconds[] =>
  versions.flatMap(({ name, grouped }) => {
    const hasRoom = (counted.get(name) ?? []).some(({ status }) => status.missingReplicas !== 0);
    return hasRoom ? (grouped.requeueAfter ?? []) : [];
  });

export function plan(seen: Snapshot, at: Context): Plan {
  const round = roundOf(seen, at);
  const versions = versionsOf(round);
  const overall = count(overAll(versions, round), seen.spread.status?.subsetStatuses, round);
  const counted = countVersions(versions, round);
  const populated = new Set(versions.filter(hasPods).map(({ name }) => name));
  const kept = sortUtf8([...counted.keys()]).filter((name) => populated.has(name) || isInUse(statusesOf(counted.get(name) ?? [])));
  const waits = [...overall, ...kept.flatMap((name) => counted.get(name) ?? [])].flatMap((outcome) => outcome.waits);
  const isMatched = (pod: Pod): boolean => pod.metadata.annotations?.[workloadSpreadAnnotations.matched] !== undefined;
  return {
    marks: versions.flatMap((version) => marksOf(version, round)),
    status: statusOf(overall, counted, { spread: seen.spread, kept, isMarked: at.areMarksLeft !== true }),
    reschedule: reschedule(overall, round.critical),
    notes: [...notesOf(overall, counted), ...noRoomNote(versions, isMatched)],
    ...earliest([...waits, ...lateComers(versions, counted)]),
  };
}
