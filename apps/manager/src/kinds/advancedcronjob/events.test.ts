import { expect, it } from '@jest/globals';
import type { EventRecorder } from '@kruise/kube';
import { advancedCronJobEvents, type AdvancedCronJobEvents } from './events.ts';
import { aCronJob } from './cluster.testing.ts';

it.each<[string, (events: AdvancedCronJobEvents) => void]>([
  ['Normal SuccessfulCreate: Created job cron-1', (events) => events.created('cron-1')],
  ['Warning FailedCreate: Error creating job: no', (events) => events.failedCreate(new Error('no'))],
  ['Normal SuccessfulDelete: Deleted job cron-1', (events) => events.deleted('cron-1')],
  ['Warning InvalidSpec: wrong', (events) => events.invalid('wrong')],
  [
    'Normal SawCompletedJob: Saw completed job: cron-1, condition: Failed',
    (events) => events.tell({ kind: 'Completed', name: 'cron-1', state: 'Failed' }),
  ],
  [
    'Warning UnparseableSchedule: unparseable schedule "* * * * *": why',
    (events) => events.tell({ kind: 'UnparseableSchedule', why: 'why' }),
  ],
  [
    'Warning TooManyMissedTimes: too many missed start times (> 100): starting a job for the latest one; set startingDeadlineSeconds to limit the delay',
    (events) => events.tell({ kind: 'TooManyMissedTimes' }),
  ],
  ['Normal MissSchedule: Missed scheduled time to start a job: noon', (events) => events.tell({ kind: 'MissSchedule', time: 'noon' })],
  [
    'Warning ClockSkew: Ignoring the last schedule time noon, which is ahead of the clock: it was written while a clock was ahead; the schedule continues from now',
    (events) => events.tell({ kind: 'ClockSkew', time: 'noon' }),
  ],
  [
    'Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
    (events) => events.tell({ kind: 'JobAlreadyActive' }),
  ],
  [
    'Warning TooManyActiveJobs: Not starting a job because 100 jobs are active: the next one starts when one of them ends; set concurrencyPolicy to Forbid or Replace, or run less often',
    (events) => events.tell({ kind: 'TooManyActiveJobs', most: 100 }),
  ],
])('reports %s', (text, record) => {
  const reported: string[] = [];
  const recorder: EventRecorder = { event: (_about, type, reason, message) => void reported.push(`${type} ${reason}: ${message}`) };
  record(advancedCronJobEvents(recorder, aCronJob()));
  expect(reported).toEqual([text]);
});
