/**
 * What a pass over a CloneSet may do at most, computed from the words of the specification alone: nothing here calls the rules under test.
 * @see spec/cloneset.md 5.3 to 5.7, 5.2 step 13
 */
import { expect } from '@jest/globals';
import type { CloneSet } from '@kruise/api';
import type { ControllerRevision, Pod } from '@kruise/objects';
import type { Action, Plan } from '@kruise/kinds/cloneset';
import type { Simulation } from './simulation.testing.ts';

const stateLabel = 'lifecycle.apps.kruise.io/state';
const deleteLabel = 'apps.kruise.io/specified-delete';
const revisionLabel = 'controller-revision-hash';

/** A count, or whole percents of `total`. */
function amountOf(value: number | string, total: number, round: (exact: number) => number): number {
  return typeof value === 'number' ? value : round((Number(value.slice(0, -1)) * total) / 100);
}

export interface Limits {
  readonly replicas: number;
  readonly partition: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** `scaleStrategy.maxUnavailable`. */
  readonly mayBeCreatedBeside: number;
}

export function limitsOf({ spec }: CloneSet): Limits {
  const { replicas = 1, updateStrategy, scaleStrategy } = spec;
  const { partition = 0, maxSurge = 0, maxUnavailable = '20%', paused = false } = updateStrategy?.rollingUpdate ?? {};
  const exact = amountOf(partition, replicas, Math.ceil);
  const isAlmostAll = typeof partition === 'string' && partition !== '100%' && replicas > 1 && exact === replicas;
  const surge = paused ? 0 : amountOf(maxSurge, replicas, Math.ceil);
  return {
    replicas,
    partition: Math.min(isAlmostAll ? replicas - 1 : exact, replicas),
    maxSurge: surge,
    maxUnavailable: amountOf(maxUnavailable, replicas, surge > 0 ? Math.floor : Math.ceil),
    mayBeCreatedBeside:
      scaleStrategy?.maxUnavailable === undefined ? Number.POSITIVE_INFINITY : amountOf(scaleStrategy.maxUnavailable, replicas, Math.ceil),
  };
}

/** A CloneSet that admission lets be: it can move. */
export const canMove = (cloneSet: CloneSet): boolean => {
  const { replicas, maxUnavailable, maxSurge } = limitsOf(cloneSet);
  return replicas === 0 || maxUnavailable > 0 || maxSurge > 0;
};

const hashOf = (name: string): string => name.slice(name.lastIndexOf('-') + 1);
export const isOfRevision = (pod: Pod, name: string): boolean => hashOf(pod.metadata.labels?.[revisionLabel] ?? '') === hashOf(name);
export const stateOf = (pod: Pod): string => pod.metadata.labels?.[stateLabel] ?? '';
const isPreparingDelete = (pod: Pod): boolean => stateOf(pod) === 'PreparingDelete';
const isMarked = (pod: Pod, { spec }: CloneSet): boolean =>
  pod.metadata.labels?.[deleteLabel] !== undefined || (spec.scaleStrategy?.podsToDelete ?? []).includes(pod.metadata.name);

/** Available as the specification says. */
function serves(pod: Pod, cloneSet: CloneSet, now: number): boolean {
  const conditions = pod.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const inPlace = conditions.find(({ type }) => type === 'InPlaceUpdateReady')?.status ?? 'True';
  const wait = (cloneSet.spec.minReadySeconds ?? 0) * 1000;
  const isLong = wait === 0 || Date.parse(ready?.lastTransitionTime ?? '') + wait < now;
  return (
    ['', 'Normal'].includes(stateOf(pod)) && pod.status?.phase === 'Running' && inPlace === 'True' && ready?.status === 'True' && isLong
  );
}

export const serving = (simulation: Simulation): readonly Pod[] =>
  simulation.active.filter((pod) => serves(pod, simulation.cloneSet, simulation.now));

/** How often generated histories came to what they are made for. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  /** What came up less often than this, in words. */
  short(least: Readonly<Record<string, number>>): readonly string[] {
    return Object.entries(least).flatMap(([what, count]) => {
      const seen = this.#counts.get(what) ?? 0;
      return seen >= count ? [] : [`${what}: ${seen} times, not ${count}`];
    });
  }
}

const podsIn = (actions: readonly Action[], ...kinds: readonly Action['kind'][]): readonly Pod[] =>
  actions.flatMap((action) => (kinds.includes(action.kind) && 'pod' in action ? [action.pod] : []));

interface Before {
  readonly pods: readonly Pod[];
  readonly serving: number;
  readonly now: number;
  readonly cloneSet: CloneSet;
  /** Gate CloneSetPartitionRollback. */
  readonly mayRollBack: boolean;
}

