/** What allocation looks at: the subsets as they are wanted and as they are. */
import type { IntOrPercent } from '@kruise/objects';

/** One subset; earlier ones come first in every list. */
export interface SubsetSeen {
  readonly name: string;
  /** What the spec says of it. */
  readonly replicas?: IntOrPercent | undefined;
  readonly minReplicas?: IntOrPercent | undefined;
  readonly maxReplicas?: IntOrPercent | undefined;
  /** Its child; absent when it has none. */
  readonly child?: {
    /** `spec.replicas`. */
    readonly replicas: number;
    /** Replicas that stay with it: all but those whose Pods have waited for a node too long. */
    readonly kept: number;
    /** Pods of it for which others run substitutes. */
    readonly reserved: number;
  };
  /** Pods that it is given do not find a node. */
  readonly isUnschedulable: boolean;
  /** Its condition `Schedulable` was False when the pass began. */
  readonly isMarked: boolean;
}

/** What moves Pods away from where they find no node. */
export type AllocationMode = 'Fixed' | 'Adaptive' | 'Reservation';

/** How many Pods each subset should have, in the order of the subsets; or why no allocation is possible, in words. */
export type Allocation =
  { readonly kind: 'Allocated'; readonly replicas: readonly number[] } | { readonly kind: 'Impossible'; readonly why: string };

export const impossible = (why: string): Allocation => ({ kind: 'Impossible', why });
export const allocated = (replicas: readonly number[]): Allocation => ({ kind: 'Allocated', replicas });
