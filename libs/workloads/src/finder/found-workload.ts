/** What is known of a workload, read from its object. Pure; kinds are compared by group and kind, never by version. */
import { parseReservedOrdinals, type OrdinalRange } from '@kruise/api';
import {
  groupOf,
  labelMatcherOrNothing,
  matchNothing,
  memberAt,
  parseSelectorText,
  type KubeObject,
  type LabelMatcher,
  type LabelSelector,
  type ObjectMeta,
} from '@kruise/objects';

/** A kind without its version. */
export interface GroupKind {
  /** '' for the core group. */
  readonly group: string;
  readonly kind: string;
}

/** A workload as others name it. */
export interface WorkloadReference {
  /** Only its group counts where the kind is known. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** When given, another object of this name is none. */
  readonly uid?: string;
}

/** A workload as the finder read it. */
export interface FoundWorkload {
  /** As the finder reads it, which may be another version than that of the reference. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Undefined if unknown. */
  readonly replicas: number | undefined;
  /** Undefined for a kind whose selector is not known. */
  readonly selector: LabelMatcher | undefined;
  /** Of StatefulSets; none for others. */
  readonly reserveOrdinals: readonly OrdinalRange[];
  /** The first ordinal of a StatefulSet; 0 for others. */
  readonly startOrdinal: number;
  /** A Scale names no labels, annotations and owners. */
  readonly metadata: ObjectMeta;
  /** Always false for a workload that is known only by its Scale. */
  readonly isBeingDeleted: boolean;
  /** The object that was read; absent for a workload that is known only by its Scale. */
  readonly object?: KubeObject;
}

/** The kind that a reference names. */
export const groupKindOf = ({ apiVersion, kind }: Pick<WorkloadReference, 'apiVersion' | 'kind'>): GroupKind => ({
  group: groupOf(apiVersion),
  kind,
});

/** Compares group and kind; versions do not matter. */
export const isSameKind = (a: GroupKind, b: GroupKind): boolean => a.group === b.group && a.kind === b.kind;

/** A whole number of at least 0; `fallback` for any other value. */
function countAt(object: KubeObject, fallback: number, ...path: readonly string[]): number {
  const value = memberAt(object, ...path);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : fallback;
}

/** An object of which nothing but its metadata is understood. */
export const bareObject = (object: KubeObject, apiVersion: string, kind: string): FoundWorkload => ({
  apiVersion,
  kind,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
  uid: object.metadata.uid ?? '',
  replicas: undefined,
  selector: undefined,
  reserveOrdinals: [],
  startOrdinal: 0,
  metadata: object.metadata,
  isBeingDeleted: object.metadata.deletionTimestamp !== undefined,
  object,
});

/** A workload with a selector of labels and `spec.replicas`, 1 when it is absent. */
export const workloadOf = (object: KubeObject, apiVersion: string, kind: string): FoundWorkload => ({
  ...bareObject(object, apiVersion, kind),
  replicas: countAt(object, 1, 'spec', 'replicas'),
  selector: labelMatcherOrNothing(memberAt(object, 'spec', 'selector') as LabelSelector | undefined),
});

/** It has as many Pods at a time as `spec.parallelism`, 1 when it is absent. */
export const jobOf = (object: KubeObject, apiVersion: string, kind: string): FoundWorkload => ({
  ...workloadOf(object, apiVersion, kind),
  replicas: countAt(object, 1, 'spec', 'parallelism'),
});

/** It has a Pod on each node that fits. After its controller has observed it, its status contains the number of these nodes. */
export function daemonSetOf(object: KubeObject, apiVersion: string, kind: string): FoundWorkload {
  const scheduled = countAt(object, -1, 'status', 'desiredNumberScheduled');
  return { ...workloadOf(object, apiVersion, kind), replicas: scheduled < 0 ? undefined : scheduled };
}

/** Its selector is a map. */
export const replicationControllerOf = (object: KubeObject, apiVersion: string, kind: string): FoundWorkload => ({
  ...workloadOf(object, apiVersion, kind),
  selector: labelMatcherOrNothing({ matchLabels: (memberAt(object, 'spec', 'selector') ?? {}) as Readonly<Record<string, string>> }),
});

/**
 * @param options.honoursStart whether `spec.ordinals.start` is in effect
 * @param options.reserves whether the kind has `spec.reserveOrdinals`
 * @see spec/statefulset.md 5.2
 */
export const statefulSetOf = (
  object: KubeObject,
  apiVersion: string,
  options: { readonly honoursStart: boolean; readonly reserves: boolean },
): FoundWorkload => ({
  ...workloadOf(object, apiVersion, 'StatefulSet'),
  reserveOrdinals: options.reserves ? parseReservedOrdinals(memberAt(object, 'spec', 'reserveOrdinals')).ranges : [],
  startOrdinal: options.honoursStart ? countAt(object, 0, 'spec', 'ordinals', 'start') : 0,
});

/** A kind of the white list: `spec.replicas`, 0 when it is absent; its selector is not read. */
export const whiteListedObject = (object: KubeObject, apiVersion: string, kind: string): FoundWorkload => ({
  ...bareObject(object, apiVersion, kind),
  replicas: countAt(object, 0, 'spec', 'replicas'),
});

/** The workload that a Scale describes; without a selector in its status, it has none. */
export function scaledObject(scale: KubeObject, apiVersion: string, kind: string): FoundWorkload {
  const text = memberAt(scale, 'status', 'selector');
  const parsed = typeof text === 'string' && text !== '' ? parseSelectorText(text) : undefined;
  const selector = parsed === undefined ? undefined : parsed.kind === 'Matcher' ? parsed.matcher : matchNothing;
  const { object: _scale, ...bare } = bareObject(scale, apiVersion, kind);
  return { ...bare, replicas: countAt(scale, 0, 'spec', 'replicas'), selector };
}
