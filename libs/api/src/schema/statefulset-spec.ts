/** The spec of a StatefulSet of group apps.kruise.io in both versions (spec/statefulset.md 2.1); UnitedDeployment embeds that of v1beta1. */
import { boolean, choice, int32, intOrString, list, object, optional, string, type Infer } from './builder.ts';
import { inPlaceUpdateStrategy, labelSelector, lifecycle, podTemplate, priorityStrategy, volumeClaimTemplates } from './shared.ts';

const commonSpecMembers = {
  podManagementPolicy: optional(
    choice(
      'OrderedReady creates and deletes Pods one after the other in the order of their ordinals; Parallel all at once. Default OrderedReady; cannot be changed.',
      ['OrderedReady', 'Parallel'],
    ),
  ),
  replicas: optional(int32('Desired number of Pods. Default 1.')),
  revisionHistoryLimit: optional(int32('Number of old revisions to keep for rollback, besides those in use. Default 10.')),
  selector: labelSelector('Selects the Pods of the StatefulSet. Must match the labels of the template; cannot be changed.'),
  serviceName: optional(string('Name of the headless Service that gives the Pods their DNS names. Cannot be changed.')),
  template: podTemplate('The Pod to create. A change starts an update.'),
  updateStrategy: optional(
    object('How Pods are updated to the current template.', {
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
            int32('Number of Pods, those with the lowest ordinals, that stay at the old revision. Default 0: all Pods are updated.'),
          ),
          paused: optional(boolean('true stops updates; scaling continues. Default false.')),
          podUpdatePolicy: optional(
            choice(
              'How one Pod is updated: ReCreate deletes and creates it, InPlaceIfPossible updates it in place where possible, InPlaceOnly never recreates. Default ReCreate.',
              ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'],
            ),
          ),
          unorderedUpdate: optional(
            object('If present, updates follow priorities instead of descending ordinals; only with podManagementPolicy Parallel.', {
              priorityStrategy: optional(priorityStrategy),
            }),
          ),
        }),
      ),
      type: optional(
        choice('RollingUpdate updates Pods automatically; OnDelete only replaces Pods that a client deletes. Default RollingUpdate.', [
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

/** The members that v1alpha1 lacks; its objects have them in an annotation. */
export const hubSpecMembers = {
  lifecycle: optional(lifecycle),
  ordinals: optional(
    object('How Pods are numbered. In effect only with feature gate StatefulSetStartOrdinal.', {
      start: optional(int32('The first ordinal. Default 0.')),
    }),
  ),
  persistentVolumeClaimRetentionPolicy: optional(
    object('What happens to the claims of volumeClaimTemplates. In effect only with feature gate StatefulSetAutoDeletePVC.', {
      whenDeleted: optional(choice('When the StatefulSet is deleted: Retain or Delete its claims. Default Retain.', ['Retain', 'Delete'])),
      whenScaled: optional(choice('When a Pod is scaled in: Retain or Delete its claims. Default Retain.', ['Retain', 'Delete'])),
    }),
  ),
  reserveOrdinals: optional(
    list(
      'Ordinals that are not used. Pods that have one are deleted and replaced by Pods with other ordinals, so that the number of replicas stays the same.',
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
      'How a change of volumeClaimTemplates is applied to existing claims. In effect only with feature gate StatefulSetAutoResizePVCGate.',
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
export const statefulSetSpec = object('The desired state: which Pods, how many, and how they are updated and scaled.', {
  ...commonSpecMembers,
  ...hubSpecMembers,
});
export type StatefulSetSpec = Infer<typeof statefulSetSpec>;

export const statefulSetSpecV1Alpha1 = object(
  'The desired state: which Pods, how many, and how they are updated and scaled.',
  commonSpecMembers,
);
export type StatefulSetSpecV1Alpha1 = Infer<typeof statefulSetSpecV1Alpha1>;
