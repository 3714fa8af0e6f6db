/** StatefulSet of group apps.kruise.io: schema of v1alpha1 and v1beta1 (spec/statefulset.md 2). */
import type { KubeObject } from '@kruise/objects';
import {
  boolean,
  choice,
  int32,
  int64,
  intOrString,
  list,
  object,
  optional,
  string,
  type Infer,
  type Members,
} from '../../schema/builder.ts';
import { resourceTypeOf, type KindDeclaration, type PrinterColumn, type VersionDeclaration } from '../../schema/kind.ts';
import {
  conditions,
  inPlaceUpdateStrategy,
  labelSelector,
  lifecycle,
  podTemplate,
  priorityStrategy,
  volumeClaimTemplates,
} from '../../schema/shared.ts';

const commonSpecMembers = {
  podManagementPolicy: optional(
    choice(
      'OrderedReady creates and deletes Pods one after the other in the order of their ordinals; Parallel all at once. Default OrderedReady; cannot be changed.',
      ['OrderedReady', 'Parallel'],
    ),
  ),
  replicas: optional(int32('Number of Pods wanted. Default 1.')),
  revisionHistoryLimit: optional(int32('Number of old revisions that are kept for rollback, besides those in use. Default 10.')),
  selector: labelSelector('Which Pods belong to the StatefulSet. Must match the labels of the template; cannot be changed.'),
  serviceName: optional(string('Name of the headless Service that gives the Pods their DNS names. Cannot be changed.')),
  template: podTemplate('The Pod to create. A change starts an update.'),
  updateStrategy: optional(
    object('How Pods are brought to the current template.', {
      rollingUpdate: optional(
        object('Settings of type RollingUpdate; not allowed with OnDelete.', {
          inPlaceUpdateStrategy: optional(inPlaceUpdateStrategy),
          maxUnavailable: optional(
            intOrString(
              'How many Pods may be unavailable during an update: a number, or a percentage of replicas (rounded down, at least 1). Default 1.',
            ),
          ),
          minReadySeconds: optional(int32('Seconds a Pod must be ready before it counts as available, 0 to 300. Default 0.')),
          partition: optional(
            int32('Number of Pods, those with the lowest ordinals, that keep the old revision. Default 0: all Pods are updated.'),
          ),
          paused: optional(boolean('true stops updates; scaling goes on. Default false.')),
          podUpdatePolicy: optional(
            choice(
              'How one Pod is updated: ReCreate deletes and creates it, InPlaceIfPossible changes it in place where that is possible, InPlaceOnly never recreates. Default ReCreate.',
              ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'],
            ),
          ),
          unorderedUpdate: optional(
            object('Its presence makes updates follow priorities instead of descending ordinals; only with podManagementPolicy Parallel.', {
              priorityStrategy: optional(priorityStrategy),
            }),
          ),
        }),
      ),
      type: optional(
        choice('RollingUpdate updates Pods by itself; OnDelete only replaces Pods that someone deletes. Default RollingUpdate.', [
          'RollingUpdate',
          'OnDelete',
        ]),
      ),
    }),
  ),
  volumeClaimTemplates: optional(
    volumeClaimTemplates('PersistentVolumeClaims to create for each Pod, named <template>-<StatefulSet>-<ordinal>.'),
  ),
};

/** The spec members that v1alpha1 does not have; its objects carry them in an annotation. */
const hubSpecMembers = {
  lifecycle: optional(lifecycle),
  ordinals: optional(
    object('How Pods are numbered. In effect only with feature gate StatefulSetStartOrdinal.', {
      start: optional(int32('The first ordinal. Default 0.')),
    }),
  ),
  persistentVolumeClaimRetentionPolicy: optional(
    object('What becomes of the claims of volumeClaimTemplates. In effect only with feature gate StatefulSetAutoDeletePVC.', {
      whenDeleted: optional(choice('When the StatefulSet is deleted: Retain or Delete its claims. Default Retain.', ['Retain', 'Delete'])),
      whenScaled: optional(choice('When a Pod is scaled in: Retain or Delete its claims. Default Retain.', ['Retain', 'Delete'])),
    }),
  ),
  reserveOrdinals: optional(
    list(
      'Ordinals that are not used; Pods that have them are deleted and others created in their place, so that there are replicas Pods.',
      intOrString('An ordinal, or a range of them such as "2-5" with both ends included.'),
    ),
  ),
  scaleStrategy: optional(
    object('How Pods are created and deleted when scaling or replacing.', {
      maxUnavailable: optional(
        intOrString(
          'How many Pods may be unavailable while Pods are created, deleted or replaced: a number, or a percentage of replicas. Default: no limit. Only with podManagementPolicy Parallel.',
        ),
      ),
    }),
  ),
  volumeClaimUpdateStrategy: optional(
    object(
      'How a change of volumeClaimTemplates reaches claims that exist. In effect only with feature gate StatefulSetAutoResizePVCGate.',
      {
        type: optional(
          choice(
            'OnPodRollingUpdate resizes the claims of each Pod as it is updated; OnDelete leaves claims as they are until they are deleted. Default OnDelete.',
            ['OnPodRollingUpdate', 'OnDelete'],
          ),
        ),
      },
    ),
  ),
};

