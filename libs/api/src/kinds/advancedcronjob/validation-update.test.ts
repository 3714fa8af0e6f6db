/** Updates of AdvancedCronJobs. @see spec/advancedcronjob.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldError, semanticEqual, type JsonObject } from '@kruise/objects';
import { broadcastJobTemplate, cronJob, filled, having, jobTemplate, ofBroadcastJobs, ofImageLists, ofJobs } from './admission.testing.ts';
import { validateAdvancedCronJobUpdate } from './validation-update.ts';

const faultsOf = (object: JsonObject, oldObject: JsonObject): readonly string[] =>
  validateAdvancedCronJobUpdate(object, oldObject, { hostNetworkHostPorts: true }).map(formatFieldError);
const submitted = (object: JsonObject, oldObject: JsonObject): readonly string[] => faultsOf(filled(object, oldObject), oldObject);
const refusal = (name: string): string =>
  `spec: Forbidden: updates to advancedcronjob spec for fields other than 'schedule', 'timeZone', 'concurrencyPolicy', 'paused', 'startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit' and, where there is one, 'template.imageListPullJobTemplate' are forbidden: ${name} changed`;

/** As the original stores it: structs of Go are written in full. */
const storedByOriginal = filled(
  cronJob({
    jobTemplate: {
      metadata: { creationTimestamp: null },
      spec: {
        template: {
          metadata: { creationTimestamp: null },
          spec: { ...jobTemplate.spec.template.spec, containers: [{ ...jobTemplate.spec.template.spec.containers[0], resources: {} }] },
        },
      },
    },
  }),
);
const job = 'spec.template.jobTemplate';
const broadcast = 'spec.template.broadcastJobTemplate';

describe('an update of an AdvancedCronJob', () => {
  it.each<{ name: string; object: JsonObject; oldObject: JsonObject }>([
    {
      name: 'scenario 13: may change the schedule, and all that is about it',
      object: cronJob(
        { jobTemplate },
        {
          schedule: '@daily',
          timeZone: 'Asia/Shanghai',
          concurrencyPolicy: 'Forbid',
          paused: true,
          startingDeadlineSeconds: 60,
          successfulJobsHistoryLimit: 0,
          failedJobsHistoryLimit: 0,
        },
      ),
      oldObject: filled(ofJobs),
    },
    { name: 'scenario 13: may be the same manifest', object: ofJobs, oldObject: filled(ofJobs) },
    { name: 'may be the same manifest of BroadcastJobs', object: ofBroadcastJobs, oldObject: filled(ofBroadcastJobs) },
    { name: 'may be the same manifest of what the original stored', object: ofJobs, oldObject: storedByOriginal },
    {
      name: 'may be the same manifest of what the original stored of BroadcastJobs',
      object: ofBroadcastJobs,
      oldObject: having(`${broadcast}.spec.completionPolicy`, {}, having(`${broadcast}.spec.failurePolicy`, {}, filled(ofBroadcastJobs))),
    },
    {
      name: 'may bring back the labels that the CRD of the original dropped',
      object: having(`${broadcast}.metadata`, { labels: { app: 'x' } }, ofBroadcastJobs),
      oldObject: having(`${broadcast}.metadata`, {}, filled(ofBroadcastJobs)),
    },
    { name: 'may be the same manifest of what was stored without defaults', object: ofJobs, oldObject: ofJobs },
    { name: 'may write out a default', object: filled(ofJobs), oldObject: ofJobs },
    {
      name: 'may write a quantity in another form',
      object: having(`${job}.spec.template.spec.containers.0.resources`, { limits: { cpu: '1' } }),
      oldObject: filled(having(`${job}.spec.template.spec.containers.0.resources`, { limits: { cpu: '1000m' } })),
    },
    {
      name: 'may change the list of images',
      object: having('spec.template.imageListPullJobTemplate.spec.images', ['other'], ofImageLists),
      oldObject: filled(ofImageLists),
    },
  ])('$name', ({ object, oldObject }) => {
    expect(submitted(object, oldObject)).toEqual([]);
  });

  it('may be the same manifest with gate TemplateNoDefaults, whenever that came', () => {
    const oldObject = filled(ofJobs);
    const object = filled(ofJobs, oldObject, { TemplateNoDefaults: true });
    expect(semanticEqual(object, oldObject)).toBe(false);
    expect(faultsOf(object, oldObject)).toEqual([]);
  });

  it.each<{ name: string; object: JsonObject; oldObject: JsonObject; changed: string }>([
    {
      name: 'scenario 13: does not change the Pods of Jobs',
      object: having(`${job}.spec.template.spec.containers.0.image`, 'other'),
      oldObject: filled(ofJobs),
      changed: 'template.jobTemplate',
    },
    {
      name: 'does not change Jobs',
      object: having(`${job}.spec.completions`, 2),
      oldObject: filled(ofJobs),
      changed: 'template.jobTemplate',
    },
    {
      name: 'does not change labels of Jobs',
      object: having(`${job}.metadata`, { labels: { a: 'b' } }),
      oldObject: filled(ofJobs),
      changed: 'template.jobTemplate',
    },
    {
      name: 'does not add a label without a value',
      object: having(`${job}.metadata`, { labels: { a: '' } }),
      oldObject: filled(ofJobs),
      changed: 'template.jobTemplate',
    },
    {
      name: 'does not change BroadcastJobs',
      object: having(`${broadcast}.spec.parallelism`, 1, ofBroadcastJobs),
      oldObject: filled(ofBroadcastJobs),
      changed: 'template.broadcastJobTemplate',
    },
    {
      name: 'does not change labels of BroadcastJobs',
      object: having(`${broadcast}.metadata`, { labels: { app: 'y' } }, ofBroadcastJobs),
      oldObject: having(`${broadcast}.metadata`, { labels: { app: 'x' } }, filled(ofBroadcastJobs)),
      changed: 'template.broadcastJobTemplate',
    },
    {
      name: 'does not take other jobs',
      object: cronJob({ broadcastJobTemplate }),
      oldObject: filled(ofJobs),
      changed: 'template.jobTemplate and template.broadcastJobTemplate',
    },
    {
      name: 'does not take Jobs for lists of images',
      object: ofJobs,
      oldObject: filled(ofImageLists),
      changed: 'template.jobTemplate',
    },
    {
      name: 'does not take lists of images for Jobs',
      object: ofImageLists,
      oldObject: filled(ofJobs),
      changed: 'template.jobTemplate and template.imageListPullJobTemplate',
    },
  ])('$name', ({ object, oldObject, changed }) => {
    expect(submitted(object, oldObject)).toEqual([refusal(changed)]);
  });
});