/** Creation: within replicas and surge, and within what `scaleStrategy.maxUnavailable` leaves; only then nothing is deleted. */
function checkCreation({ pods, cloneSet, now }: Before, { scale }: Plan, tally: Tally): void {
  const { replicas, maxSurge, mayBeCreatedBeside } = limitsOf(cloneSet);
  const created = podsIn(scale, 'CreatePod').length;
  tally.add('created', created);
  if (created === 0) return;
  const unavailable = pods.filter((pod) => isPreparingDelete(pod) || (!isMarked(pod, cloneSet) && !serves(pod, cloneSet, now))).length;
  expect(pods.length + created).toBeLessThanOrEqual(replicas + maxSurge);
  expect(created).toBeLessThanOrEqual(Math.max(mayBeCreatedBeside - unavailable, 0));
  expect(scale).toHaveLength(created);
  if (pods.length + created > replicas) tally.add('surged');
}

/** Scaling in begins only while no deletion is pending, leaves replicas, and takes from the fullest zone where all are alike. */
function checkScaleIn({ pods, cloneSet, serving: count }: Before, { scale, status }: Plan, tally: Tally): void {
  const pending = pods.filter((pod) => isPreparingDelete(pod) || isMarked(pod, cloneSet));
  const chosen = podsIn(scale, 'DeletePod', 'SetLifecycle').filter((pod) => !pending.includes(pod));
  tally.add('deleted by mark', podsIn(scale, 'DeletePod').length - chosen.length);
  if (chosen.length === 0) return;
  tally.add('scaled in');
  const { replicas, partition } = limitsOf(cloneSet);
  expect(pending).toEqual([]);
  expect(pods.length - chosen.length).toBeGreaterThanOrEqual(replicas);
  const old = pods.filter((pod) => !isOfRevision(pod, status.updateRevision ?? ''));
  const fromUpdated = chosen.filter((pod) => !old.includes(pod));
  // With room for all of them, updated ones go only when no more old ones are there than the partition keeps.
  if (fromUpdated.length > 0 && count === pods.length && !pods.some((pod) => stateOf(pod) === 'PreparingUpdate')) {
    expect(old.length - chosen.filter((pod) => old.includes(pod)).length).toBeLessThanOrEqual(partition);
  }
  const first = chosen[0];
  const hasZones = (cloneSet.spec.template.spec?.topologySpreadConstraints ?? []).length > 0;
  if (hasZones && first !== undefined && old.length === 0 && count === pods.length && chosen.length < pods.length) {
    const inZone = (pod: Pod): number => pods.filter((other) => zoneOf(other) === zoneOf(pod)).length;
    expect(inZone(first)).toBe(Math.max(...pods.map(inZone)));
    tally.add('scaled in by zone');
  }
}

/** Nodes are named `<zone>-<number>`. */
const zoneOf = (pod: Pod): string => (pod.spec.nodeName ?? '').split('-')[0] ?? '';

/** Weight of the label `weight`, as {@link weightPriority} gives it. */
const weightOf = (pod: Pod): number => Number(pod.metadata.labels?.['weight'] ?? 0);
export const weightPriority = [10, 20].map((weight) => ({ weight, matchSelector: { matchLabels: { weight: `${weight}` } } }));

/**
 * How many Pods may be brought to the update revision: no more than each side of the partition is away from what it should be. Where Pods may be
 * rolled back, a side counts in whichever direction it is away, so that an old Pod is updated although old ones are missing as well.
 */
function mostUpdates(
  { replicas, partition, mayRollBack }: Pick<Limits, 'replicas' | 'partition'> & Pick<Before, 'mayRollBack'>,
  old: number,
  pods: readonly Pod[],
): number {
  const tooManyOld = old - partition;
  const tooFewUpdated = replicas - partition - (pods.filter((pod) => !isPreparingDelete(pod)).length - old);
  return mayRollBack ? Math.min(Math.abs(tooManyOld), Math.abs(tooFewUpdated)) : Math.max(Math.min(tooManyOld, tooFewUpdated), 0);
}

