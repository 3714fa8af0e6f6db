/** StatefulSet of group apps.kruise.io: schema of v1alpha1 and v1beta1 (spec/statefulset.md 2). */
import { int32, list, object, optional, string, type Infer, type Members } from '../../schema/builder.ts';
import {
  ageColumnOf,
  containerColumns,
  currentColumn,
  desiredColumn,
  readyColumn,
  replicasScale,
  updatedColumn,
} from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject, type VersionDeclaration } from '../../schema/kind.ts';
import { conditions } from '../../schema/shared.ts';
import {
  hubSpecMembers,
  statefulSetSpec,
  statefulSetSpecV1Alpha1,
  type StatefulSetSpec,
  type StatefulSetSpecV1Alpha1,
} from '../../schema/statefulset-spec.ts';
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

export type { StatefulSetSpec, StatefulSetSpecV1Alpha1 };

const commonStatusMembers = {
  availableReplicas,
  collisionCount,
  conditions: optional(conditions('Conditions: FailedCreatePod and FailedUpdatePod (the last error), Blocked (what prevents progress).')),
  currentReplicas: int32('Number of Pods at the current revision.'),
  currentRevision,
  labelSelector: scaleSelector,
  observedGeneration,
  readyReplicas,
  replicas: int32('Number of Pods that exist.'),
  updateRevision,
  updatedReplicas,
};

/** The status members that v1alpha1 lacks; its objects have them in an annotation. */
const hubStatusMembers = {
  updatedAvailableReplicas: optional(int32('Number of available Pods at the update revision.')),
  updatedReadyReplicas: optional(int32('Number of ready Pods at the update revision.')),
  volumeClaims: optional(
    list(
      'Progress of updating claims to their templates, one entry per template.',
      object('The claims of one template.', {
        compatibleReadyReplicas: int32('Number of Pods whose claim matches the template and has the requested size.'),
        compatibleReplicas: int32('Number of Pods whose claim matches the template.'),
        volumeClaimName: string('Name of the template.'),
      }),
    ),
  ),
};

const statefulSetStatus = object('The most recently observed status.', { ...commonStatusMembers, ...hubStatusMembers });
export type StatefulSetStatus = Infer<typeof statefulSetStatus>;

const statefulSetStatusV1Alpha1 = object('The most recently observed status.', commonStatusMembers);
export type StatefulSetStatusV1Alpha1 = Infer<typeof statefulSetStatusV1Alpha1>;

/** Schemas of the members that only the hub has. */
export const hubOnlyMembers: { readonly spec: Members; readonly status: Members } = { spec: hubSpecMembers, status: hubStatusMembers };

/** StatefulSet in the hub version, v1beta1. */
export type StatefulSet = KruiseObject<StatefulSetSpec, StatefulSetStatus>;

/** StatefulSet in v1alpha1, which exists only in conversion and admission. */
export type StatefulSetV1Alpha1 = KruiseObject<StatefulSetSpecV1Alpha1, StatefulSetStatusV1Alpha1>;

const columns = [desiredColumn, currentColumn, updatedColumn, readyColumn, ageColumnOf('StatefulSet'), ...containerColumns];

const common: Pick<VersionDeclaration, 'columns' | 'scale'> = { columns, scale: replicasScale };

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('StatefulSet'),
  shortNames: ['sts', 'asts'],
  namespaced: true,
  description:
    'StatefulSet runs numbered Pods that keep their name and storage, like the built-in kind, and can update them in place and several at a time.',
  controllerName: 'statefulset-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'], guardsDeletion: true },
  rights: {
    own: [],
    status: ['patch', 'update'],
    owns: true,
    others: [...workloadRights, { ...right('storage.k8s.io', ['storageclasses'], reading), gates: ['StatefulSetAutoResizePVCGate'] }],
  },
  atUninstall: { kind: 'Refuse', called: 'advanced statefulsets' },
  versions: [
    { name: 'v1alpha1', storage: false, spec: statefulSetSpecV1Alpha1, status: statefulSetStatusV1Alpha1, ...common },
    { name: 'v1beta1', storage: true, spec: statefulSetSpec, status: statefulSetStatus, ...common },
  ],
};

/** How a client addresses StatefulSets of group apps.kruise.io in the hub version, and below it in v1alpha1. */
export const statefulSets = resourceTypeOf<StatefulSet>(declaration, 'v1beta1');
export const statefulSetsV1Alpha1 = resourceTypeOf<StatefulSetV1Alpha1>(declaration, 'v1alpha1');
