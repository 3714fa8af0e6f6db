/** Warnings about AdvancedCronJobs. @see spec/advancedcronjob.md 8 */
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { cronJob, fakeSchedules, filled, having, jobTemplate, ofBroadcastJobs, ofImageLists, ofJobs } from './admission.testing.ts';
import { advancedCronJobWarnings } from './rules.ts';

const warningsOf = (object: JsonObject): readonly string[] => advancedCronJobWarnings(filled(object), fakeSchedules);
const job = 'spec.template.jobTemplate';
const broadcast = 'spec.template.broadcastJobTemplate';
const list = 'spec.template.imageListPullJobTemplate';
const tooLong = 'metadata.name: longer than 52 characters, so that the names of its jobs are too long and none can be created';
const never = 'can only be Never or OnFailure';
const named = (length: number, object: JsonObject): JsonObject => having('metadata.name', 'a'.repeat(length), object);
const endless = having(`${broadcast}.spec.completionPolicy`, { type: 'Never' }, ofBroadcastJobs);
const staysActive = (policy: string, effect: string): string =>
  `${broadcast}.spec.completionPolicy.type: a BroadcastJob with Never stays active, so that with ${policy} ${effect}`;

describe('an AdvancedCronJob gets a warning', () => {
  it.each<{ name: string; object: JsonObject; then: readonly string[] }>([
    { name: 'for a long name of Jobs', object: named(53, ofJobs), then: [tooLong] },
    { name: 'for a long name of BroadcastJobs', object: named(53, ofBroadcastJobs), then: [tooLong] },
    {
      name: 'for a schedule of a day that no month has',
      object: having('spec.schedule', '0 0 30 2 *'),
      then: ['spec.schedule: "0 0 30 2 *" names days that no month has, so that it never comes'],
    },
    {
      name: 'for lists of images that come too often',
      object: having('spec.schedule', '@every 59s', ofImageLists),
      then: ['spec.schedule: an ImageListPullJob is created every 60 s at most, the times in between are skipped'],
    },
    {
      name: 'for a limit above the number of finished jobs that are kept',
      object: having('spec.successfulJobsHistoryLimit', 5001),
      then: ['spec.successfulJobsHistoryLimit: 5000 finished jobs are kept at most, older ones are deleted'],
    },
    { name: 'not for the number of finished jobs that are kept', object: having('spec.failedJobsHistoryLimit', 5000), then: [] },
    { name: 'not for lists of images that come every minute', object: having('spec.schedule', '@every 1m', ofImageLists), then: [] },
    { name: 'not for Jobs that come often', object: having('spec.schedule', '@every 59s', ofJobs), then: [] },
    {
      name: 'for Pods of Jobs that run indefinitely',
      object: having(`${job}.spec.template.spec.restartPolicy`, undefined),
      then: [`${job}.spec.template.spec.restartPolicy: Invalid value: "Always": pod restartPolicy ${never}; no Job can be created`],
    },
    {
      name: 'for Pods of BroadcastJobs that run indefinitely',
      object: having(`${broadcast}.spec.template.spec.restartPolicy`, 'Always', ofBroadcastJobs),
      then: [
        `${broadcast}.spec.template.spec.restartPolicy: Invalid value: "Always": pod restartPolicy ${never}; no BroadcastJob can be created`,
      ],
    },
    {
      name: 'for what else no BroadcastJob may have',
      object: having(`${broadcast}.spec.template.metadata`, { labels: { 'broadcastjob-name': 'x' } }, ofBroadcastJobs),
      then: [
        `${broadcast}.spec.template.metadata.labels: Invalid value: "x": label broadcastjob-name is set by the controller and cannot be preset; no BroadcastJob can be created`,
      ],
    },
    {
      name: 'for what is no use in a BroadcastJob',
      object: having(`${broadcast}.spec.failurePolicy`, { restartLimit: 1 }, ofBroadcastJobs),
      then: [`${broadcast}.spec.failurePolicy.restartLimit: has no effect with restartPolicy Never`],
    },
    { name: 'for BroadcastJobs that pile up', object: endless, then: [staysActive('Allow', 'they pile up')] },
    {
      name: 'for a BroadcastJob that has no successor',
      object: having('spec.concurrencyPolicy', 'Forbid', endless),
      then: [staysActive('Forbid', 'only the first one is ever created')],
    },
    {
      name: 'for BroadcastJobs that wait',
      object: having(`${broadcast}.spec.paused`, true, ofBroadcastJobs),
      then: [`${broadcast}.spec.paused: each BroadcastJob waits until a user resumes it`],
    },
    {
      name: 'for labels that no object may have',
      object: having(`${job}.metadata`, { labels: { '-a': 'x' } }),
      then: [
        expect.stringMatching(
          /^spec\.template\.jobTemplate\.metadata\.labels: Invalid value: "-a": .*; no Job can be created$/,
        ) as unknown as string,
      ],
    },
    {
      name: 'for metadata that jobs do not get',
      object: having(`${list}.metadata`, { name: 'x', namespace: 'y', labels: { a: 'b' } }, ofImageLists),
      then: [`${list}.metadata: name, namespace have no effect; only labels and annotations are for the jobs`],
    },
    {
      name: 'for a parallelism that no ImageListPullJob may have',
      object: having(`${list}.spec.parallelism`, '10%', ofImageLists),
      then: [`${list}.spec.parallelism: parallelism can not be a percentage, but is "10%"; no ImageListPullJob can be created`],
    },
    {
      name: 'for a deadline within the first try',
      object: having(`${list}.spec.completionPolicy`, { type: 'Always', activeDeadlineSeconds: 60 }, ofImageLists),
      then: [
        `${list}.spec.completionPolicy: completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600); no image can be pulled`,
      ],
    },
    {
      name: 'for an unknown pull policy',
      object: having(`${list}.spec.imagePullPolicy`, 'Never', ofImageLists),
      then: [`${list}.spec.imagePullPolicy: "Never" is neither Always nor IfNotPresent and acts as Always`],
    },
    {
      name: 'for a zone in the schedule',
      object: cronJob({ jobTemplate }, { schedule: 'TZ=UTC 0 1 * * *' }),
      then: ['spec.schedule: the time zone is better set in spec.timeZone'],
    },
    {
      name: 'for a zone of what happens by the hour',
      object: cronJob({ jobTemplate }, { schedule: '@every 1h', timeZone: 'Asia/Shanghai' }),
      then: ['spec.timeZone: has no effect with @every'],
    },
    {
      name: 'for a short deadline',
      object: cronJob({ jobTemplate }, { startingDeadlineSeconds: 9 }),
      then: ['spec.startingDeadlineSeconds: with 9, which is less than 10, runs may be skipped'],
    },
  ])('$name', ({ object, then }) => expect(warningsOf(object)).toEqual(then));

  it('for no more than three labels', () => {
    const labels = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`-${String(i)}`, '']));
    expect(warningsOf(having(`${job}.metadata`, { labels }))).toHaveLength(3);
  });
});

describe('an AdvancedCronJob gets no warning', () => {
  it.each<{ name: string; object: JsonObject }>([
    { name: 'of Jobs', object: ofJobs },
    { name: 'of BroadcastJobs', object: ofBroadcastJobs },
    { name: 'of ImageListPullJobs', object: ofImageLists },
    { name: 'with a name of 52 characters', object: named(52, ofJobs) },
    { name: 'with a long name of ImageListPullJobs, whose names may be longer', object: named(63, ofImageLists) },
    { name: 'whose BroadcastJobs are replaced', object: having('spec.concurrencyPolicy', 'Replace', endless) },
    { name: 'with a deadline', object: cronJob({ jobTemplate }, { startingDeadlineSeconds: 10 }) },
    { name: 'with a zone', object: cronJob({ jobTemplate }, { timeZone: 'Asia/Shanghai' }) },
    { name: 'with labels and annotations of its jobs', object: having(`${job}.metadata`, { labels: { a: 'b' }, annotations: { c: 'd' } }) },
  ])('$name', ({ object }) => expect(warningsOf(object)).toEqual([]));
});
