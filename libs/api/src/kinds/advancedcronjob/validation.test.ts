/** Faults of AdvancedCronJobs, each rule with and without its fault. @see spec/advancedcronjob.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import {
  broadcastJobTemplate,
  cronJob,
  filled,
  having,
  imageListPullJobTemplate,
  jobTemplate,
  ofBroadcastJobs,
  ofImageLists,
  ofJobs,
  validation,
} from './admission.testing.ts';
import { validateAdvancedCronJob } from './rules.ts';

const faultsOf = (object: JsonObject): readonly string[] => validateAdvancedCronJob(object, validation).map(formatFieldError);
const withSpec = (spec: JsonObject): JsonObject => cronJob({ jobTemplate }, spec);
const long = 'a'.repeat(64);
const both = 'spec.schedule: Invalid value: "TZ=UTC 0 1 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule';

describe('an AdvancedCronJob', () => {
  it.each<{ name: string; object: JsonObject }>([
    { name: 'may make Jobs', object: ofJobs },
    { name: 'may make BroadcastJobs', object: ofBroadcastJobs },
    { name: 'may make ImageListPullJobs', object: ofImageLists },
    { name: 'may have a name of 63 characters', object: having('metadata.name', 'A'.repeat(63)) },
    { name: 'may have its name generated', object: having('metadata', { generateName: 'job-' }) },
    { name: 'may name a zone', object: withSpec({ timeZone: 'Asia/Shanghai' }) },
    { name: 'may name a zone in its schedule', object: withSpec({ schedule: 'CRON_TZ=UTC 0 1 * * *' }) },
    {
      name: 'may keep no jobs and be never late',
      object: withSpec({ startingDeadlineSeconds: 0, successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }),
    },
    { name: 'may wait for long', object: withSpec({ startingDeadlineSeconds: 9223372036854775807n }) },
    {
      name: 'may have Pods that no job may have: that causes a warning',
      object: having('spec.template.jobTemplate.spec.template.spec.restartPolicy', 'Always'),
    },
    {
      name: 'may have labels for its jobs',
      object: having('spec.template.jobTemplate.metadata', { labels: { app: 'x' }, annotations: { note: '' } }),
    },
    { name: 'may have members of Jobs of later versions', object: having('spec.template.jobTemplate.spec.memberOfALaterVersion', {}) },
  ])('$name', ({ object }) => expect(faultsOf(filled(object))).toEqual([]));

  it.each<{ name: string; object: JsonObject; faults: readonly string[] }>([
    {
      name: 'has no dot in its name',
      object: having('metadata.name', 'a.b'),
      faults: ['metadata.name: Invalid value: "a.b": must consist of alphanumeric characters or \'-\''],
    },
    {
      name: 'has no name of 64 characters',
      object: having('metadata.name', long),
      faults: [`metadata.name: Invalid value: "${long}": must be no more than 63 characters`],
    },
    {
      name: 'has a schedule',
      object: withSpec({ schedule: '' }),
      faults: [
        'spec.schedule: Required value: schedule cannot be empty, please provide a valid cron schedule',
        'spec.schedule: Invalid value: "": empty spec string',
      ],
    },
    { name: 'has a text for a schedule', object: withSpec({ schedule: 7 }), faults: ['spec.schedule: Invalid value: 7: must be a string'] },
    { name: 'says its zone once', object: withSpec({ schedule: 'TZ=UTC 0 1 * * *', timeZone: 'Asia/Shanghai' }), faults: [both] },
    {
      name: 'says its zone once, even if it says none',
      object: withSpec({ schedule: 'TZ=UTC 0 1 * * *', timeZone: '' }),
      faults: [both, 'spec.timeZone: Invalid value: "": must be nil or non-empty string'],
    },
    { name: 'has a text for a zone', object: withSpec({ timeZone: 7 }), faults: ['spec.timeZone: Invalid value: 7: must be a string'] },
    {
      name: 'has no negative numbers',
      object: withSpec({ startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
      faults: ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].map(
        (name) => `spec.${name}: Invalid value: -1: must be greater than or equal to 0`,
      ),
    },
    {
      name: 'has members of the right types',
      object: withSpec({ startingDeadlineSeconds: 'x', paused: 1, concurrencyPolicy: {} }),
      faults: [
        'spec.startingDeadlineSeconds: Invalid value: "x": must be an integer',
        'spec.paused: Invalid value: 1: must be true or false',
        'spec.concurrencyPolicy: Invalid value: {}: must be a string',
      ],
    },
    {
      name: 'has a concurrency policy that exists',
      object: withSpec({ concurrencyPolicy: 'forbid' }),
      faults: [
        'spec.concurrencyPolicy: Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace"; did you mean "Forbid"?',
      ],
    },
    { name: 'has a spec', object: { metadata: { name: 'x' } }, faults: ['spec: Required value'] },
    {
      name: 'has an object for a spec',
      object: { metadata: { name: 'x' }, spec: [] },
      faults: ['spec: Invalid value: []: must be an object'],
    },
  ])('$name', ({ object, faults }) => expect([...faultsOf(filled(object))].sort()).toEqual([...faults].sort()));

  it.each(['* * * *', '60 * * * *', '* * * * 7', 'TZ=UTC', '@every x', '5-1 * * * *'])(
    'scenario 9: is refused with the schedule %s, in the words of who reads it',
    (schedule) =>
      expect(faultsOf(filled(withSpec({ schedule })))).toEqual([`spec.schedule: Invalid value: "${schedule}": no schedule: ${schedule}`]),
  );

  it.each<{ spec: JsonObject; fault: string }>([
    { spec: { schedule: 'TZ=UTC 0 1 * * *', timeZone: 'Asia/Shanghai' }, fault: both },
    { spec: { timeZone: 'local' }, fault: 'spec.timeZone: Invalid value: "local": must be an explicit time zone, such as Europe/Berlin' },
    { spec: { timeZone: 'Nowhere/X' }, fault: 'spec.timeZone: Invalid value: "Nowhere/X": unknown time zone Nowhere/X' },
    { spec: { timeZone: '' }, fault: 'spec.timeZone: Invalid value: "": must be nil or non-empty string' },
  ])('scenario 10: $spec is refused', ({ spec, fault }) => expect(faultsOf(filled(withSpec(spec)))).toEqual([fault]));
});

const none =
  'spec.template: Forbidden: spec must have one template: jobTemplate, broadcastJobTemplate or, in v1beta1, imageListPullJobTemplate';
const job = 'spec.template.jobTemplate';
const broadcast = 'spec.template.broadcastJobTemplate';

describe('the template of an AdvancedCronJob', () => {
  it.each<{ name: string; template: unknown; faults: readonly string[] }>([
    { name: 'scenario 13: is there', template: undefined, faults: [none] },
    { name: 'is one', template: { jobTemplate: null }, faults: [none] },
    {
      name: 'scenario 13: is only one',
      template: { jobTemplate, broadcastJobTemplate },
      faults: ['spec.template: Forbidden: spec can have only one template, but has jobTemplate and broadcastJobTemplate'],
    },
    {
      name: 'is only one, also of three',
      template: { jobTemplate, broadcastJobTemplate, imageListPullJobTemplate },
      faults: [
        'spec.template: Forbidden: spec can have only one template, but has jobTemplate and broadcastJobTemplate and imageListPullJobTemplate',
      ],
    },
    { name: 'is an object', template: 'x', faults: ['spec.template: Invalid value: "x": must be an object'] },
    { name: 'has an object for a job', template: { jobTemplate: [] }, faults: [`${job}: Invalid value: []: must be an object`] },
    { name: 'has a spec', template: { jobTemplate: {} }, faults: [`${job}.spec: Required value`] },
    {
      name: 'has an object for a spec',
      template: { broadcastJobTemplate: { spec: 1 } },
      faults: [`${broadcast}.spec: Invalid value: 1: must be an object`],
    },
    { name: 'has a template of Pods', template: { jobTemplate: { spec: {} } }, faults: [`${job}.spec.template: Required value`] },
    {
      name: 'has a template that Pods can be made of',
      template: { jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
      faults: [`${job}.spec.template.spec.containers: Required value`],
    },
    {
      name: 'has a template that Pods of a BroadcastJob can be made of',
      template: { broadcastJobTemplate: { spec: { template: { spec: {} }, paused: 'x' } } },
      faults: [
        `${broadcast}.spec.template.spec.containers: Required value`,
        `${broadcast}.spec.paused: Invalid value: "x": must be true or false`,
      ],
    },
    {
      name: 'has members of Jobs of the right types',
      template: {
        jobTemplate: { metadata: { labels: { a: 1 } }, spec: { ...jobTemplate.spec, completions: 'x', suspend: 0, selector: '' } },
      },
      faults: [
        `${job}.metadata.labels[a]: Invalid value: 1: must be a string`,
        `${job}.spec.completions: Invalid value: "x": must be an integer`,
        `${job}.spec.suspend: Invalid value: 0: must be true or false`,
        `${job}.spec.selector: Invalid value: "": must be an object`,
      ],
    },
  ])('$name', ({ template, faults }) => expect([...faultsOf(filled(cronJob(template)))].sort()).toEqual([...faults].sort()));

  it.each([ofJobs, ofBroadcastJobs])('needs no defaults', (object) => {
    expect(faultsOf(filled(object, undefined, { TemplateNoDefaults: true }))).toEqual([]);
  });
});
