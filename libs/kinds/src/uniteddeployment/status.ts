/** The status of a UnitedDeployment. Pure. @see spec/uniteddeployment.md 2.2, 3, 5.7 */
import { type UnitedDeployment, type UnitedDeploymentStatus, unitedDeploymentLabels } from '@kruise/api';
import {
  deepEqual,
  findCondition,
  formatLabelMatcher,
  isPodActive,
  isPodReady,
  removeCondition,
  setCondition,
  type Condition,
  type ConditionRule,
  type Instant,
} from '@kruise/objects';
import type { PassFailures, PacedStatus, KstatusCounts } from '@kruise/workloads';
import type { Mode } from './snapshot/modes.ts';
import { revisionOf } from './nodes/reserved.ts';
import { withSchedulable, type Schedulable, type SubsetStatus } from './nodes/schedulable.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

type UnitedCondition =
  | Condition<'UnitedDeploymentUpdated', 'True', 'UnitedDeploymentRevisionUpdated'>
  | Condition<'UnitedDeploymentUpdated', 'False', 'UnitedDeploymentRevisionUpdating'>
  | Condition<'SubsetProvisioned' | 'SubsetUpdated', 'True', never>
  | Condition<'SubsetProvisioned' | 'SubsetUpdated', 'False', 'Error'>;
type Conditions = NonNullable<UnitedDeploymentStatus['conditions']>;

/** A new message alone is not written; the time stays while the status does; what is replaced goes to the end. */
const subsetRule: ConditionRule = { equalWhen: ['status', 'reason'], stampsUpdateTime: false, movesToEnd: true };
/** Its time is when the rollout began, or ended. */
const updatedRule: ConditionRule = { ...subsetRule, equalWhen: ['status'] };

const withCondition = (list: Conditions | undefined, next: UnitedCondition, now: Instant, rule = subsetRule): Conditions =>
  setCondition<Conditions[number]>(list, next, now, rule);

/** What a pass decided for one subset. */
export interface SubsetResult {
  readonly replicas: number;
  readonly partition: number;
  readonly reserved: number;
  readonly condition?: Schedulable | undefined;
}

export interface Counted {
  readonly mode: Mode;
  /** Names of the current and the updated revision. */
  readonly current: string;
  readonly updated: string;
  /** By subset, of each that is wanted. */
  readonly results: ReadonlyMap<string, SubsetResult>;
}

const nothingYet = { currentRevision: '', replicas: 0, updatedReplicas: 0 };

/** The stored status, with all required fields. */
export const heldStatus = ({ status }: UnitedDeployment): UnitedDeploymentStatus => ({ ...nothingYet, ...status });

/** Members that are omitted while they are empty. */
const omitted = ['readyReplicas', 'reservedPods', 'updatedReadyReplicas', 'collisionCount', 'partition', 'labelSelector'] as const;

function withoutEmpty<T extends object>(status: T, names: readonly string[] = omitted): T {
  const empty = Object.entries(status).filter(
    ([name, value]) => names.includes(name) && (value === 0 || value === '' || value === undefined),
  );
  if (empty.length === 0) return status;
  return Object.fromEntries(Object.entries(status).filter(([name]) => !empty.some(([other]) => other === name))) as T;
}

const subsetNames = ({ united: { spec } }: Snapshot): readonly string[] => (spec.topology?.subsets ?? []).map(({ name }) => name);

/** A subset that is added while others are reserved for begins as one that is short of nodes. */
function conditionOfNew({ united }: Pick<Snapshot, 'united'>, mode: Mode): Schedulable | undefined {
  const isFirst = (united.status?.subsetStatuses ?? []).length === 0;
  return isFirst || mode.kind !== 'Reservation'
    ? undefined
    : {
        type: 'Schedulable',
        status: 'False',
        reason: 'created',
        message: 'the subset is new; its first Pods show whether nodes are available',
      };
}

/** What a pass found of one subset. */
interface EntrySeen {
  readonly entry: SubsetStatus;
  readonly isNew: boolean;
  readonly readyReplicas: number;
  readonly result: SubsetResult | undefined;
}

/** Without the mode there are no conditions. */
function conditionsOf(
  seen: Snapshot,
  { mode }: Counted,
  { entry, isNew, result }: EntrySeen,
  now: Instant,
): NonNullable<SubsetStatus['conditions']> {
  if (mode.kind === 'Fixed') return [];
  const next = (isNew ? conditionOfNew(seen, mode) : undefined) ?? result?.condition;
  return next === undefined ? (entry.conditions ?? []) : withSchedulable(entry.conditions, next, now);
}

