/** Kinds that the original does not export; --resources turns them on. @see spec/kruise-state-metrics.md 6 */
import { listAt } from '@kruise/objects';
import {
  advancedCronJobDeclaration,
  imageListPullJobDeclaration,
  imagePullJobDeclaration,
  nodeImageDeclaration,
  persistentPodStateDeclaration,
  podProbeMarkerDeclaration,
  podUnavailableBudgetDeclaration,
  resourceDistributionDeclaration,
  unitedDeploymentDeclaration,
  type KindDeclaration,
} from '@kruise/api';
import {
  annotationLabels,
  computed,
  conditions,
  counter,
  created,
  generation,
  labelLabels,
  observedGeneration,
  optionalNumber,
  timestamp,
} from './build.ts';
import type { Family, Path } from './family.ts';
import { sizeAt } from './read.ts';
import { resourceKind, type ResourceKind } from './resource-kind.ts';

const status = (member: string): Path => ['status', member];

/** The status is the same in both versions, so the stored one is read. */
const moreKind = (declaration: KindDeclaration, families: readonly Family[]): ResourceKind =>
  resourceKind({
    declaration,
    prefers: declaration.versions.find(({ storage }) => storage)?.name ?? 'v1alpha1',
    byDefault: false,
    families: [created, generation(), annotationLabels, labelLabels, ...families],
  });

const completionTime = timestamp(
  'status_completion_time',
  'Time in seconds since the epoch at which the job ended.',
  status('completionTime'),
);

export const moreKinds: readonly ResourceKind[] = [
  moreKind(advancedCronJobDeclaration, [
    computed('status_active', 'Number of jobs that have not finished.', (object) => listAt(object, ...status('active')).length),
    timestamp(
      'status_last_schedule_time',
      'Latest scheduled time in seconds since the epoch for which a job was created.',
      status('lastScheduleTime'),
    ),
  ]),
  moreKind(imageListPullJobDeclaration, [
    counter('status_desired', 'Number of images to pull.', status('desired')),
    counter('status_active', 'Number of images that are being pulled.', status('active')),
    counter('status_completed', 'Number of images whose job has ended.', status('completed')),
    counter('status_succeeded', 'Number of images that all nodes have pulled.', status('succeeded')),
    completionTime,
  ]),
  moreKind(imagePullJobDeclaration, [
    counter('status_desired', 'Number of nodes to pull on.', status('desired')),
    counter('status_active', 'Number of nodes that are pulling.', status('active')),
    counter('status_succeeded', 'Number of nodes that have the image.', status('succeeded')),
    counter('status_failed', 'Number of nodes that failed to pull the image.', status('failed')),
    completionTime,
  ]),
  moreKind(nodeImageDeclaration, [
    counter('status_desired', 'Number of tags to pull.', status('desired')),
    counter('status_pulling', 'Number of tags that are being pulled.', status('pulling')),
    counter('status_succeeded', 'Number of tags that the node has.', status('succeeded')),
    counter('status_failed', 'Number of tags that have failed.', status('failed')),
    counter('status_waiting', 'Number of tags that wait to be pulled.', status('waiting')),
  ]),
  moreKind(persistentPodStateDeclaration, [
    observedGeneration,
    computed('status_pods', 'Number of Pods whose state is remembered.', (object) => sizeAt(object, status('podStates'))),
  ]),
  moreKind(podProbeMarkerDeclaration, [
    observedGeneration,
    counter('status_matched_pods', 'Number of Pods that match.', status('matchedPods')),
  ]),
  moreKind(podUnavailableBudgetDeclaration, [
    observedGeneration,
    conditions,
    counter('status_current_available', 'Number of Pods that are available.', status('currentAvailable')),
    counter('status_desired_available', 'Number of Pods that must stay available.', status('desiredAvailable')),
    counter('status_total_replicas', 'Desired number of Pods.', status('totalReplicas')),
    counter('status_unavailable_allowed', 'Number of Pods that may become unavailable now.', status('unavailableAllowed')),
  ]),
  moreKind(resourceDistributionDeclaration, [
    observedGeneration,
    conditions,
    counter('status_desired', 'Number of namespaces that should have the resource.', status('desired')),
    counter('status_succeeded', 'Number of namespaces that have the resource.', status('succeeded')),
    counter('status_failed', 'Number of namespaces in which the resource could not be written.', status('failed')),
  ]),
  moreKind(unitedDeploymentDeclaration, [
    observedGeneration,
    conditions,
    optionalNumber('spec_replicas', 'Desired number of Pods.', ['spec', 'replicas']),
    counter('status_replicas', 'Number of Pods.', status('replicas')),
    counter('status_replicas_ready', 'Number of Pods that are ready.', status('readyReplicas')),
    counter('status_replicas_updated', 'Number of Pods at the update revision.', status('updatedReplicas')),
    counter('status_replicas_updated_ready', 'Number of Pods at the update revision that are ready.', status('updatedReadyReplicas')),
    counter('status_replicas_reserved', 'Number of Pods for which other subsets run substitutes.', status('reservedPods')),
  ]),
];
