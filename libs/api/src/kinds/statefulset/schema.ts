/** StatefulSet of group apps.kruise.io: schema of v1alpha1 and v1beta1 (spec/statefulset.md 2). */
import type { KubeObject } from '@kruise/objects';
import { int32, int64, list, object, optional, string, type Infer, type Members } from '../../schema/builder.ts';
import { containerColumns } from '../../schema/columns.ts';
import { resourceTypeOf, type KindDeclaration, type PrinterColumn, type VersionDeclaration } from '../../schema/kind.ts';
import { conditions } from '../../schema/shared.ts';
import {
  hubSpecMembers,
  statefulSetSpec,
  statefulSetSpecV1Alpha1,
  type StatefulSetSpec,
  type StatefulSetSpecV1Alpha1,
} from '../../schema/statefulset-spec.ts';
import { reading, right, workloadRights } from '../../schema/rights.ts';

export type { StatefulSetSpec, StatefulSetSpecV1Alpha1 };

const commonStatusMembers = {
  availableReplicas: int32('Number of Pods that have been ready for minReadySeconds and are not held by a lifecycle hook.'),
  collisionCount: optional(
    int32('Number of times the name generated for a new revision was already in use; part of the hash in revision names.'),
  ),
  conditions: optional(conditions('Conditions: FailedCreatePod and FailedUpdatePod (the last error), Blocked (what prevents progress).')),
  currentReplicas: int32('Number of Pods at the current revision.'),
  currentRevision: optional(string('Name of the last revision that was fully rolled out.')),
  labelSelector: optional(string('spec.selector in string form, for autoscalers.')),
  observedGeneration: optional(int64('The metadata.generation that this status reflects.')),
  readyReplicas: int32('Number of Pods that are ready.'),
  replicas: int32('Number of Pods that exist.'),
  updateRevision: optional(string('Name of the revision of the current template.')),
  updatedReplicas: int32('Number of Pods at the update revision.'),
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
export interface StatefulSet extends KubeObject {
  readonly spec: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

/** StatefulSet in v1alpha1, which exists only in conversion and admission. */
export interface StatefulSetV1Alpha1 extends KubeObject {
  readonly spec: StatefulSetSpecV1Alpha1;
  readonly status?: StatefulSetStatusV1Alpha1;
}

const columns: readonly PrinterColumn[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', description: 'Desired number of Pods.' },
  { name: 'CURRENT', type: 'integer', jsonPath: '.status.replicas', description: 'Number of Pods that exist.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas', description: 'Number of Pods at the update revision.' },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', description: 'Number of Pods that are ready.' },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Time since the StatefulSet was created.' },
  ...containerColumns,
];

const common: Pick<VersionDeclaration, 'columns' | 'scale'> = {
  columns,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.labelSelector' },
};

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  singular: 'statefulset',
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