function subsetStatus(seen: Snapshot, counted: Counted, found: EntrySeen, now: Instant): SubsetStatus {
  const { entry, readyReplicas, result = { replicas: 0, partition: 0, reserved: 0 } } = found;
  const { replicas, partition, reserved: reservedPods } = result;
  const { conditions: _held, ...rest } = entry;
  const numbers = withoutEmpty({ ...rest, readyReplicas, replicas, partition, reservedPods }, [...omitted, 'replicas']);
  const conditions = conditionsOf(seen, counted, found, now);
  return conditions.length === 0 ? numbers : { ...numbers, conditions };
}

/** Entries keep their order, new ones come last; those of nothing are omitted. */
function subsetStatuses(seen: Snapshot, counted: Counted, now: Instant): readonly SubsetStatus[] {
  const held = seen.united.status?.subsetStatuses ?? [];
  const ready = new Map(seen.children.map(({ subset, object }) => [subset, object.status?.readyReplicas ?? 0]));
  const known = new Set(held.map(({ name = '' }) => name));
  const wanted = new Set([...subsetNames(seen), ...ready.keys()]);
  const fresh = [...wanted].filter((name) => !known.has(name)).map((name): SubsetStatus => ({ name }));
  const first = new Map(held.map(({ name }, at) => [name, at] as const).toReversed());
  const kept = held.filter(({ name }, at) => wanted.has(name ?? '') && first.get(name) === at);
  return [...kept, ...fresh].map((entry) => {
    const { name = '' } = entry;
    const found = { entry, isNew: !known.has(name), readyReplicas: ready.get(name) ?? 0, result: counted.results.get(name) };
    return subsetStatus(seen, counted, found, now);
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function counters({ children }: Snapshot, { updated, results }: Counted) {
  const pods = children.flatMap((child) => child.pods).filter((pod) => isPodActive(pod) && revisionOf(pod) === updated);
  const reservedPods = sum([...results.values()].map(({ reserved }) => reserved));
  return {
    replicas: sum(children.map(({ object }) => object.status?.replicas ?? 0)) - reservedPods,
    readyReplicas: sum(children.map(({ object }) => object.status?.readyReplicas ?? 0)),
    updatedReplicas: pods.length,
    updatedReadyReplicas: pods.filter(isPodReady).length,
    reservedPods,
  };
}

/** A Pod that a partition keeps may be gone for a moment: it comes back at its old revision. */
const isKeptBack = ({ kind, children }: Snapshot): boolean => children.some(({ object }) => (kind.partitionOf(object.spec ?? {}) ?? 0) > 0);

/** Whether all Pods that are wanted run at the updated revision: those of children that are still to be created or that wait count as well. */
function hasArrived(seen: Snapshot, { results }: Counted, { replicas, updatedReadyReplicas }: ReturnType<typeof counters>): boolean {
  const given = sum([...results.values()].map((result) => result.replicas));
  const wanted = Math.min(seen.united.spec.replicas ?? 1, given);
  return updatedReadyReplicas >= Math.max(replicas, wanted) && !isKeptBack(seen);
}

/** Autoscalers do not count Pods that others run substitutes for. */
const labelSelector = ({ selector }: Snapshot, { mode }: Counted): string =>
  `${formatLabelMatcher(selector)}${mode.kind === 'Reservation' ? `,${unitedDeploymentLabels.reservedPod}=false` : ''}`;

export function computeStatus(seen: Snapshot, counted: Counted, now: Instant): UnitedDeploymentStatus {
  const { united } = seen;
  const { current, updated } = counted;
  const numbers = counters(seen, counted);
  const named = united.status?.currentRevision ?? '';
  const currentRevision = named === '' ? current : named !== updated && hasArrived(seen, counted, numbers) ? updated : named;
  const isUpdated = current === updated || currentRevision === updated;
  const held = removeCondition(united.status?.conditions, 'SubsetFailure');
  const conditions = withCondition(
    held,
    isUpdated
      ? {
          type: 'UnitedDeploymentUpdated',
          status: 'True',
          reason: 'UnitedDeploymentRevisionUpdated',
          message: `updated to revision ${updated}`,
        }
      : {
          type: 'UnitedDeploymentUpdated',
          status: 'False',
          reason: 'UnitedDeploymentRevisionUpdating',
          message: `updating to revision ${updated}`,
        },
    now,
    updatedRule,
  );
  return withoutEmpty({
    ...heldStatus(united),
    ...numbers,
    observedGeneration: united.metadata.generation ?? 0,
    currentRevision,
    updatedRevision: updated,
    labelSelector: labelSelector(seen, counted),
    subsetStatuses: subsetStatuses(seen, counted, now),
    conditions,
  });
}

/** What a pass did without a failure. */
export interface Succeeded {
  /** `Now` when a child was created or deleted; false when that failed. */
  readonly provisioned: 'Now' | 'Before' | false;
  readonly updated: boolean;
}

/** Sets the conditions of successful steps. Also reports that all children exist, if the status does not say so yet. */
export function withSuccess(status: UnitedDeploymentStatus, { provisioned, updated }: Succeeded, now: Instant): UnitedDeploymentStatus {
  const shown = findCondition(status.conditions, 'SubsetProvisioned');
  const isUnreported = shown === undefined && (status.subsetStatuses ?? []).length > 0;
  const isNews = provisioned === 'Now' || (provisioned === 'Before' && (isUnreported || shown?.status === 'False'));
  const first = isNews ? withCondition(status.conditions, { type: 'SubsetProvisioned', status: 'True' }, now) : status.conditions;
  const conditions = updated ? withCondition(first, { type: 'SubsetUpdated', status: 'True' }, now) : first;
  return conditions === undefined ? status : { ...status, conditions };
}

/** What failed, in conditions. */
export function withFailures(status: UnitedDeploymentStatus, { scale, update }: PassFailures, now: Instant): UnitedDeploymentStatus {
  const failed = [
    ...(scale === undefined ? [] : [{ type: 'SubsetProvisioned', message: scale.message } as const]),
    ...(update === undefined ? [] : [{ type: 'SubsetUpdated', message: update.message } as const]),
  ];
  return failed.reduce(
    (next, { type, message }) => ({
      ...next,
      conditions: withCondition(next.conditions, { type, status: 'False', reason: 'Error', message }, now),
    }),
    status,
  );
}

/** The status of a pass whose updated revision could not be written: the spec does not count as observed. */
export function withoutUpdateRevision(united: UnitedDeployment, counted: UnitedDeploymentStatus): UnitedDeploymentStatus {
  const {
    updatedRevision: _revision,
    observedGeneration: _generation,
    currentRevision: _current,
    conditions: _conditions,
    ...numbers
  } = counted;
  const { updatedRevision, observedGeneration, currentRevision, conditions } = heldStatus(united);
  return {
    ...numbers,
    currentRevision,
    ...(conditions === undefined ? {} : { conditions }),
    ...(updatedRevision === undefined ? {} : { updatedRevision }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** Whether the status has to be written. */
export const isStatusChanged = ({ status: held }: UnitedDeployment, status: UnitedDeploymentStatus): boolean =>
  held === undefined || !deepEqual(withoutEmpty(held), withoutEmpty(status));

/** What Pods come to, which moves with each of them. */
const podCounters = ['replicas', 'readyReplicas', 'updatedReplicas', 'updatedReadyReplicas'] as const;

const without = (status: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(status).filter(([name]) => !names.includes(name)));

/** The counters of Pods, as a whole and of each subset; how many a subset is to have is none. */
export const pacedStatus: PacedStatus<UnitedDeploymentStatus> = {
  withoutNumbers: ({ subsetStatuses = [], ...status }) => ({
    ...without(status, podCounters),
    subsetStatuses: subsetStatuses.map((entry) => without(entry, ['readyReplicas'])),
  }),
  isSettled: ({ replicas = 0, readyReplicas, updatedReplicas, updatedReadyReplicas }) =>
    replicas > 0 && [readyReplicas, updatedReplicas, updatedReadyReplicas].every((count) => count === replicas),
};

/** What is left of a rollout, in Pods of all subsets. */
export function kstatusCounts({ spec }: UnitedDeployment, status: UnitedDeploymentStatus): KstatusCounts {
  const { replicas: present = 0 } = status;
  return { desired: spec.replicas ?? present, present, available: status.readyReplicas ?? 0, updated: status.updatedReplicas };
}
