/** What a move cannot do without a restart, or must not begin with. */
import { deleteProtection, labels } from '@kruise/api';
import { controllerOf, counted, isTerminating, memberAt, numberAt } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import type { Refusal } from '../refusal.ts';
import { roomRefusals } from './room-refusals.ts';
import { isActive, isMarked, isSettled, replicaSetsOf, sourcePods, type Observed } from '../observed/observed.ts';

type Rule = (seen: Observed) => Refusal | readonly Refusal[] | undefined;

const count = (object: Untyped, ...path: readonly string[]): number => numberAt(object, ...path) ?? 0;
const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

const owned: Rule = ({ source }) => {
  const owner = controllerOf(source);
  if (owner === undefined) return undefined;
  return { field: 'metadata.ownerReferences', message: `${owner.kind} ${JSON.stringify(owner.name)} would create the source again` };
};

const deleted: Rule = ({ source }) =>
  isTerminating(source) ? { field: 'metadata.deletionTimestamp', message: 'the source is being deleted' } : undefined;

/** The ReplicaSet in use is deleted as well; its labels are those of the template. */
const protectedSource: Rule = (seen) => {
  const { source, direction } = seen;
  const sets = direction.from === 'Deployment' ? replicaSetsOf(seen, source) : [];
  return [source, ...sets].flatMap((object) => {
    const value = object.metadata.labels?.[labels.deleteProtection] ?? '';
    if (!Object.values<string>(deleteProtection).includes(value)) return [];
    return {
      ...(object === source ? {} : { of: `ReplicaSet/${object.metadata.name}` }),
      field: `metadata.labels[${labels.deleteProtection}]`,
      message: `${value} forbids deleting ${object === source ? 'the source' : 'it'}; remove the label first`,
    };
  });
};

/** A paused Deployment adopts ReplicaSets as well, and scales the one that has Pods. */
const orphanReplicaSets: Rule = ({ direction, replicaSets }) =>
  direction.to !== 'Deployment'
    ? undefined
    : replicaSets
        .filter((one) => controllerOf(one) === undefined && (numberAt(one, 'spec', 'replicas') ?? 1) > 0)
        .map(({ metadata }) => ({
          of: `ReplicaSet/${metadata.name}`,
          field: 'metadata.labels',
          message: 'the selector matches the ReplicaSet, which has no controller; the target would adopt and scale it',
        }));

const takenName: Rule = ({ target, targetType }) =>
  target === undefined
    ? undefined
    : {
        of: `${targetType.kind}/${target.metadata.name}`,
        field: 'metadata.name',
        message: isMarked(target)
          ? 'it exists already, on hold for another source; let that move end first, or choose another name with --name'
          : 'it exists already; choose another name with --name, or delete it',
      };

/** How many Pods the status counts: all, and those of the update revision; and how many there should be. */
function countsOf({ source, direction }: Observed): { readonly all: number; readonly updated: number; readonly desired: number } {
  if (direction.from.endsWith('DaemonSet')) {
    const misscheduled = count(source, 'status', 'numberMisscheduled');
    const all = count(source, 'status', 'currentNumberScheduled') + misscheduled;
    return { all, updated: count(source, 'status', 'updatedNumberScheduled') + misscheduled, desired: all };
  }
  return {
    all: count(source, 'status', 'replicas'),
    updated: count(source, 'status', 'updatedReplicas'),
    desired: numberAt(source, 'spec', 'replicas') ?? 1,
  };
}

const unfinishedRollout: Rule = (seen) => {
  if (!isSettled(seen.source))
    return { field: 'status.observedGeneration', message: 'the controller has not seen the latest change; try again in a moment' };
  const { all, updated, desired } = countsOf(seen);
  if (updated !== all)
    return { field: 'status', message: `${updated} of ${all} Pods are at the update revision; finish the rollout first` };
  const existing = sourcePods(seen).filter(isActive).length;
  return all === desired && existing === desired
    ? undefined
    : {
        field: 'spec.replicas',
        message: `${existing} of ${counted(desired, 'Pod exists', 'Pods exist')}; try again when scaling has ended`,
      };
};

