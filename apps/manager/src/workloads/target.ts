/** Workloads as `spec.targetRef` of other objects names them. */
import { compareUtf8, groupOf, memberAt, type KubeObject, type OwnerReference } from '@kruise/objects';
import type { Members } from '@kruise/api';
import type { Index } from '../caches/caches.ts';
import type { RivalSearch } from '../module/rivals.ts';
import type { GroupKind } from './finder/index.ts';

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

/** How the other object of a namespace for the same workload is found; `object` is what it is to be remembered by. */
export interface TargetRivalSearch<T extends KubeObject> extends RivalSearch<T> {
  readonly object: T;
}

/** @param object new, of any shape, with a reference as `targetOf` reads it or none */
export function rivalSearch<T extends KubeObject>(object: Members, namespace: string): TargetRivalSearch<T> {
  const name = memberAt(object, 'metadata', 'name');
  const key = { namespace, name: typeof name === 'string' ? name : '' };
  const target = targetOf(object as unknown as KubeObject);
  const text = target === undefined ? undefined : targetText(target);
  const isRival = (other: T): boolean => {
    const targeted = targetOf(other);
    return targeted !== undefined && targetText(targeted) === text;
  };
  return {
    key,
    isRival,
    candidates: (store) => (text === undefined ? [] : store.byIndex(byTarget, text, { namespace })),
    object: { metadata: key, spec: { targetRef: memberAt(object, 'spec', 'targetRef') } } as unknown as T,
  };
}

/** Two for one workload are refused, but a race may let both in: the first by name counts. One that goes is none. */
export const chosenFor = <T extends KubeObject>(targeting: readonly T[]): T | undefined =>
  targeting
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => compareUtf8(a.metadata.name, b.metadata.name))[0];
