/** What the webhooks of a kind decide about a new object, as far as files say: their rules without the cluster. */
import type { Gates } from '@kruise/api';
import type { ConfigMap, FieldError, JsonObject } from '@kruise/objects';

/** What a creation is judged by besides the object. */
export interface CreationFacts {
  readonly version: 'v1alpha1' | 'v1beta1';
  readonly gates: Gates;
  /** `--allow-privileged` of the manager. */
  readonly allowPrivileged: boolean;
  /** That of the object, or the one that a client fills in; '' for a kind without namespaces. */
  readonly namespace: string;
  /** Returns the objects of the same kind and namespace that exist already and may be about the same Pods, in v1beta1, by name. */
  readonly rivals: (object: JsonObject) => readonly JsonObject[];
  /** Returns an object of the same kind and namespace that exists already, in v1beta1. */
  readonly sibling: (name: string) => JsonObject | undefined;
  /** The shared ConfigMap with the lists of the administrator, if it is known. */
  readonly configuration: ConfigMap | undefined;
  /** Returns the workload of the namespace, if it is known. */
  readonly workload: (group: string, kind: string, name: string) => JsonObject | undefined;
}

/** What the validating webhook finds. */
export interface CreationFindings {
  readonly faults: readonly FieldError[];
  /** A refusal that is no list of fields. */
  readonly denial?: string | undefined;
  readonly warnings?: readonly string[];
}

/** The webhooks of one kind. */
export interface KindCreation {
  /** Returns why the kind is refused at all: a gate that is off. */
  readonly gateDenial?: (gates: Gates) => string | undefined;
  /** Returns the object with its defaults. */
  readonly defaulted?: (object: JsonObject, facts: CreationFacts) => JsonObject;
  /** @param object with its defaults, in the version of the request */
  readonly findings?: (object: JsonObject, facts: CreationFacts) => CreationFindings;
}
