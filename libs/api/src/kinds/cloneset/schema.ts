/** CloneSet: schema of v1alpha1 and v1beta1 (spec/cloneset.md 2). */
import { int32, object, optional, type Infer } from '../../schema/builder.ts';
import {
  ageColumnOf,
  column,
  containerColumns,
  desiredColumn,
  readyColumn,
  replicasScale,
  updatedColumn,
  wideColumn,
} from '../../schema/columns.ts';
import { cloneSetSpec, cloneSetSpecV1Alpha1, type CloneSetSpec, type CloneSetSpecV1Alpha1 } from '../../schema/cloneset-spec.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject, type VersionDeclaration } from '../../schema/kind.ts';
import { updatedConditions } from '../../schema/shared.ts';
import { reading, right, workloadRights } from '../../schema/rights.ts';
import {
  availableReplicas,
  collisionCount,
  currentRevision,
  observedGeneration,
  readyReplicas,
  scaleSelector,
  updateRevision,
  updatedReplicas,
} from '../../schema/workload-status.ts';

export type { CloneSetSpec, CloneSetSpecV1Alpha1 };

const cloneSetStatus = object('The most recently observed status.', {
  availableReplicas,
  collisionCount,
  conditions: optional(
    updatedConditions(
      'Conditions: Progressing (within its deadline or not), FailedScale and FailedUpdate (the last error), Blocked (what prevents progress).',
    ),
  ),
  currentRevision,
  expectedUpdatedReplicas: optional(int32('Number of Pods that should be at the update revision, given partition.')),
  labelSelector: scaleSelector,
  observedGeneration,
  readyReplicas,
  replicas: int32('Number of Pods that exist, excluding terminating ones.'),
  updateRevision,
  updatedAvailableReplicas: optional(int32('Number of available Pods at the update revision.')),
  updatedReadyReplicas: int32('Number of ready Pods at the update revision.'),
  updatedReplicas,
});
export type CloneSetStatus = Infer<typeof cloneSetStatus>;

/** CloneSet in the hub version, v1beta1. */
export type CloneSet = KruiseObject<CloneSetSpec, CloneSetStatus>;

/** CloneSet in v1alpha1, which exists only in conversion and admission. */
export type CloneSetV1Alpha1 = KruiseObject<CloneSetSpecV1Alpha1, CloneSetStatus>;

const columns = [
  desiredColumn,
  updatedColumn,
  column('UPDATED_READY', 'integer', '.status.updatedReadyReplicas', 'Number of ready Pods at the update revision.'),
  column('UPDATED_AVAILABLE', 'integer', '.status.updatedAvailableReplicas', 'Number of available Pods at the update revision.'),
  readyColumn,
  column('TOTAL', 'integer', '.status.replicas', 'Number of Pods that exist.'),
  ageColumnOf('CloneSet'),
  ...containerColumns,
  wideColumn('SELECTOR', '.status.labelSelector', 'Selector of the Pods.'),
];

const common: Pick<VersionDeclaration, 'status' | 'columns' | 'scale'> = {
  status: cloneSetStatus,
  columns,
  scale: replicasScale,
};

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('CloneSet'),
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