/** v1beta1; UnitedDeployment embeds it. */
export const statefulSetSpec = object('What is wanted: which Pods, how many, and how they are updated and scaled.', {
  ...commonSpecMembers,
  ...hubSpecMembers,
});
export type StatefulSetSpec = Infer<typeof statefulSetSpec>;

export const statefulSetSpecV1Alpha1 = object(
  'What is wanted: which Pods, how many, and how they are updated and scaled.',
  commonSpecMembers,
);
export type StatefulSetSpecV1Alpha1 = Infer<typeof statefulSetSpecV1Alpha1>;

const commonStatusMembers = {
  availableReplicas: int32('Number of Pods that have been ready for minReadySeconds and are in normal service.'),
  collisionCount: optional(int32('How often the name of a new revision was taken; part of the hash in revision names.')),
  conditions: optional(conditions('Conditions: FailedCreatePod and FailedUpdatePod.')),
  currentReplicas: int32('Number of Pods in the current revision.'),
  currentRevision: optional(string('Name of the revision that was fully rolled out last.')),
  labelSelector: optional(string('spec.selector as text, for autoscalers.')),
  observedGeneration: optional(int64('metadata.generation that this status is about.')),
  readyReplicas: int32('Number of Pods that are ready.'),
  replicas: int32('Number of Pods that exist.'),
  updateRevision: optional(string('Name of the revision of the current template.')),
  updatedReplicas: int32('Number of Pods in the update revision.'),
};

/** The status members that v1alpha1 does not have; its objects carry them in an annotation. */
const hubStatusMembers = {
  updatedAvailableReplicas: optional(int32('Number of available Pods in the update revision.')),
  updatedReadyReplicas: optional(int32('Number of ready Pods in the update revision.')),
  volumeClaims: optional(
    list(
      'How far the claims follow their templates, one entry per template.',
      object('The claims of one template.', {
        compatibleReadyReplicas: int32('Number of Pods whose claim follows the template and has the size it asks for.'),
        compatibleReplicas: int32('Number of Pods whose claim follows the template.'),
        volumeClaimName: string('Name of the template.'),
      }),
    ),
  ),
};

const statefulSetStatus = object('What is there, as last seen by the controller.', { ...commonStatusMembers, ...hubStatusMembers });
export type StatefulSetStatus = Infer<typeof statefulSetStatus>;

const statefulSetStatusV1Alpha1 = object('What is there, as last seen by the controller.', commonStatusMembers);
export type StatefulSetStatusV1Alpha1 = Infer<typeof statefulSetStatusV1Alpha1>;

/** Schemas of the members that only the hub has. */
export const hubOnlyMembers: { readonly spec: Members; readonly status: Members } = { spec: hubSpecMembers, status: hubStatusMembers };

/** StatefulSet in the hub version, v1beta1. */
export interface StatefulSet extends KubeObject {
  readonly spec: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

export interface StatefulSetV1Alpha1 extends KubeObject {
  readonly spec: StatefulSetSpecV1Alpha1;
  readonly status?: StatefulSetStatusV1Alpha1;
}

const columns: readonly PrinterColumn[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', description: 'Number of Pods wanted.' },
  { name: 'CURRENT', type: 'integer', jsonPath: '.status.replicas', description: 'Number of Pods that exist.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas', description: 'Number of Pods in the update revision.' },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', description: 'Number of Pods that are ready.' },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Time since the StatefulSet was created.' },
  {
    name: 'CONTAINERS',
    type: 'string',
    jsonPath: '.spec.template.spec.containers[*].name',
    description: 'Names of the containers.',
    priority: 1,
  },
  {
    name: 'IMAGES',
    type: 'string',
    jsonPath: '.spec.template.spec.containers[*].image',
    description: 'Images of the containers.',
    priority: 1,
  },
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
  conversion: 'Webhook',
  versions: [
    { name: 'v1alpha1', storage: false, spec: statefulSetSpecV1Alpha1, status: statefulSetStatusV1Alpha1, ...common },
    { name: 'v1beta1', storage: true, spec: statefulSetSpec, status: statefulSetStatus, ...common },
  ],
};

export const statefulSets = resourceTypeOf<StatefulSet>(declaration, 'v1beta1');
export const statefulSetsV1Alpha1 = resourceTypeOf<StatefulSetV1Alpha1>(declaration, 'v1alpha1');