/** Updates begin within partition and limits, once for each Pod, never for terminating Pods, and in the order of their weights. */
function checkUpdates({ pods, cloneSet, now, mayRollBack }: Before, { scale, update, status }: Plan, tally: Tally): void {
  if (scale.length > 0) return;
  const { replicas, partition, maxUnavailable } = limitsOf(cloneSet);
  const isUpdated = (pod: Pod): boolean => isOfRevision(pod, status.updateRevision ?? '');
  const marked = podsIn(update, 'RecreatePod');
  const begun = [...podsIn(update, 'UpdatePodInPlace'), ...marked];
  tally.add('updated in place', begun.length - marked.length);
  tally.add('marked for recreation', marked.length);
  expect(new Set(begun).size).toBe(begun.length);
  expect(begun.filter(isPreparingDelete)).toEqual([]);
  expect(marked.filter((pod) => pod.metadata.labels?.[deleteLabel] !== undefined)).toEqual([]);
  const forward = begun.filter((pod) => !isUpdated(pod));
  const old = pods.filter((pod) => !isUpdated(pod) && !isPreparingDelete(pod));
  if (forward.length === 0) {
    tally.add('rolled back', begun.length);
    return;
  }
  expect(forward).toHaveLength(begun.length);
  expect(forward.length).toBeLessThanOrEqual(mostUpdates({ replicas, partition, mayRollBack }, old.length, pods));
  const limit = maxUnavailable + pods.length - replicas;
  const broken = pods.filter((pod) => isUpdated(pod) && !serves(pod, cloneSet, now)).length;
  const isPrepared = begun.some((pod) => stateOf(pod) === 'PreparingUpdate');
  expect(broken + forward.length).toBeLessThanOrEqual(isPrepared ? Math.max(limit, 1) : limit);
  const { priorityStrategy, scatterStrategy = [] } = cloneSet.spec.updateStrategy?.rollingUpdate ?? {};
  const left = old.filter((pod) => !begun.includes(pod) && !isMarked(pod, cloneSet) && stateOf(pod) !== 'PreparingUpdate');
  if (priorityStrategy === undefined || scatterStrategy.length > 0 || left.length === 0) return;
  const lightest = Math.min(...forward.filter((pod) => stateOf(pod) !== 'PreparingUpdate').map(weightOf));
  expect(lightest).toBeGreaterThanOrEqual(Math.max(...left.map(weightOf)));
  tally.add('updated by weight');
}

/** What is live is kept, and no more than the limit beside it. */
function checkHistory({ pods, cloneSet }: Before, next: Plan, after: readonly ControllerRevision[], tally: Tally): void {
  const deleted = next.housekeeping.flatMap((action) => (action.kind === 'DeleteRevision' ? [action.revision] : []));
  tally.add('history cut', deleted.length);
  const current = cloneSet.status?.currentRevision;
  const isLive = ({ metadata: { name } }: ControllerRevision): boolean =>
    name === current || name === next.status.updateRevision || pods.some((pod) => isOfRevision(pod, name));
  expect(deleted.filter(isLive)).toEqual([]);
  if (next.revisions.length > 0) return;
  const kept = after.filter((revision) => !isLive(revision));
  expect(kept.length).toBeLessThanOrEqual(cloneSet.spec.revisionHistoryLimit ?? 10);
  const lowest = Math.min(...kept.map(({ revision }) => Number(revision)));
  expect(deleted.filter(({ revision }) => Number(revision) > lowest)).toEqual([]);
}

/** A Pod has one request at a time. */
function checkOneThing({ scale, update }: Plan): void {
  for (const actions of [scale, update]) {
    const pods = podsIn(actions, 'CreatePod', 'DeletePod', 'UpdatePodInPlace', 'RecreatePod', 'SetLifecycle').map(
      ({ metadata }) => metadata.name,
    );
    expect(new Set(pods).size).toBe(pods.length);
  }
}

/** Claims exist as long as their Pods do, and claims of other owners are not deleted. */
function checkClaims(simulation: Simulation, tally: Tally): void {
  const held = simulation.claims.map(({ metadata }) => metadata.name);
  expect(new Set(held).size).toBe(held.length);
  const wanted = simulation.active.flatMap((pod) =>
    (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
      persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
    ),
  );
  expect(wanted.filter((name) => !held.includes(name))).toEqual([]);
  if (wanted.length > 0) tally.add('held claims');
}

/** Nothing but the status is done for a CloneSet that is being deleted, once its revision is there. */
function checkDeletion(next: Plan, tally: Tally): void {
  const { groundwork, preDownload, scale, update, housekeeping } = next;
  expect([...groundwork, ...preDownload, ...scale, ...update, ...housekeeping]).toEqual([]);
  tally.add('passed while being deleted');
}

/** Runs one pass and holds what it did against the limits. */
export function checkedPass(simulation: Simulation, tally: Tally): Plan {
  const before: Before = {
    pods: simulation.active,
    serving: serving(simulation).length,
    now: simulation.now,
    cloneSet: simulation.cloneSet,
    mayRollBack: simulation.context.gates.CloneSetPartitionRollback,
  };
  const next = simulation.pass();
  if (before.cloneSet.metadata.deletionTimestamp !== undefined) {
    checkDeletion(next, tally);
    return next;
  }
  const after = serving(simulation).length;
  const { replicas, maxUnavailable } = limitsOf(before.cloneSet);
  if (after < before.serving) expect(after).toBeGreaterThanOrEqual(Math.min(replicas - maxUnavailable, before.serving));
  checkCreation(before, next, tally);
  checkScaleIn(before, next, tally);
  checkUpdates(before, next, tally);
  checkHistory(before, next, simulation.revisions, tally);
  checkOneThing(next);
  checkClaims(simulation, tally);
  return next;
}
