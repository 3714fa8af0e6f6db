/** The history of a cluster, change by change, as watches reported it; a file has a line of JSON for each. */
import type { KubeObject } from '@kruise/objects';

/** Kinds whose changes are recorded; StatefulSets are the advanced ones. */
export type RecordedKind = 'StatefulSet' | 'Pod' | 'PersistentVolumeClaim';

export interface Change {
  readonly kind: RecordedKind;
  /** LISTED: what was there when the record began, or after changes that it has missed; all before it is out of date. */
  readonly event: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LISTED';
  /** The position in the history of the API server, which all kinds share. */
  readonly version: number;
  /** Wall clock, in ms, at which the watch reported it. */
  readonly at: number;
  /** One, or all of a list. */
  readonly objects: readonly KubeObject[];
}
