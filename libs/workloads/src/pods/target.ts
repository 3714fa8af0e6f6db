/** Workloads as `spec.targetRef` of other objects names them. */
import { compareUtf8, groupOf, memberAt, type KubeObject, type OwnerReference, type Index } from '@kruise/objects';
import type { GroupKind } from '../finder/found-workload.ts';

/** A workload of the namespace; only the group of its apiVersion counts. */
export interface Target extends GroupKind {
  readonly name: string;
}

/** The target as the value of an index. */
export const targetText = ({ group, kind, name }: Target): string => `${group}/${kind}/${name}`;

/** The workload that an owner reference names. */
export const targetOfOwner = ({ apiVersion, kind, name }: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>): Target => ({
  group: groupOf(apiVersion),
  kind,
  name,
});

/** Undefined for an object that came past its schema. */
export function targetOf(object: KubeObject): Target | undefined {
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((member) => memberAt(object, 'spec', 'targetRef', member));
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string'
    ? targetOfOwner({ apiVersion, kind, name })
    : undefined;
}

/** By the workload that is meant. */
export const byTarget: Index<KubeObject> = {
  name: 'targetRef',
  valuesOf: (object) => {
    const target = targetOf(object);
    return target === undefined ? [] : [targetText(target)];
  },
};

/** Two for one workload are refused, but a race may let both in: the first by name counts. An object that is being deleted does not count. */
export const chosenFor = <T extends KubeObject>(targeting: readonly T[]): T | undefined =>
  targeting
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => compareUtf8(a.metadata.name, b.metadata.name))[0];
