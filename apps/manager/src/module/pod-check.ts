/** Defines a check of the validating Pod webhook, which may refuse an operation on a Pod that exists. */
import type { AdmissionRequest, RequestNeed, StatusCause } from '@kruise/admission';
import type { GateName, KindDeclaration } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { HandlerDependencies } from './handler-dependencies.ts';
import type { PodNeeds } from './pod-step.ts';
import type { PodCheckName } from './pod-webhook-order.ts';

/** What is done to the Pod. An update of its resources through the subresource `resize` is a `Resize`. */
export type PodOperation = 'Update' | 'Resize' | 'Delete' | 'Evict';

/** The Pod that an eviction names, once a check has read it: several checks of one request read it once. */
interface EvictedPod {
  read?: Promise<Pod | undefined>;
}

export interface PodOperationRequest {
  readonly operation: PodOperation;
  /** As it is before; undefined for an eviction, and for a deletion that the API server asks about without an object. */
  readonly pod: Pod | undefined;
  /** Present for an eviction; filled by `askedPod`. */
  readonly evicted?: EvictedPod;
  /** As it would be; with `Update` and `Resize` only. */
  readonly next?: Pod;
  /** `namespace/name` of the Pod, dry run, user. */
  readonly request: AdmissionRequest;
}

export type PodCheckResult =
  | { readonly kind: 'Allowed'; readonly warnings?: readonly string[] }
  /** 403 unless another code is named. */
  | { readonly kind: 'Refused'; readonly message: string; readonly code?: 400 | 403 }
  /** Refused for now: what evicts tries it again. */
  | { readonly kind: 'NotYet'; readonly message: string; readonly cause: StatusCause };

/** What a check has to see. */
export interface CheckNeeds extends Omit<PodNeeds, 'trace'> {
  /** Of evictions, where more is known than the namespaces of the Pods. */
  ofEvictions?(): readonly RequestNeed[];
}

export interface PodCheck {
  /** In messages and logs, e.g. `podunavailablebudget`. */
  readonly name: string;
  /** The Pods that it has to see; absent: every Pod. An eviction names no more than its Pod: those in the namespaces of these Pods are asked about. */
  readonly needs?: CheckNeeds;
  /** @throws ApiError what keeps it from knowing: refused with code 400, in its words; anything else is a fault of the program */
  check(asked: PodOperationRequest, signal: AbortSignal): PodCheckResult | Promise<PodCheckResult>;
}

/** A check that the Pod webhook calls when a Pod is changed, deleted or evicted. */
export interface PodCheckModule {
  /** Its place in `podCheckOrder`. */
  readonly name: PodCheckName;
  readonly operations: readonly PodOperation[];
  /** The kind whose objects it reads. The check is omitted where the CRD is absent, because its cache would never be filled. */
  readonly needs?: KindDeclaration;
  /** All of them must be on. */
  readonly gates?: readonly GateName[];
  readonly define: (dependencies: HandlerDependencies) => PodCheck;
}
