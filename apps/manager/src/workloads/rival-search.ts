/** Finds another object of the namespace that targets the same workload. */
import { memberAt, type JsonObject, type KubeObject } from '@kruise/objects';
import type { RivalSearch } from '../module/rivals.ts';
import { byTarget, targetOf, targetText } from '@kruise/workloads';

/** How the other object of a namespace for the same workload is found; `object` identifies the search. */
export interface TargetRivalSearch<T extends KubeObject> extends RivalSearch<T> {
  readonly object: T;
}

/** @param object new, of any shape, with a reference as `targetOf` reads it or none */
export function rivalSearch<T extends KubeObject>(object: JsonObject, namespace: string): TargetRivalSearch<T> {
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
