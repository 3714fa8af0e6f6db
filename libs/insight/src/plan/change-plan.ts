/** What a change of an object would do to Pods, as data. */
import type { Gates } from '@kruise/api';
import type { Instant } from '@kruise/objects';
import type { AnyObject } from '../seen.ts';

/** What a plan depends on besides the object. */
export interface PlanFacts {
  /** Everything that was read around the object, in any order: Pods, claims, revisions, nodes, budgets. */
  readonly objects: readonly AnyObject[];
  readonly now: Instant;
  readonly gates: Gates;
}

/** One changed field. */
export interface FieldChange {
  /** Such as `spec.template.spec.containers[0].image`. */
  readonly path: string;
  /** Undefined when the field did not exist. */
  readonly before: unknown;
  /** Undefined when the field is removed. */
  readonly after: unknown;
}

/** Why Pods are recreated, or cannot be updated, although the policy requests updates in place. */
export interface Recreation {
  /** Of the Pods that this is about. */
  readonly fromRevision: string;
  /** In the words of the rule. */
  readonly why: string;
  /** Each of these fields suffices; empty when no field of the template is the reason. */
  readonly fields: readonly FieldChange[];
}

/** What the controllers do to Pods before the cluster has to make progress. */
export interface Batch {
  /** Names of Pods whose containers change in place. */
  readonly inPlace: readonly string[];
  /** Names of Pods that are deleted and replaced. */
  readonly recreated: readonly string[];
  /** Names of Pods that are deleted and not replaced. */
  readonly deleted: readonly string[];
  /** Number of Pods that are created before, or without, the deletion of another one. */
  readonly created: number;
  readonly endedBy: BatchEnd;
}

/** What ends a batch. */
export type BatchEnd =
  | { readonly kind: 'Done' }
  /** `limit`: the field with its value, or the name of the budget. */
  | { readonly kind: 'MaxUnavailable' | 'MaxSurge' | 'Partition' | 'ScaleLimit' | 'Budget'; readonly limit: string }
  | { readonly kind: 'Paused' | 'OnDelete' | 'Ordered' }
  /** The prediction ends after so many batches. */
  | { readonly kind: 'Cut'; readonly limit: string }
  /** Nothing continues without help: the message says why. */
  | { readonly kind: 'Blocked'; readonly limit: string };

/** What happens to volume claims. */
export interface ClaimChange {
  readonly claim: string;
  readonly change: 'Created' | 'Deleted' | 'Recreated' | 'Resized';
  /** The storage that the claim requests, before and after; absent where unknown. */
  readonly from?: string;
  readonly to?: string;
}

/** An image that nodes do not have for Pods that were seen. */
export interface ImagePull {
  readonly image: string;
  readonly nodes: number;
  /** Whether the nodes are known: a new Pod may be scheduled elsewhere. */
  readonly isExact: boolean;
}

/** What a change does to the Pods of one workload. */
export interface WorkloadPlan {
  readonly kind: string;
  readonly name: string;
  readonly operation: 'Create' | 'Update' | 'None';
  /** Numbers of Pods. `outdated`: Pods that keep another revision. */
  readonly counts: {
    readonly inPlace: number;
    readonly recreated: number;
    readonly created: number;
    readonly deleted: number;
    readonly untouched: number;
    readonly outdated: number;
  };
  /** In their order. */
  readonly batches: readonly Batch[];
  /** Why the rollout ends before all Pods are of the update revision, or where it ends. */
  readonly endedBy: BatchEnd;
  /** Whether the policy requests updates in place. */
  readonly wantsInPlace: boolean;
  readonly recreations: readonly Recreation[];
  readonly claims: readonly ClaimChange[];
  readonly images: readonly ImagePull[];
  /** What the prediction relies on beyond "a Pod that was acted on becomes ready". */
  readonly assumptions: readonly string[];
}

/** The plan of a change. */
export interface ChangePlan {
  readonly kind: string;
  readonly name: string;
  readonly operation: 'Create' | 'Update' | 'None';
  /** Fields of `spec` that change. */
  readonly fields: readonly FieldChange[];
  /** What changes, in one sentence. */
  readonly summary: string;
  /** The workloads whose Pods change: the object itself, or the children of a UnitedDeployment. */
  readonly workloads: readonly WorkloadPlan[];
}
