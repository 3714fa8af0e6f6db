/** A kind as declared by its folder: names, scope and versions; what CRD generation, the client and the docs are made from. */
import type { KubeObject, ResourceType } from '@kruise/objects';
import type { JsonSchema, Schema } from './builder.ts';
import type { KindRights } from './rights.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'string' | 'date' | 'boolean' | 'number';
  readonly jsonPath: string;
  readonly description?: string;
  /** 0 (absent) is shown always, greater only in wide output. */
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
  /** Only where the CRD itself requires `spec` or others at the top. */
  readonly required?: readonly string[];
  readonly deprecationWarning?: string;
}

/** Which webhooks the kind has; what they decide is a matter of the manager. @see spec/manager.md 4.3, 4.4 */
export interface AdmissionDeclaration {
  /** When objects are completed; never when absent. */
  readonly mutates?: readonly ('CREATE' | 'UPDATE')[];
  /** When objects are checked; never when absent. */
  readonly validates?: readonly ('CREATE' | 'UPDATE')[];
  /**
   * Whether the label of deletion protection counts for the kind: deletions of labelled objects are checked, at the same path, by a webhook of
   * their own, so that all others can be deleted while no manager answers. @see spec/deletion-protection.md 2
   */
  readonly guardsDeletion?: true;
  /** What stands in the webhooks' names in place of the kind's singular name. */
  readonly webhookName?: string;
  /** The version in the webhooks' paths; none when absent. */
  readonly pathVersion?: 'v1alpha1';
}

/** What uninstalling has to know about the objects of a kind, which go with their CRD. @see spec/helm-chart.md 10 */
export type UninstallRule =
  /** As long as there is one, nothing is uninstalled: their Pods would go as well. `called` in messages: `advanced statefulsets`. */
  | { readonly kind: 'Refuse'; readonly called: string }
  /** The user is told that they go. */
  | { readonly kind: 'Warn'; readonly called: string }
  /** They carry a finalizer of the manager, so they go before it does. */
  | { readonly kind: 'CleanUp' };

/** All that is known of a kind without a manager. CRD, roles, webhook configurations and reference are made from it. */
export interface KindDeclaration {
  readonly group: 'apps.kruise.io' | 'policy.kruise.io';
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** One paragraph, what the kind is for: the description of the object itself. */
  readonly description: string;
  /** Name of its controller: metric label, log field and event source. */
  readonly controllerName: string;
  /** What the manager puts on its objects, so that it can clean up before they go; absent when there is nothing to clean up. */
  readonly finalizer?: string;
  /** `Webhook` where a converter exists (spec/manager.md 4.8). */
  readonly conversion: 'Webhook' | 'None';
  /** Whether its status holds counters that the Pod webhook writes when Pods come and go. */
  readonly countsAtAdmission?: true;
  /** Absent for a kind without webhooks. */
  readonly admission?: AdmissionDeclaration;
  /** What the manager may do for it, next to writing `status`. */
  readonly rights?: KindRights;
  /** Absent when uninstalling need not care. */
  readonly atUninstall?: UninstallRule;
  readonly versions: readonly VersionDeclaration[];
}

/** The version in which objects are stored, which the manager works with. @throws for a declaration without one */
export function storedVersion({ kind, versions }: Pick<KindDeclaration, 'kind' | 'versions'>): VersionDeclaration['name'] {
  const stored = versions.find(({ storage }) => storage);
  if (stored === undefined) throw new Error(`${kind} has no stored version`);
  return stored.name;
}

/** How a client addresses `declaration` in one of its versions. */
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
 * The paths of a kind's webhooks.
 *
 * @returns the path in the webhook configuration first, then those under which other versions of the manager were asked
 */
export function admissionPaths({ group, singular, admission }: KindDeclaration, verb: Verb): readonly [string, ...string[]] {
  const of = (name: string): string => `/${verb}-${group.replaceAll('.', '-')}-${name}`;
  const [plain, versioned] = [of(singular), of(`v1alpha1-${singular}`)];
  return admission?.pathVersion === undefined ? [plain, versioned] : [versioned, plain];
}

/** The name of a kind's webhook in the webhook configuration. */
export const webhookName = ({ singular, admission }: KindDeclaration, verb: Verb): string =>
  `${verb[0]}${admission?.webhookName ?? singular}.kb.io`;

/** Paths that are served for a kind, the former ones included. */
export const servedPaths = (declaration: KindDeclaration): readonly string[] => [
  ...(declaration.admission?.mutates === undefined ? [] : admissionPaths(declaration, 'mutate')),
  ...(declaration.admission?.validates === undefined ? [] : admissionPaths(declaration, 'validate')),
];

/** The whole object's schema of one version, as it stands in the CRD. */
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