const terminatingPods: Rule = (seen) =>
  sourcePods(seen)
    .filter(isTerminating)
    .map(({ metadata }) => ({
      of: `Pod/${metadata.name}`,
      field: 'metadata.deletionTimestamp',
      message: 'the Pod is being deleted; try again when it no longer exists',
    }));

/** The target adopts orphans, which it might delete as surplus. */
const strangers: Rule = ({ pods }) =>
  pods
    .filter((pod) => controllerOf(pod) === undefined && isActive(pod))
    .map(({ metadata }) => ({
      of: `Pod/${metadata.name}`,
      field: 'metadata.labels',
      message: 'the selector matches the Pod, which has no controller; the target would adopt it',
    }));

const severalReplicaSets: Rule = (seen) => {
  if (seen.direction.from !== 'Deployment') return undefined;
  const used = replicaSetsOf(seen, seen.source).filter((one) => count(one, 'spec', 'replicas') > 0 || count(one, 'status', 'replicas') > 0);
  if (used.length <= 1) return undefined;
  return { field: 'status', message: `${used.length} ReplicaSets have Pods; finish the rollout first` };
};

const cloneSetClaims: Rule = ({ source, direction }) =>
  direction.from === 'CloneSet' && !isEmpty(memberAt(source, 'spec', 'volumeClaimTemplates'))
    ? { field: 'spec.volumeClaimTemplates', message: 'a Deployment creates no claims' }
    : undefined;

const reserved: Rule = ({ source, direction }) =>
  direction.from === 'AdvancedStatefulSet' && !isEmpty(memberAt(source, 'spec', 'reserveOrdinals'))
    ? { field: 'spec.reserveOrdinals', message: 'a StatefulSet would create these Pods and delete the last ones' }
    : undefined;

const firstOrdinal = ({ source }: Observed): number => numberAt(source, 'spec', 'ordinals', 'start') ?? 0;

/** The plugin cannot see the gate of the manager, without which the Pods after the last ordinal would be deleted. */
const startOrdinal: Rule = (seen) =>
  seen.direction.from === 'StatefulSet' && firstOrdinal(seen) > 0
    ? {
        field: 'spec.ordinals.start',
        message: 'an Advanced StatefulSet needs the gate StatefulSetStartOrdinal for it, which is off by default',
      }
    : undefined;

const statefulNames: Rule = (seen) => {
  const { direction, source, targetName } = seen;
  if (!direction.from.endsWith('StatefulSet')) return undefined;
  if (targetName !== source.metadata.name)
    return { field: 'metadata.name', message: 'the names of Pods and claims begin with that of the StatefulSet: --name must be the same' };
  const last = firstOrdinal(seen) + (numberAt(source, 'spec', 'replicas') ?? 1);
  const outside = sourcePods(seen).filter(({ metadata: { name } }) => {
    const ordinal = Number(/-(\d{1,9})$/.exec(name)?.[1] ?? -1);
    return ordinal < firstOrdinal(seen) || ordinal >= last;
  });
  return outside.map(({ metadata }) => ({
    of: `Pod/${metadata.name}`,
    field: 'metadata.name',
    message: `its ordinal is not between ${firstOrdinal(seen)} and ${last - 1}, so the target would delete it`,
  }));
};

const longReadiness: Rule = ({ source, direction }) =>
  direction.from === 'StatefulSet' && count(source, 'spec', 'minReadySeconds') > 300
    ? { field: 'spec.minReadySeconds', message: 'an Advanced StatefulSet waits at most 300 seconds' }
    : undefined;

const rules: readonly Rule[] = [
  deleted,
  owned,
  protectedSource,
  takenName,
  unfinishedRollout,
  terminatingPods,
  severalReplicaSets,
  strangers,
  orphanReplicaSets,
  cloneSetClaims,
  reserved,
  startOrdinal,
  statefulNames,
  longReadiness,
  roomRefusals,
];

/** Returns every reason not to begin the move, in the order of the rules. */
export const refusalsOf = (seen: Observed): readonly Refusal[] => rules.flatMap((rule) => rule(seen) ?? []);
