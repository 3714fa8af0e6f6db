/** ResourceDistribution: the schema of both versions (spec/resourcedistribution.md 2). */
import type { KubeObject } from '@kruise/objects';
import { boolean, choice, int32, int64, list, object, optional, string, time, type Infer, type Schema } from '../../schema/builder.ts';
import { column } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { labelSelector } from '../../schema/shared.ts';
import { reading, right, secretRights } from '../../schema/rights.ts';

/** The distributed ConfigMap or Secret, as the user wrote it. */
export type DistributedResource = KubeObject & { readonly [member: string]: unknown };

const resource: Schema<DistributedResource> = {
  json: {
    type: 'object',
    description:
      'The complete ConfigMap or Secret to distribute; kind ConfigMap or Secret, apiVersion v1. Its apiVersion, kind and name cannot be changed later; its namespace is ignored. Labels and annotations that are removed here stay on copies; everything else of a copy is kept equal.',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  },
  optional: false,
};

const namespaceList = (description: string, listDescription: string) =>
  object(description, {
    list: optional(list(listDescription, object('One namespace.', { name: optional(string('Name of the namespace.')) }))),
  });

const targetMembers = {
  allNamespaces: optional(boolean('true: all namespaces; the included ones and the selector are ignored. Default false.')),
  excludedNamespaces: optional(
    namespaceList(
      'Namespaces that never get the resource; takes precedence over all other members.',
      'The namespaces; none of them may also be included.',
    ),
  ),
  includedNamespaces: optional(namespaceList('Namespaces that get the resource, by name.', 'The namespaces; they need not exist yet.')),
};
const namespaceSelector = labelSelector('Namespaces that get the resource, by labels. Empty: none.');
const targetsDescription = 'The namespaces that get the resource. kube-system and kube-public never do.';

const spec = object('The resource to copy, and its target namespaces.', {
  resource,
  targets: object(targetsDescription, { ...targetMembers, namespaceSelector: optional(namespaceSelector) }),
});
const specV1Alpha1 = object('The resource to copy, and its target namespaces.', {
  resource,
  targets: object(targetsDescription, { ...targetMembers, namespaceLabelSelector: optional(namespaceSelector) }),
});

const conditionMembers = {
  lastTransitionTime: optional(time('When the condition last changed from one status to another.')),
  reason: optional(string('Succeeded, or the text of the last error.')),
  status: choice('True: this failed in some namespaces.', ['True', 'False', 'Unknown']),
  type: string('Kind of failure, one of the six types.'),
};
const failedNamespaces = list('The namespaces in which it failed.', string('Name of a namespace.'));

const statusOf = <T>(condition: Schema<T>) =>
  object('Progress of the distribution; numbers of 0 are omitted.', {
    conditions: optional(
      list(
        'GetResourceFailed, CreateResourceFailed, UpdateResourceFailed, DeleteResourceFailed, ConflictOccurred and NamespaceNotExists, in this order.',
        condition,
      ),
    ),
    desired: optional(int32('Number of namespaces that should have the resource.')),
    failed: optional(int32('Number of namespaces that do not have it.')),
    observedGeneration: optional(int64('Generation that this status was computed from.')),
    succeeded: optional(int32('Number of namespaces whose resource is up to date.')),
  });

const status = statusOf(object('One kind of error.', { ...conditionMembers, failedNamespaces: optional(failedNamespaces) }));
const statusV1Alpha1 = statusOf(object('One kind of error.', { ...conditionMembers, failedNamespace: optional(failedNamespaces) }));

/** A copy is replaced as a whole: its content is not stored here, so it is unknown which fields would have to be removed. */
const copying = [...reading, 'create', 'delete', 'update'];

const columns = [
  column('TOTAL', 'integer', '.status.desired', 'Number of namespaces that should have the resource.'),
  column('SUCCEED', 'integer', '.status.succeeded', 'Number of namespaces that have it.'),
  column('FAILED', 'integer', '.status.failed', 'Number of namespaces that do not have it.'),
];

export type ResourceDistributionSpec = Infer<typeof spec>;
/** How many namespaces have their copy, and what went wrong with the others. */
export type ResourceDistributionStatus = Infer<typeof status>;
/** Which namespaces receive a copy. */
export type ResourceDistributionTargets = ResourceDistributionSpec['targets'];
/** A condition of a ResourceDistribution, with the namespaces that it concerns. */
export type ResourceDistributionCondition = NonNullable<ResourceDistributionStatus['conditions']>[number];

/** v1beta1, the version that the project uses internally. */
export type ResourceDistribution = KruiseObject<ResourceDistributionSpec, ResourceDistributionStatus>;

/** ResourceDistribution in v1alpha1, which exists only in conversion and admission. */
export type ResourceDistributionV1Alpha1 = KruiseObject<Infer<typeof specV1Alpha1>, Infer<typeof statusV1Alpha1>>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('ResourceDistribution'),
  shortNames: ['distributor'],
  namespaced: false,
  description: 'Copies one ConfigMap or Secret to many namespaces and keeps the copies up to date.',
  controllerName: 'resourcedistribution-controller',
  conversion: 'Webhook',
  admission: { validates: ['CREATE', 'UPDATE'] },
  rights: {
    gates: ['ResourceDistributionGate'],
    status: ['update'],
    owns: true,
    others: [right('', ['configmaps'], copying), right('', ['namespaces'], reading), secretRights(copying)],
  },
  versions: [
    { name: 'v1alpha1', storage: false, spec: specV1Alpha1, status: statusV1Alpha1, columns },
    { name: 'v1beta1', storage: true, spec, status, columns },
  ],
};

/** How a client addresses ResourceDistributions. */
export const resourceDistributions = resourceTypeOf<ResourceDistribution>(declaration, 'v1beta1');
export const resourceDistributionsV1Alpha1 = resourceTypeOf<ResourceDistributionV1Alpha1>(declaration, 'v1alpha1');
