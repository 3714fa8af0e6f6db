/** A kind as declared by its folder: names, scope and versions; what CRD generation, the client and the docs are made from. */
import type { KubeObject, ResourceType } from '@kruise/objects';
import type { JsonSchema, Schema } from './builder.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'string' | 'date' | 'boolean' | 'number';
  readonly jsonPath: string;
  readonly description?: string;
  /** 0 (absent) is shown always, greater only in wide output. */
  readonly priority?: number;
}

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

export interface KindDeclaration {
  readonly group: 'apps.kruise.io' | 'policy.kruise.io';
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** One paragraph, what the kind is for: the description of the object itself. */
  readonly description: string;
  /** `Webhook` where a converter exists (spec/manager.md 4.8). */
  readonly conversion: 'Webhook' | 'None';
  readonly versions: readonly VersionDeclaration[];
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
