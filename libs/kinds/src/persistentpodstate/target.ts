/** Whom a PersistentPodState is for. */
import type { Index } from '@kruise/objects';
import type { PersistentPodState } from '@kruise/api';
import { builtInStatefulSets, isSameKind, type GroupKind, listedKind, type WhiteListReading } from '@kruise/workloads';

/** By the names of the nodes that it remembers. */
export const byRecordedNode: Index<PersistentPodState> = {
  name: 'recordedNode',
  valuesOf: ({ status }) => [...new Set(Object.values(status?.podStates ?? {}).flatMap(({ nodeName }) => nodeName ?? []))],
};

const ours: GroupKind = { group: 'apps.kruise.io', kind: 'StatefulSet' };

export const isStatefulSet = (kind: GroupKind): boolean => isSameKind(kind, builtInStatefulSets) || isSameKind(kind, ours);

/** A white list that cannot be read lists nothing. @see spec/persistentpodstate.md 3 */
export const isSupported = (kind: GroupKind, reading: WhiteListReading): boolean =>
  isStatefulSet(kind) || (reading.kind === 'Read' && listedKind(reading.kinds, kind) !== undefined);
