/** The spec of a CloneSet in both versions (spec/cloneset.md 2.1); UnitedDeployment embeds that of v1beta1. */
import { boolean, choice, int32, intOrString, list, object, optional, string, type Infer } from './builder.ts';
import {
  inPlaceUpdateStrategy,
  labelSelector,
  lifecycle,
  podTemplate,
  priorityStrategy,
  scatterStrategy,
  volumeClaimTemplates,
} from './shared.ts';

/** The ways to update a Pod to another revision; in v1alpha1 these are the update strategy's `type`. */
export const podUpdatePolicies = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'] as const;

const rolloutMembers = {
  inPlaceUpdateStrategy: optional(inPlaceUpdateStrategy),
  maxSurge: optional(
    intOrString(
      'How many Pods may exist above replicas during an update or a specified deletion: a number, or a percentage of replicas (rounded up). While paused there are none. Default 0. Not with InPlaceOnly.',
    ),
  ),
  maxUnavailable: optional(
    intOrString(
      'How many Pods may be unavailable while Pods are updated, scaled in or deleted on purpose: a number, or a percentage of replicas (rounded up; down with maxSurge). Pods that are unavailable for other reasons also count. Default 20%.',
    ),
  ),
  partition: optional(
    intOrString(
      'Number of Pods that stay at an old revision: a number, or a percentage of replicas (rounded up, but only 100% keeps every Pod). Lower it step by step for a staged rollout. Default 0: all Pods are updated.',
    ),
  ),
  paused: optional(boolean('true stops updates, except for Pods whose update has begun; scaling continues. Default false.')),
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
    list(
      'Names of Pods to delete. When replicas is lowered, exactly these Pods are removed; when it stays the same, they are replaced. maxUnavailable and the preDelete hook are honored. Names of Pods that no longer exist are removed from the list.',
      string('Name of a Pod.'),
    ),
  ),
};

const commonSpecMembers = {
  lifecycle: optional(lifecycle),
  minReadySeconds: optional(int32('Seconds a Pod must be ready before it counts as available. Default 0.')),
  progressDeadlineSeconds: optional(
    int32(
      'Seconds a rollout may take before condition Progressing becomes False with reason ProgressDeadlineExceeded; the rollout itself continues. Must be greater than minReadySeconds. Absent or 2147483647: progress is not tracked.',
    ),
  ),
  replicas: optional(int32('Desired number of Pods. Default 1.')),
  revisionHistoryLimit: optional(int32('Number of old revisions to keep for rollback, besides those in use. Default 10.')),
  selector: labelSelector(
    'Selects the Pods of the CloneSet. Must match the labels of the template and no other Pods of the namespace; cannot be changed.',
  ),
  template: podTemplate(
    'The Pod to create. A change starts an update: of images, labels, annotations and environment fed from these (and of CPU and memory, with feature gate InPlaceWorkloadVerticalScaling) in place where podUpdatePolicy allows it, of anything else by recreation. restartPolicy must be Always.',
  ),
  volumeClaimTemplates: optional(
    volumeClaimTemplates(
      'PersistentVolumeClaims to create for each Pod, named <template>-<CloneSet>-<instance id>. A change affects new Pods only.',
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
    boolean('true: Pods held in PreparingDelete do not count as replicas, so replacements are created. Default false.'),
  ),
};

const alphaScaleMembers = {
  disablePVCReuse: optional(
    boolean('true: the claims of a vanished Pod are deleted. Default false: a new Pod takes over its instance id and claims.'),
  ),
};

const howOnePodIsUpdated =
  'How one Pod is updated: ReCreate deletes and creates it, InPlaceIfPossible updates it in place where possible, InPlaceOnly never recreates. Default ReCreate.';

const rollingUpdate = object(
  'Settings of type RollingUpdate: how many Pods are updated at a time, in which order, in which way, and how far the rollout proceeds.',
  {
    ...rolloutMembers,
    podUpdatePolicy: optional(choice(howOnePodIsUpdated, podUpdatePolicies)),
  },
);

const updateType = 'RollingUpdate updates Pods automatically; OnDelete only replaces Pods that a client deletes. Default RollingUpdate.';

const specDescription = 'The desired state: which Pods, how many, and how they are updated and scaled.';
const scaleDescription = 'How Pods are created and deleted when scaling.';
const updateDescription = 'How Pods are updated to the current template.';

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
/** The spec in the hub version; UnitedDeployment embeds it. @see spec/cloneset.md 2.1 */
export type CloneSetSpec = Infer<typeof cloneSetSpec>;

/** The type defines how one Pod is updated, and the rollout's settings are beside it. */
export const cloneSetSpecV1Alpha1 = object(specDescription, {
  ...commonSpecMembers,
  scaleStrategy: optional(object(scaleDescription, { ...scaleMembers, ...alphaScaleMembers })),
  updateStrategy: optional(
    object(updateDescription, { ...rolloutMembers, type: optional(choice(howOnePodIsUpdated, [...podUpdatePolicies, 'OnDelete'])) }),
  ),
});
/** The spec in v1alpha1, only for conversion and admission. @see spec/cloneset.md 2.1 */
export type CloneSetSpecV1Alpha1 = Infer<typeof cloneSetSpecV1Alpha1>;

/** v1beta1 that accepts the members of v1alpha1 as well: what a v1alpha1 UnitedDeployment embeds (spec/uniteddeployment.md 1). */
export const cloneSetSpecOfBothVersions = object(specDescription, {
  ...commonSpecMembers,
  scaleStrategy: optional(object(scaleDescription, { ...hubScaleMembers, ...alphaScaleMembers })),
  updateStrategy: optional(
    object(`${updateDescription} Settings next to rollingUpdate are a deprecated form; they are moved into it.`, {
      ...rolloutMembers,
      rollingUpdate: optional(rollingUpdate),
      type: optional(
        choice(`${updateType} In the deprecated form: ReCreate, InPlaceIfPossible or InPlaceOnly.`, [
          'RollingUpdate',
          'OnDelete',
          ...podUpdatePolicies,
        ]),
      ),
    }),
  ),
});
