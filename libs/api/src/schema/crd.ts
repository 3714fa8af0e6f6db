/** Generates the CustomResourceDefinition of a kind's declaration. */
import type { JsonSchema } from './builder.ts';
import { objectSchema, type KindDeclaration, type PrinterColumn, type VersionDeclaration } from './kind.ts';

/** Where the API server finds `/convert`; the manager sets the CA at run time. */
export interface ConversionService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

/** The Service as installed by default. */
export const defaultConversionService: ConversionService = {
  namespace: 'kruise-system',
  name: 'kruise-webhook-service',
  port: 443,
  path: '/convert',
};

/** The versions of ConversionReview that the manager supports, the preferred one first. */
const conversionReviewVersions = ['v1', 'v1beta1'] as const;

/** One version in a CRD. Exactly one of a CRD has `storage: true`. */
interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly subresources: { readonly status: Readonly<Record<string, never>>; readonly scale?: VersionDeclaration['scale'] };
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
}

/** The fields of an `apiextensions.k8s.io/v1` CustomResourceDefinition that are used here. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly scope: 'Namespaced' | 'Cluster';
    readonly conversion: CrdConversion;
    readonly versions: readonly CrdVersion[];
  };
}

/** How the API server converts between versions: only `apiVersion` changes, or the webhook is called. */
type CrdConversion =
  | { readonly strategy: 'None' }
  | {
      readonly strategy: 'Webhook';
      readonly webhook: {
        readonly clientConfig: { readonly service: ConversionService };
        readonly conversionReviewVersions: readonly string[];
      };
    };

/** Returns `<plural>.<group>`: the name of the CRD. */
export const crdName = (declaration: Pick<KindDeclaration, 'plural' | 'group'>): string => `${declaration.plural}.${declaration.group}`;

/**
 * Returns the CRD of a kind: all versions, in the declared order; members in a fixed order, schema members sorted by name, so that the same
 * declaration always prints the same text. It has no labels and no annotations.
 */
export function customResourceDefinition(
  declaration: KindDeclaration,
  service: ConversionService = defaultConversionService,
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(declaration) },
    spec: {
      group: declaration.group,
      names: {
        kind: declaration.kind,
        listKind: `${declaration.kind}List`,
        plural: declaration.plural,
        singular: declaration.singular,
        ...(declaration.shortNames.length === 0 ? {} : { shortNames: declaration.shortNames }),
      },
      scope: declaration.namespaced ? 'Namespaced' : 'Cluster',
      conversion: conversionOf(declaration, service),
      versions: declaration.versions.map((version) => crdVersion(declaration, version)),
    },
  };
}

function conversionOf(declaration: KindDeclaration, service: ConversionService): CrdConversion {
  if (declaration.conversion === 'None') return { strategy: 'None' };
  return { strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions } };
}

function crdVersion(declaration: KindDeclaration, version: VersionDeclaration): CrdVersion {
  return {
    name: version.name,
    served: true,
    storage: version.storage,
    ...(version.deprecationWarning === undefined ? {} : { deprecated: true, deprecationWarning: version.deprecationWarning }),
    ...(version.columns.length === 0 ? {} : { additionalPrinterColumns: version.columns.map(printedColumn) }),
    subresources: { status: {}, ...(version.scale === undefined ? {} : { scale: version.scale }) },
    schema: { openAPIV3Schema: sorted(objectSchema(declaration, version)) },
  };
}

const printedColumn = (column: PrinterColumn): PrinterColumn => ({
  name: column.name,
  type: column.type,
  jsonPath: column.jsonPath,
  ...(column.description === undefined ? {} : { description: column.description }),
  ...(column.priority === undefined || column.priority === 0 ? {} : { priority: column.priority }),
});

const firstKeywords = ['type', 'format', 'description'];
const rank = (keyword: string): number => (firstKeywords.includes(keyword) ? firstKeywords.indexOf(keyword) : firstKeywords.length);

/** Returns the schema with its keywords in a fixed order and its properties sorted by name. */
const sorted = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.keys(schema)
      .sort()
      .sort((a, b) => rank(a) - rank(b))
      .map((keyword) => [keyword, sortedKeyword(keyword, schema[keyword as keyof JsonSchema])]),
  );

function sortedKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'items' || keyword === 'additionalProperties') return sorted(value as JsonSchema);
  if (keyword !== 'properties') return value;
  const properties = value as Readonly<Record<string, JsonSchema>>;
  return Object.fromEntries(
    Object.keys(properties)
      .sort()
      .map((name) => [name, sorted(properties[name] as JsonSchema)]),
  );
}
