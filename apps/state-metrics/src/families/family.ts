/** What a family of metrics is: a name, a line of help, and a pure function from an object to samples. @see spec/kruise-state-metrics.md 4 */
import type { KubeObject } from '@kruise/objects';

/** A label of a sample besides those that every sample of the kind has. */
export type SampleLabel = readonly [name: string, value: string];

export interface Sample {
  readonly value: number;
  /** In the order in which they are written. */
  readonly labels?: readonly SampleLabel[];
}

/** Keys of labels and annotations that become labels of metrics; `*` allows all of them. */
export interface AllowedKeys {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

/** Members of an object from the root, such as `['status', 'replicas']`. */
export type Path = readonly string[];

/** How the custom-resource-state configuration of kube-state-metrics gives the same numbers; see `tools/generate/custom-resource-state.ts`. */
export type ConfiguredSource =
  | { readonly kind: 'Number'; readonly path: Path; readonly nilIsZero: boolean }
  | { readonly kind: 'Conditions'; readonly path: Path }
  | { readonly kind: 'Text'; readonly label: string; readonly path: Path }
  | { readonly kind: 'States'; readonly label: string; readonly path: Path; readonly states: readonly string[] };

export interface Family {
  /** Of a family in a table of a kind: what follows `kruise_<kind>_`. */
  readonly name: string;
  readonly help: string;
  /** Never throws, whatever the members of the object are: a missing or unreadable value gives no sample. */
  readonly samples: (object: KubeObject, allowed: AllowedKeys) => readonly Sample[];
  /** The value of the label `namespace`, where it is not the namespace of the object. */
  readonly namespaceOf?: (object: KubeObject) => string;
  /** Absent when no such configuration can give these numbers. */
  readonly configured?: ConfiguredSource;
}
