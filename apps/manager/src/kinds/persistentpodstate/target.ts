/** Whom a PersistentPodState is for, and which one is used for a workload. */
import type { PersistentPodState } from '@kruise/api';
import { compareUtf8, groupOf, memberAt, type KubeObject, type OwnerReference } from '@kruise/objects';
import type { Index } from '../../caches/caches.ts';
import { builtInStatefulSets, isSameKind, listedKind, type GroupKind, type WhiteListReading } from '../../workloads/finder/index.ts';

/** A workload of the namespace; only the group of its apiVersion counts. */
export interface Target extends GroupKind {
  readonly name: string;
}

export const targetText = ({ group, kind, name }: Target): string => `${group}/${kind}/${name}`;

export const targetOfOwner = ({ apiVersion, kind, name }: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>): Target => ({
  group: groupOf(apiVersion),
  kind,
  name,
});

/** Undefined for an object that came past its schema. */
export function targetOf(state: KubeObject): Target | undefined {
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((member) => memberAt(state, 'spec', 'targetRef', member));
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string'
    ? targetOfOwner({ apiVersion, kind, name })
    : undefined;
}

/** By the workload that is meant. */
export const byTarget: Index<PersistentPodState> = {
  name: 'targetRef',
  valuesOf: (state) => {
    const target = targetOf(state);
    return target === undefined ? [] : [targetText(target)];
  },
};

/** By the names of the nodes that it remembers. */
export const byRecordedNode: Index<PersistentPodState> = {
  name: 'recordedNode',
  valuesOf: ({ status }) => [...new Set(Object.values(status?.podStates ?? {}).flatMap(({ nodeName }) => nodeName ?? []))],
};

/** Two for one workload are refused, but a race may let both in: the first by name counts. One that goes is none. */
export const chosenState = (states: readonly PersistentPodState[]): PersistentPodState | undefined =>
  states
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => compareUtf8(a.metadata.name, b.metadata.name))[0];

const ours: GroupKind = { group: 'apps.kruise.io', kind: 'StatefulSet' };

export const isStatefulSet = (kind: GroupKind): boolean => isSameKind(kind, builtInStatefulSets) || isSameKind(kind, ours);

/** A white list that cannot be read lists nothing. @see spec/persistentpodstate.md 3 */
export const isSupported = (kind: GroupKind, reading: WhiteListReading): boolean =>
  isStatefulSet(kind) || (reading.kind === 'Read' && listedKind(reading.kinds, kind) !== undefined);
