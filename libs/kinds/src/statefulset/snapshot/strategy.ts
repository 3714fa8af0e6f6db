/** The fields of a StatefulSet that rules read, with absent ones filled in; an object that went past admission may lack any of them. */
import { ordinalSlots, parseReservedOrdinals, type Gates, type OrdinalRange, type OrdinalSlots, type StatefulSet } from '@kruise/api';
import { memoizedWith, scaleIntOrPercentOr, type PersistentVolumeClaimTemplate } from '@kruise/objects';
import type { PodUpdatePolicy } from '@kruise/workloads';

type Spec = StatefulSet['spec'];
type RollingUpdate = NonNullable<NonNullable<Spec['updateStrategy']>['rollingUpdate']>;

export const rollingUpdateOf = ({ spec }: StatefulSet): RollingUpdate | undefined => spec.updateStrategy?.rollingUpdate;

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;
/** Whether Pods are created and deleted one after the other, each when those before it are available. */
export const isMonotonic = ({ spec }: StatefulSet): boolean => spec.podManagementPolicy !== 'Parallel';
export const isOnDelete = ({ spec }: StatefulSet): boolean => spec.updateStrategy?.type === 'OnDelete';
export const isRollingUpdate = ({ spec }: StatefulSet): boolean => spec.updateStrategy?.type === 'RollingUpdate';
export const isPaused = (set: StatefulSet): boolean => rollingUpdateOf(set)?.paused === true;
/** Whether updates follow priorities instead of descending ordinals. */
export const isUnordered = (set: StatefulSet): boolean => (rollingUpdateOf(set)?.unorderedUpdate ?? undefined) !== undefined;
export const minReadySecondsOf = (set: StatefulSet): number => rollingUpdateOf(set)?.minReadySeconds ?? 0;
export const graceSecondsOf = (set: StatefulSet): number => rollingUpdateOf(set)?.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0;
/** How many Pods are to stay at the old revision. */
export const partitionOf = (set: StatefulSet): number => rollingUpdateOf(set)?.partition ?? 0;
export const claimTemplatesOf = ({ spec }: StatefulSet): readonly PersistentVolumeClaimTemplate[] => spec.volumeClaimTemplates ?? [];

export function podUpdatePolicyOf(set: StatefulSet): PodUpdatePolicy {
  const policy = rollingUpdateOf(set)?.podUpdatePolicy;
  return policy === 'InPlaceIfPossible' || policy === 'InPlaceOnly' ? policy : 'ReCreate';
}

/** A number, or a percentage of replicas rounded down, and at least 1; `absent` where there is none that can be read. */
const limitOf = (set: StatefulSet, value: unknown, absent: number): number =>
  Math.max(scaleIntOrPercentOr(absent, value ?? undefined, replicasOf(set), 'down'), 1);

/** Pods that an update may leave unavailable; 1 or more. @see spec/statefulset.md 5.5 step 4 */
export const maxUnavailableOf = (set: StatefulSet): number => limitOf(set, rollingUpdateOf(set)?.maxUnavailable ?? 1, 1);

/** Pods that creating and replacing may leave unavailable; 1 or more, Infinity when there is no limit. @see spec/statefulset.md 5.4 */
export const scaleLimitOf = (set: StatefulSet): number => {
  const value = set.spec.scaleStrategy?.maxUnavailable ?? undefined;
  return value === undefined ? Number.POSITIVE_INFINITY : limitOf(set, value, Number.POSITIVE_INFINITY);
};

/** Reservations that cannot be read reserve nothing; those beside them do. @see spec/statefulset.md 6.15 */
const reservedOf = ({ spec }: StatefulSet): readonly OrdinalRange[] => parseReservedOrdinals(spec.reserveOrdinals).ranges;

interface SlotsSource {
  readonly set: StatefulSet;
  readonly gates: Pick<Gates, 'StatefulSetStartOrdinal'>;
}

const startOf = ({ spec }: StatefulSet, gates: SlotsSource['gates']): number =>
  gates.StatefulSetStartOrdinal ? Math.max(spec.ordinals?.start ?? 0, 0) : 0;

/** The ordinals that Pods are to have. @see spec/statefulset.md 5.2 */
export const slotsOf = (set: StatefulSet, gates: Pick<Gates, 'StatefulSetStartOrdinal'>): OrdinalSlots =>
  slotsFor(set.metadata, { set, gates });

/** The same object in every pass, because what is known of each Pod depends on it. */
const slotsFor = memoizedWith<StatefulSet['metadata'], SlotsSource, readonly unknown[], OrdinalSlots>(
  (_, { set, gates }) => ordinalSlots({ start: startOf(set, gates), replicas: replicasOf(set), reserved: reservedOf(set) }),
  {
    inputsOf: ({ set, gates }) => [startOf(set, gates), replicasOf(set), set.spec.reserveOrdinals],
    hasInputs: ({ set, gates }, [start, replicas, reserved]) =>
      start === startOf(set, gates) && replicas === replicasOf(set) && reserved === set.spec.reserveOrdinals,
    isKept: () => true,
  },
);

/** Whether claims are resized before their Pod is updated. @see spec/statefulset.md 5.10 */
export const resizesClaims = (set: StatefulSet, gates: Pick<Gates, 'StatefulSetAutoResizePVCGate'>): boolean =>
  gates.StatefulSetAutoResizePVCGate && set.spec.volumeClaimUpdateStrategy?.type === 'OnPodRollingUpdate';
