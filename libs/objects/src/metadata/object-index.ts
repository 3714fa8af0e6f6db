import type { KubeObject } from './kube-object.ts';

/** A way to look up objects in a store: the values under which each object is found. */
export interface Index<T extends KubeObject> {
  /** In `byIndex`; one name is one function for all kinds. */
  readonly name: string;
  readonly valuesOf: (object: T) => readonly string[];
}
