/** BroadcastJob: schema of v1alpha1 and v1beta1, which are the same (spec/broadcastjob.md 2). */
import { broadcastJobSpec, type BroadcastJobSpec } from '../../schema/broadcastjob-spec.ts';
import { choice, int32, object, optional, time, type Infer } from '../../schema/builder.ts';
import { ageColumnOf, column } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { probedConditions } from '../../schema/shared.ts';
import { reading, right } from '../../schema/rights.ts';

export type { BroadcastJobSpec };

const broadcastJobStatus = object('Progress of the job, as last observed by the controller.', {
  active: optional(int32('Number of Pods that are running or pending.')),
  completionTime: optional(time('When the job completed or failed.')),
  conditions: optional(probedConditions('Conditions: Complete or Failed, once the job has ended.')),
  desired: optional(int32('Number of nodes that should run the Pod.')),
  failed: optional(int32('Number of Pods that failed.')),
  phase: optional(
    choice('Phase of the job: running, paused, completed or failed; empty before it starts.', [
      '',
      'running',
      'paused',
      'completed',
      'failed',
    ]),
  ),
  startTime: optional(time('When the controller first processed the job.')),
  succeeded: optional(int32('Number of Pods that succeeded.')),
});
export type BroadcastJobStatus = Infer<typeof broadcastJobStatus>;

/** BroadcastJob in the hub version, v1beta1. */
export type BroadcastJob = KruiseObject<BroadcastJobSpec, BroadcastJobStatus>;

/** The same members as in v1beta1. */
export type BroadcastJobV1Alpha1 = BroadcastJob;

const columns = [
  column('Desired', 'integer', '.status.desired', 'Number of nodes that should run the Pod.'),
  column('Active', 'integer', '.status.active', 'Number of Pods that are running or pending.'),
  column('Succeeded', 'integer', '.status.succeeded', 'Number of Pods that succeeded.'),
  column('Failed', 'integer', '.status.failed', 'Number of Pods that failed.'),
  ageColumnOf('BroadcastJob'),
];

const common = { spec: broadcastJobSpec, status: broadcastJobStatus, columns };

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('BroadcastJob'),
  shortNames: ['bcj'],
  namespaced: true,
  description: 'BroadcastJob runs a Pod to completion once on each eligible node, and optionally on nodes that join later.',
  controllerName: 'broadcastjob-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'] },
  rights: {
    own: ['delete'],
    status: ['update'],
    owns: true,
    others: [right('', ['pods'], ['create', 'delete', ...reading]), right('', ['nodes'], reading)],
  },
  atUninstall: { kind: 'Warn', called: 'broadcastjobs' },
  versions: [
    { name: 'v1alpha1', storage: false, ...common },
    { name: 'v1beta1', storage: true, ...common },
  ],
};

/** How a client addresses BroadcastJobs in the hub version, and below it in v1alpha1. */
export const broadcastJobs = resourceTypeOf<BroadcastJob>(declaration, 'v1beta1');
export const broadcastJobsV1Alpha1 = resourceTypeOf<BroadcastJobV1Alpha1>(declaration, 'v1alpha1');
