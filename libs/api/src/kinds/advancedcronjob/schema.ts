/** AdvancedCronJob: schema of v1alpha1 and v1beta1 (spec/advancedcronjob.md 2). */
import type { KubeObject } from '@kruise/objects';
import { boolean, choice, int32, int64, list, object, opaque, optional, string, time, type Infer } from '../../schema/builder.ts';
import { ageColumnOf, column } from '../../schema/columns.ts';
import { imageListPullJobSpec } from '../../schema/image-pull.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { objectReference, objectTemplateMetadata } from '../../schema/shared.ts';
import { broadcastJobSpec } from '../../schema/broadcastjob-spec.ts';
import { reading, right } from '../../schema/rights.ts';

const concurrencyPolicies = ['Allow', 'Forbid', 'Replace'] as const;

const childMetadata = optional(objectTemplateMetadata('Labels and annotations of the jobs; other metadata has no effect.'));

const templateMembers = {
  broadcastJobTemplate: optional(
    object('Creates BroadcastJobs, which run a Pod on each matching node.', { metadata: childMetadata, spec: optional(broadcastJobSpec) }),
  ),
  jobTemplate: optional(
    opaque<{ readonly metadata?: KubeObject['metadata']; readonly spec?: Readonly<Record<string, unknown>> }>(
      'Creates Jobs of group batch: metadata with labels and annotations, and spec.',
    ),
  ),
};

const templateDescription = 'The job to create at each scheduled time. Exactly one member must be set; it cannot be changed.';

const specMembers = {
  concurrencyPolicy: optional(
    choice(
      'What happens when the previous job is still running: Allow runs both, Forbid skips the new one, Replace deletes the old one. Default Allow; Replace for image lists, for which Allow is not supported.',
      concurrencyPolicies,
      { enum: concurrencyPolicies },
    ),
  ),
  failedJobsHistoryLimit: optional(int32('Number of failed jobs to keep. Default 1.')),
  paused: optional(boolean('true: the controller creates no new jobs; running ones continue. Default false.')),
  schedule: string(
    'The schedule in cron format: minute, hour, day of month, month, day of week; or @hourly, @daily, @every 1h and the like.',
    {
      minLength: 0,
    },
  ),
  startingDeadlineSeconds: optional(int64('Seconds after its scheduled time within which a job may still be created. Absent: no limit.')),
  successfulJobsHistoryLimit: optional(int32('Number of successful jobs to keep. Default 3.')),
  timeZone: optional(string("Time zone of the schedule, such as Europe/Berlin. Default: the manager's own.")),
};

const specDescription = 'The job to create, and its schedule.';

/** The template that v1alpha1 lacks; the conversion carries it along. */
export const imageListPullJobTemplate = object('Creates ImageListPullJobs, which pull a list of images on nodes.', {
  metadata: childMetadata,
  spec: optional(imageListPullJobSpec),
});

const advancedCronJobSpec = object(specDescription, {
  ...specMembers,
  template: object(templateDescription, { ...templateMembers, imageListPullJobTemplate: optional(imageListPullJobTemplate) }),
});
/** When jobs are created, and from which template. @see spec/advancedcronjob.md 2 */
export type AdvancedCronJobSpec = Infer<typeof advancedCronJobSpec>;

const advancedCronJobSpecV1Alpha1 = object(specDescription, { ...specMembers, template: object(templateDescription, templateMembers) });
/** The spec in v1alpha1, only for conversion and admission. @see spec/advancedcronjob.md 2 */
export type AdvancedCronJobSpecV1Alpha1 = Infer<typeof advancedCronJobSpecV1Alpha1>;

const advancedCronJobStatus = object('The most recently observed status.', {
  active: optional(list('Jobs that have not finished.', objectReference('One job.'))),
  lastScheduleTime: optional(time('The most recent scheduled time for which a job was created.')),
  type: optional(choice('Kind of the jobs: Job, BroadcastJob or ImageListPullJob.', ['Job', 'BroadcastJob', 'ImageListPullJob'])),
});
export type AdvancedCronJobStatus = Infer<typeof advancedCronJobStatus>;

/** AdvancedCronJob in the hub version, v1beta1. */
export type AdvancedCronJob = KruiseObject<AdvancedCronJobSpec, AdvancedCronJobStatus>;

/** AdvancedCronJob in v1alpha1, which exists only in conversion and admission. */
export type AdvancedCronJobV1Alpha1 = KruiseObject<AdvancedCronJobSpecV1Alpha1, AdvancedCronJobStatus>;

const columns = [
  column('Schedule', 'string', '.spec.schedule', 'When jobs are created.'),
  column('Type', 'string', '.status.type', 'Kind of the jobs.'),
  column('LastScheduleTime', 'date', '.status.lastScheduleTime', 'Time since a job was last scheduled.'),
  ageColumnOf('AdvancedCronJob'),
];

const common = { status: advancedCronJobStatus, columns };

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('AdvancedCronJob'),
  shortNames: ['acj'],
  namespaced: true,
  description: 'AdvancedCronJob creates a Job, a BroadcastJob or an ImageListPullJob on a cron schedule.',
  controllerName: 'advancedcronjob-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'] },
  rights: {
    own: [],
    status: ['update'],
    owns: true,
    others: [
      right('batch', ['jobs'], ['create', 'delete', ...reading]),
      right('apps.kruise.io', ['broadcastjobs', 'imagelistpulljobs'], ['create', 'delete', ...reading]),
    ],
  },
  versions: [
    { name: 'v1alpha1', storage: false, spec: advancedCronJobSpecV1Alpha1, ...common },
    { name: 'v1beta1', storage: true, spec: advancedCronJobSpec, ...common },
  ],
};

/** How a client addresses AdvancedCronJobs in the hub version, and below it in v1alpha1. */
export const advancedCronJobs = resourceTypeOf<AdvancedCronJob>(declaration, 'v1beta1');
export const advancedCronJobsV1Alpha1 = resourceTypeOf<AdvancedCronJobV1Alpha1>(declaration, 'v1alpha1');
