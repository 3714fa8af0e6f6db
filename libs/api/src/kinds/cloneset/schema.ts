/** CloneSet: schema of v1alpha1 and v1beta1 (spec/cloneset.md 2). */
import type { KubeObject } from '@kruise/objects';
import { boolean, choice, int32, int64, intOrString, list, object, optional, string, type Infer } from '../../schema/builder.ts';
import { resourceTypeOf, type KindDeclaration, type PrinterColumn, type VersionDeclaration } from '../../schema/kind.ts';
import {
  inPlaceUpdateStrategy,
  labelSelector,
  lifecycle,
  podTemplate,
  priorityStrategy,
  scatterStrategy,
  updatedConditions,
  volumeClaimTemplates,
} from '../../schema/shared.ts';

/** The ways to bring a Pod to another revision; in v1alpha1 these are the update strategy's `type`. */
export const podUpdatePolicies = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'] as const;

const rolloutMembers = {
  inPlaceUpdateStrategy: optional(inPlaceUpdateStrategy),
  maxSurge: optional(
    intOrString(
      'How many Pods may exist above replicas during an update or a specified deletion: a number, or a percentage of replicas (rounded up). Default 0. Not with InPlaceOnly.',
    ),
  ),
  maxUnavailable: optional(
    intOrString(
      'How many Pods may be unavailable while Pods are updated or deleted on purpose: a number, or a percentage of replicas (rounded up; down with maxSurge). Default 20%.',
    ),
  ),
  partition: optional(
    intOrString(
      'How many Pods stay in an old revision: a number, or a percentage of replicas (rounded up). Default 0: all Pods are updated.',
    ),
  ),
  paused: optional(boolean('true stops updates; scaling goes on. Default false.')),
  priorityStrategy: optional(priorityStrategy),
  scatterStrategy: optional(scatterStrategy),
};

const scaleMembers = {
  maxUnavailable: optional(
    intOrString(
      'Limits creation: no new Pods while this many are unavailable; a number, or a percentage of replicas (rounded up). Default: no limit.',
    ),
  ),
  podsToDelete: optional(
    list('Names of Pods to delete first when scaling in. Names of Pods that are gone are removed from the list.', string('Name of a Pod.')),
  ),
};

const commonSpecMembers = {
  lifecycle: optional(lifecycle),
  minReadySeconds: optional(int32('Seconds a Pod must be ready before it counts as available. Default 0.')),
  progressDeadlineSeconds: optional(
    int32('Seconds without progress after which condition Progressing becomes False. Absent or 2147483647: progress is not tracked.'),
  ),
  replicas: optional(int32('Number of Pods wanted. Default 1.')),
  revisionHistoryLimit: optional(int32('Number of old revisions that are kept for rollback, besides those in use. Default 10.')),
  selector: labelSelector('Which Pods belong to the CloneSet. Must match the labels of the template; cannot be changed.'),
  template: podTemplate('The Pod to create. A change starts an update. restartPolicy must be Always.'),
  volumeClaimTemplates: optional(
    volumeClaimTemplates(
      'PersistentVolumeClaims to create for each Pod, named <template>-<CloneSet>-<instance id>. A change concerns new Pods only.',
    ),
  ),
};

const hubScaleMembers = {
  ...scaleMembers,
  enablePVCReuse: optional(
    boolean(
      'true: a new Pod takes over the instance id and the claims that a vanished Pod left behind. Default false: such claims are deleted.',
      {
        default: false,
      },
    ),
  ),
  excludePreparingDelete: optional(
    boolean('true: Pods held in PreparingDelete do not count as replicas, so others are created for them. Default false.'),
  ),
};

const alphaScaleMembers = {
  disablePVCReuse: optional(
    boolean('true: the claims of a vanished Pod are deleted. Default false: a new Pod takes over its instance id and claims.'),
  ),
};

const howOnePodIsUpdated =
  'How one Pod is updated: ReCreate deletes and creates it, InPlaceIfPossible changes it in place where that is possible, InPlaceOnly never recreates. Default ReCreate.';

const rollingUpdate = object('Settings of type RollingUpdate.', {
  ...rolloutMembers,
  podUpdatePolicy: optional(choice(howOnePodIsUpdated, podUpdatePolicies)),
});

const updateType = 'RollingUpdate updates Pods by itself; OnDelete only replaces Pods that someone deletes. Default RollingUpdate.';

const specDescription = 'What is wanted: which Pods, how many, and how they are updated and scaled.';
const scaleDescription = 'How Pods are created and deleted when scaling.';
const updateDescription = 'How Pods are brought to the current template.';

