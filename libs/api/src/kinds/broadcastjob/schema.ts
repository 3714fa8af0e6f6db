/** BroadcastJob: schema of v1alpha1 and v1beta1, which are the same (spec/broadcastjob.md 2). */
import type { KubeObject } from '@kruise/objects';
import { boolean, choice, int32, intOrString, object, optional, time, type Infer } from '../../schema/builder.ts';
import { resourceTypeOf, type KindDeclaration, type PrinterColumn } from '../../schema/kind.ts';
import { completionPolicy, podTemplate, probedConditions } from '../../schema/shared.ts';

/** AdvancedCronJob embeds it. */
export const broadcastJobSpec = object('What is to run on which nodes, and when it is over.', {
  completionPolicy: optional(completionPolicy('When the job is over and when it is deleted.')),
  failurePolicy: optional(
    object('What happens when a Pod fails.', {
      restartLimit: optional(
        int32('Restarts of a Pod, summed over its containers, above which it counts as failed; with restartPolicy OnFailure. Default 0.'),
      ),
      type: optional(
        choice('FailFast ends the job and deletes its running Pods, Pause pauses the job, Continue goes on. Default FailFast.', [
          'FailFast',
          'Pause',
          'Continue',
        ]),
      ),
    }),
  ),
  parallelism: optional(
    intOrString('How many Pods run at a time: a number, or a percentage of the nodes (rounded up). Default: all at once; 0 starts none.'),
  ),
  paused: optional(boolean('true: no new Pods are created; running ones go on. Default false.')),
  template: podTemplate(
    'The Pod to run once on each node that its node selector, affinity and tolerations allow. restartPolicy must be Never or OnFailure.',
  ),
});
export type BroadcastJobSpec = Infer<typeof broadcastJobSpec>;

const broadcastJobStatus = object('How far the job is, as last seen by the controller.', {
  active: optional(int32('Number of Pods that are running or waiting to.')),
  completionTime: optional(time('When the job completed or failed.')),
  conditions: optional(probedConditions('Conditions: Complete or Failed, once the job is over.')),
  desired: optional(int32('Number of nodes that should run the Pod.')),
  failed: optional(int32('Number of Pods that failed.')),
  phase: optional(
    choice('How far the job is: running, paused, completed or failed; empty before it starts.', [
      '',
      'running',
      'paused',
      'completed',
      'failed',
    ]),
  ),
  startTime: optional(time('When the controller first saw the job.')),
  succeeded: optional(int32('Number of Pods that succeeded.')),
});
export type BroadcastJobStatus = Infer<typeof broadcastJobStatus>;

/** BroadcastJob in the hub version, v1beta1. */
export interface BroadcastJob extends KubeObject {
  readonly spec: BroadcastJobSpec;
  readonly status?: BroadcastJobStatus;
}

/** The same members as in v1beta1. */
export type BroadcastJobV1Alpha1 = BroadcastJob;

const columns: readonly PrinterColumn[] = [
  { name: 'Desired', type: 'integer', jsonPath: '.status.desired', description: 'Number of nodes that should run the Pod.' },
  { name: 'Active', type: 'integer', jsonPath: '.status.active', description: 'Number of Pods that are running or waiting to.' },
  { name: 'Succeeded', type: 'integer', jsonPath: '.status.succeeded', description: 'Number of Pods that succeeded.' },
  { name: 'Failed', type: 'integer', jsonPath: '.status.failed', description: 'Number of Pods that failed.' },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Time since the BroadcastJob was created.' },
];

const common = { spec: broadcastJobSpec, status: broadcastJobStatus, columns };

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  kind: 'BroadcastJob',
  plural: 'broadcastjobs',
  singular: 'broadcastjob',
  shortNames: ['bcj'],
  namespaced: true,
  description: 'BroadcastJob runs a Pod to completion once on each fitting node, and on demand also on nodes that join later.',
  conversion: 'Webhook',
  versions: [
    { name: 'v1alpha1', storage: false, ...common },
    { name: 'v1beta1', storage: true, ...common },
  ],
};

export const broadcastJobs = resourceTypeOf<BroadcastJob>(declaration, 'v1beta1');
export const broadcastJobsV1Alpha1 = resourceTypeOf<BroadcastJobV1Alpha1>(declaration, 'v1alpha1');
