/** What a pass over a UnitedDeployment sees. */
import type { UnitedDeployment } from '@kruise/api';
import type { ControllerRevision, Instant, LabelMatcher, OwnerReference, Pod } from '@kruise/objects';
import type { ChildKind, ChildObject } from './child-kinds.ts';

/** The workload of one subset, with the Pods that it controls. */
export interface Child {
  readonly subset: string;
  readonly object: ChildObject;
  readonly pods: readonly Pod[];
}

/** A workload of any of the four kinds. */
export interface Workload {
  readonly kind: ChildKind;
  readonly object: ChildObject;
}

export interface Snapshot {
  readonly united: UnitedDeployment;
  readonly selector: LabelMatcher;
  /** That of the template. */
  readonly kind: ChildKind;
  /** One for each subset that has a child, by name of the subset; includes children to adopt. */
  readonly children: readonly Child[];
  /** Further ones of subsets that have one. */
  readonly duplicates: readonly ChildObject[];
  readonly adopted: readonly ChildObject[];
  /** Those that the selector matches no longer, with the owners that are left to them. */
  readonly released: readonly { readonly object: ChildObject; readonly owners: readonly OwnerReference[] }[];
  /** Of other kinds than the template's: from before its kind was changed. */
  readonly strays: readonly Workload[];
  /** Oldest first. */
  readonly revisions: readonly ControllerRevision[];
  /** Every revision of the namespace. */
  readonly heldRevisions: { readonly get: (name: string) => ControllerRevision | undefined };
  /** Names that workloads of the kind have in the namespace. */
  readonly takenNames: { readonly has: (name: string) => boolean };
}

export interface Context {
  readonly now: Instant;
}
