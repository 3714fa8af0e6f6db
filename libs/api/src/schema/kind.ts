/** A kind as declared by its folder: names, scope and versions. The CRD, the client and the docs are generated from it. */
import type { KubeObject, ResourceType } from '@kruise/objects';
import type { JsonSchema, Schema } from './builder.ts';
import type { KindRights } from './rights.ts';

/** An object of a kind in one of its versions: what is wanted, and what was last observed. */
export interface KruiseObject<Spec, Status> extends KubeObject {
  readonly spec: Spec;
  readonly status?: Status;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'string' | 'date' | 'boolean' | 'number';
  readonly jsonPath: string;
  readonly description?: string;
  /** 0 (absent) is always shown, greater values only in wide output. */
  readonly priority?: number;
}

/** One version of a kind. Exactly one version has `storage: true`, see {@link storedVersion}. */
export interface VersionDeclaration {
  readonly name: 'v1alpha1' | 'v1beta1';
  readonly storage: boolean;
  readonly spec: Schema<unknown>;
  readonly status: Schema<unknown>;
  readonly columns: readonly PrinterColumn[];
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string };
  /** Only when the CRD itself requires `spec` or other top-level fields. */
  readonly required?: readonly string[];
  readonly deprecationWarning?: string;
}

/** Which webhooks the kind has; the manager implements their decisions. @see spec/manager.md 4.3, 4.4 */
export interface AdmissionDeclaration {
  /** When objects are defaulted; never when absent. */
  readonly mutates?: readonly ('CREATE' | 'UPDATE')[];
  /** When objects are validated; never when absent. */
  readonly validates?: readonly ('CREATE' | 'UPDATE')[];
  /**
   * Whether the label of deletion protection applies to the kind: deletions of labelled objects are checked, at the same path, by a webhook of their
   * own, so that all others can be deleted while no manager answers. @see spec/deletion-protection.md 2
   */
  readonly guardsDeletion?: true;
  /** Replaces the kind's singular name in the webhooks' names. */
  readonly webhookName?: string;
  /** The version in the webhooks' paths; none when absent. */
  readonly pathVersion?: 'v1alpha1';
}

/** What uninstalling has to know about the objects of a kind, which are deleted with their CRD. @see spec/helm-chart.md 10 */
export type UninstallRule =
  /** As long as there is one, nothing is uninstalled: their Pods would be deleted as well. `called` in messages: `advanced statefulsets`. */
  | { readonly kind: 'Refuse'; readonly called: string }
  /** The user is warned that they are deleted. */
  | { readonly kind: 'Warn'; readonly called: string }
  /** They have a finalizer of the manager, so they are deleted before it is. */
  | { readonly kind: 'CleanUp' };

/** Everything about a kind that is known without a manager. CRD, roles, webhook configurations and reference are generated from it. */
export interface KindDeclaration {
  readonly group: 'apps.kruise.io' | 'policy.kruise.io';
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** One paragraph about the purpose of the kind: the description of the object itself. */
  readonly description: string;
  /** Name of its controller: metric label, log field and event source. */
  readonly controllerName: string;
  /**
   * The finalizer that the manager adds to its objects, so that it can clean up before they are deleted; absent when there is nothing to clean up.
   */
  readonly finalizer?: string;
  /** `Webhook` when a converter exists (spec/manager.md 4.8). */
  readonly conversion: 'Webhook' | 'None';
  /** Whether its status contains counters that the Pod webhook writes when Pods are created and deleted. */
  readonly countsAtAdmission?: true;
  /** Absent for a kind without webhooks. */
  readonly admission?: AdmissionDeclaration;
  /** What the manager may do for it, in addition to writing `status`. */
  readonly rights?: KindRights;
  /** Absent when uninstalling need not handle it. */
  readonly atUninstall?: UninstallRule;
  readonly versions: readonly VersionDeclaration[];
}

/** Returns the names of a kind on the wire: the singular is the kind in lower case, and the plural adds an s. */
export const namesOf = (kind: string): Pick<KindDeclaration, 'kind' | 'plural' | 'singular'> => ({
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
});

/** Returns the version in which objects are stored, which the manager uses. @throws for a declaration without one */
export function storedVersion({ kind, versions }: Pick<KindDeclaration, 'kind' | 'versions'>): VersionDeclaration['name'] {
  const stored = versions.find(({ storage }) => storage);
  if (stored === undefined) throw new Error(`${kind} has no stored version`);
  return stored.name;
}

/** Returns how a client addresses `declaration` in one of its versions. */
export const resourceTypeOf = <T extends KubeObject>(
  declaration: KindDeclaration,
  version: VersionDeclaration['name'],
): ResourceType<T> => ({
  group: declaration.group,
  version,
  kind: declaration.kind,
  plural: declaration.plural,
  namespaced: declaration.namespaced,
});

type Verb = 'mutate' | 'validate';

/**
 * Returns the paths of a kind's webhooks.
 *
 * @returns the path in the webhook configuration first, then those that other versions of the manager used
 */
export function admissionPaths({ group, singular, admission }: KindDeclaration, verb: Verb): readonly [string, ...string[]] {
  const of = (name: string): string => `/${verb}-${group.replaceAll('.', '-')}-${name}`;
  const [plain, versioned] = [of(singular), of(`v1alpha1-${singular}`)];
  return admission?.pathVersion === undefined ? [plain, versioned] : [versioned, plain];
}

/** Returns the name of a kind's webhook in the webhook configuration. */
export const webhookName = ({ singular, admission }: KindDeclaration, verb: Verb): string =>
  `${verb[0]}${admission?.webhookName ?? singular}.kb.io`;

/** Returns the paths that are served for a kind, the former ones included. */
export const servedPaths = (declaration: KindDeclaration): readonly string[] => [
  ...(declaration.admission?.mutates === undefined ? [] : admissionPaths(declaration, 'mutate')),
  ...(declaration.admission?.validates === undefined ? [] : admissionPaths(declaration, 'validate')),
];

/** Returns the whole object's schema of one version, as in the CRD. */
export function objectSchema(declaration: KindDeclaration, version: VersionDeclaration): JsonSchema {
  return {
    type: 'object',
    description: declaration.description,
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this object, such as `apps.kruise.io/v1beta1`.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object' },
      spec: version.spec.json,
      status: version.status.json,
    },
    ...(version.required === undefined ? {} : { required: version.required }),
  };
}
