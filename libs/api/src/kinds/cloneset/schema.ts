/** CloneSet: schema of v1alpha1 and v1beta1 (spec/cloneset.md 2). */
import type { KubeObject } from '@kruise/objects';
import { int32, int64, object, optional, string, type Infer } from '../../schema/builder.ts';
import { containerColumns } from '../../schema/columns.ts';
import { cloneSetSpec, cloneSetSpecV1Alpha1, type CloneSetSpec, type CloneSetSpecV1Alpha1 } from '../../schema/cloneset-spec.ts';
import { resourceTypeOf, type KindDeclaration, type PrinterColumn, type VersionDeclaration } from '../../schema/kind.ts';
import { updatedConditions } from '../../schema/shared.ts';
import { reading, right, workloadRights } from '../../schema/rights.ts';

export type { CloneSetSpec, CloneSetSpecV1Alpha1 };

const cloneSetStatus = object('The most recently observed status.', {
  availableReplicas: int32('Number of Pods that have been ready for minReadySeconds and are not held by a lifecycle hook.'),
  collisionCount: optional(
    int32('Number of times the name generated for a new revision was already in use; part of the hash in revision names.'),
  ),
  conditions: optional(
    updatedConditions(
      'Conditions: Progressing (within its deadline or not), FailedScale and FailedUpdate (the last error), Blocked (what prevents progress).',
    ),
  ),
  currentRevision: optional(string('Name of the last revision that was fully rolled out.')),
  expectedUpdatedReplicas: optional(int32('Number of Pods that should be at the update revision, given partition.')),
  labelSelector: optional(string('spec.selector in string form, for autoscalers.')),
  observedGeneration: optional(int64('The metadata.generation that this status reflects.')),
  readyReplicas: int32('Number of Pods that are ready.'),
  replicas: int32('Number of Pods that exist, excluding terminating ones.'),
  updateRevision: optional(string('Name of the revision of the current template.')),
  updatedAvailableReplicas: optional(int32('Number of available Pods at the update revision.')),
  updatedReadyReplicas: int32('Number of ready Pods at the update revision.'),
  updatedReplicas: int32('Number of Pods at the update revision.'),
});
export type CloneSetStatus = Infer<typeof cloneSetStatus>;

/** CloneSet in the hub version, v1beta1. */
export interface CloneSet extends KubeObject {
  readonly spec: CloneSetSpec;
  readonly status?: CloneSetStatus;
}

/** CloneSet in v1alpha1, which exists only in conversion and admission. */
export interface CloneSetV1Alpha1 extends KubeObject {
  readonly spec: CloneSetSpecV1Alpha1;
  readonly status?: CloneSetStatus;
}

const columns: readonly PrinterColumn[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', description: 'Desired number of Pods.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas', description: 'Number of Pods at the update revision.' },
  {
    name: 'UPDATED_READY',
    type: 'integer',
    jsonPath: '.status.updatedReadyReplicas',
    description: 'Number of ready Pods at the update revision.',
  },
  {
    name: 'UPDATED_AVAILABLE',
    type: 'integer',
    jsonPath: '.status.updatedAvailableReplicas',
    description: 'Number of available Pods at the update revision.',
  },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', description: 'Number of Pods that are ready.' },
  { name: 'TOTAL', type: 'integer', jsonPath: '.status.replicas', description: 'Number of Pods that exist.' },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Time since the CloneSet was created.' },
  ...containerColumns,
  { name: 'SELECTOR', type: 'string', jsonPath: '.status.labelSelector', description: 'Selector of the Pods.', priority: 1 },
];

const common: Pick<VersionDeclaration, 'status' | 'columns' | 'scale'> = {
  status: cloneSetStatus,
  columns,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.labelSelector' },
};

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  kind: 'CloneSet',
  plural: 'clonesets',
  singular: 'cloneset',
  shortNames: ['clone'],
  namespaced: true,
  description:
    'CloneSet runs a number of interchangeable Pods, updates them in place or by recreation, and allows users to choose which Pods are updated or deleted first.',
  controllerName: 'cloneset-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'], guardsDeletion: true },
  rights: {
    own: ['patch'],
    status: ['patch', 'update'],
    owns: true,
    others: [
      ...workloadRights,
      right('', ['nodes'], reading),
      right('apps.kruise.io', ['imagepulljobs'], [...reading, 'create', 'delete']),
    ],
  },
  atUninstall: { kind: 'Refuse', called: 'clonesets' },
  versions: [
    { name: 'v1alpha1', storage: false, spec: cloneSetSpecV1Alpha1, ...common },
    { name: 'v1beta1', storage: true, spec: cloneSetSpec, ...common },
  ],
};

/** How a client addresses CloneSets in the hub version, and below it in v1alpha1. */
export const cloneSets = resourceTypeOf<CloneSet>(declaration, 'v1beta1');
export const cloneSetsV1Alpha1 = resourceTypeOf<CloneSetV1Alpha1>(declaration, 'v1alpha1');