/** v1beta1; UnitedDeployment embeds it. */
export const cloneSetSpec = object(specDescription, {
  ...commonSpecMembers,
  scaleStrategy: optional(object(scaleDescription, hubScaleMembers)),
  updateStrategy: optional(
    object(updateDescription, {
      rollingUpdate: optional(rollingUpdate),
      type: optional(choice(updateType, ['RollingUpdate', 'OnDelete'])),
    }),
  ),
});
export type CloneSetSpec = Infer<typeof cloneSetSpec>;

/** The type says how one Pod is updated, the rollout's settings lie beside it. */
export const cloneSetSpecV1Alpha1 = object(specDescription, {
  ...commonSpecMembers,
  scaleStrategy: optional(object(scaleDescription, { ...scaleMembers, ...alphaScaleMembers })),
  updateStrategy: optional(
    object(updateDescription, { ...rolloutMembers, type: optional(choice(howOnePodIsUpdated, [...podUpdatePolicies, 'OnDelete'])) }),
  ),
});
export type CloneSetSpecV1Alpha1 = Infer<typeof cloneSetSpecV1Alpha1>;

/** v1beta1 that accepts the members of v1alpha1 as well: what a v1alpha1 UnitedDeployment embeds (spec/uniteddeployment.md 1). */
export const cloneSetSpecOfBothVersions = object(specDescription, {
  ...commonSpecMembers,
  scaleStrategy: optional(object(scaleDescription, { ...hubScaleMembers, ...alphaScaleMembers })),
  updateStrategy: optional(
    object(`${updateDescription} Settings beside rollingUpdate are an old form; they are moved into it.`, {
      ...rolloutMembers,
      rollingUpdate: optional(rollingUpdate),
      type: optional(
        choice(`${updateType} In the old form: ReCreate, InPlaceIfPossible or InPlaceOnly.`, [
          'RollingUpdate',
          'OnDelete',
          ...podUpdatePolicies,
        ]),
      ),
    }),
  ),
});

const cloneSetStatus = object('What is there, as last seen by the controller.', {
  availableReplicas: int32('Number of Pods that have been ready for minReadySeconds and are in normal service.'),
  collisionCount: optional(int32('How often the name of a new revision was taken; part of the hash in revision names.')),
  conditions: optional(updatedConditions('Conditions: Progressing, FailedScale, FailedUpdate.')),
  currentRevision: optional(string('Name of the revision that was fully rolled out last.')),
  expectedUpdatedReplicas: optional(int32('Number of Pods that partition lets have the update revision.')),
  labelSelector: optional(string('spec.selector as text, for autoscalers.')),
  observedGeneration: optional(int64('metadata.generation that this status is about.')),
  readyReplicas: int32('Number of Pods that are ready.'),
  replicas: int32('Number of Pods that exist, terminating ones excepted.'),
  updateRevision: optional(string('Name of the revision of the current template.')),
  updatedAvailableReplicas: optional(int32('Number of available Pods in the update revision.')),
  updatedReadyReplicas: int32('Number of ready Pods in the update revision.'),
  updatedReplicas: int32('Number of Pods in the update revision.'),
});
export type CloneSetStatus = Infer<typeof cloneSetStatus>;

/** CloneSet in the hub version, v1beta1. */
export interface CloneSet extends KubeObject {
  readonly spec: CloneSetSpec;
  readonly status?: CloneSetStatus;
}

export interface CloneSetV1Alpha1 extends KubeObject {
  readonly spec: CloneSetSpecV1Alpha1;
  readonly status?: CloneSetStatus;
}

const columns: readonly PrinterColumn[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', description: 'Number of Pods wanted.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas', description: 'Number of Pods in the update revision.' },
  {
    name: 'UPDATED_READY',
    type: 'integer',
    jsonPath: '.status.updatedReadyReplicas',
    description: 'Number of ready Pods in the update revision.',
  },
  {
    name: 'UPDATED_AVAILABLE',
    type: 'integer',
    jsonPath: '.status.updatedAvailableReplicas',
    description: 'Number of available Pods in the update revision.',
  },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', description: 'Number of Pods that are ready.' },
  { name: 'TOTAL', type: 'integer', jsonPath: '.status.replicas', description: 'Number of Pods that exist.' },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Time since the CloneSet was created.' },
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
    'CloneSet runs a number of like Pods without identity, updates them in place or by recreation, and lets one choose which Pods go first.',
  conversion: 'Webhook',
  versions: [
    { name: 'v1alpha1', storage: false, spec: cloneSetSpecV1Alpha1, ...common },
    { name: 'v1beta1', storage: true, spec: cloneSetSpec, ...common },
  ],
};

export const cloneSets = resourceTypeOf<CloneSet>(declaration, 'v1beta1');
export const cloneSetsV1Alpha1 = resourceTypeOf<CloneSetV1Alpha1>(declaration, 'v1alpha1');
