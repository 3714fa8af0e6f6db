/** What `check` reads of a cluster. Each part is read on its own, so that one that cannot be read leaves the others usable. */
import type { ServerVersion } from '@kruise/kube';
import type { JsonObject, ResourceType } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';

/** A certificate as far as checks compare it. Times are milliseconds since the epoch. */
export interface CertificateFact {
  readonly notBefore: number;
  readonly notAfter: number;
  /** Host names of the subject alternative name. */
  readonly hosts: readonly string[];
}

/** The Secret with the certificates of the webhooks. */
export interface CertificatesFact {
  /** The certificate authority in base64, as `caBundle` contains it. */
  readonly authority: string;
  /** Undefined when the text is no certificate. */
  readonly serving: CertificateFact | undefined;
  readonly signedByAuthority: boolean;
}

/** What the API server answered to a dry-run creation. */
export type SampleAnswer =
  | { readonly kind: 'Accepted'; readonly object: JsonObject }
  /** `reason` and `message` are those of the Status. */
  | { readonly kind: 'Refused'; readonly reason: string; readonly message: string }
  | { readonly kind: 'TimedOut' };

/** One right, and whether the API server grants it. */
export interface RightFact {
  /** Such as `list clonesets.apps.kruise.io`. */
  readonly right: string;
  readonly allowed: boolean;
}

/** One kind of Kruise with the number of its objects. */
export interface CountFact {
  readonly kind: string;
  readonly plural: string;
  readonly objects: number;
}

/** An object that is being deleted and has a finalizer of the manager. */
export interface HeldFact {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** Those of other programs. */
  readonly otherFinalizers: readonly string[];
}

/** Everything that checks read, by name. Lists are of all namespaces unless their name says otherwise. */
export interface FactValues {
  readonly server: ServerVersion;
  readonly namespace: Untyped | undefined;
  readonly agentNamespace: Untyped | undefined;
  /** Deployments with the name of the manager. */
  readonly managers: readonly Untyped[];
  readonly managerPods: readonly Untyped[];
  /** DaemonSets with the name of the agent. */
  readonly agents: readonly Untyped[];
  readonly agentPods: readonly Untyped[];
  /** Metadata only. */
  readonly nodes: readonly Untyped[];
  readonly nodeLeases: readonly Untyped[];
  readonly lease: Untyped | undefined;
  readonly mutating: readonly Untyped[];
  readonly validating: readonly Untyped[];
  readonly service: Untyped | undefined;
  readonly endpoints: readonly Untyped[];
  readonly certificates: CertificatesFact | undefined;
  /** The authorities in the webhook configurations, one for each distinct `caBundle`. */
  readonly bundles: readonly CertificateFact[];
  /** By name; a definition that does not exist is absent. */
  readonly definitions: ReadonlyMap<string, Untyped>;
  /** By plural. */
  readonly samples: ReadonlyMap<string, SampleAnswer>;
  readonly counts: readonly CountFact[];
  readonly managerRights: readonly RightFact[];
  readonly ownRights: readonly RightFact[];
  /** The Rollout objects of Kruise Rollouts, at most one page. */
  readonly rollouts: readonly Untyped[];
  /** Deployments of the controller of Kruise Rollouts. */
  readonly rolloutManagers: readonly Untyped[];
  /** Objects of kinds of Kruise whose deletion waits for a finalizer that the manager removes. */
  readonly terminating: readonly HeldFact[];
}

export type FactName = keyof FactValues;

/** A part that was read, or why it was not. */
export type Read<T> =
  | { readonly kind: 'Read'; readonly value: T }
  | { readonly kind: 'Unread'; readonly why: 'Forbidden' | 'TimedOut' | 'Unreachable' | 'Failed'; readonly message: string };

export type Facts = { readonly [K in FactName]: Read<FactValues[K]> };

/** Where and when facts were read. */
export interface At {
  /** Of the manager. */
  readonly namespace: string;
  readonly agentNamespace: string;
  /** Milliseconds since the epoch, on the clock of the API server if it is known. */
  readonly now: number;
}
