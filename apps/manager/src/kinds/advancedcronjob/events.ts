/** The events of an AdvancedCronJob, named as those of CronJobs of Kubernetes. @see spec/advancedcronjob.md 3 */
import type { AdvancedCronJob } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { messageOf, unreachable } from '@kruise/objects';
import type { Note } from '@kruise/kinds/advancedcronjob';

/** An event source bound to one AdvancedCronJob. */
export interface AdvancedCronJobEvents {
  created(name: string): void;
  failedCreate(error: unknown): void;
  deleted(name: string): void;
  invalid(message: string): void;
  tell(note: Note): void;
}

export function advancedCronJobEvents(recorder: EventRecorder, job: AdvancedCronJob): AdvancedCronJobEvents {
  const normal = (reason: string, message: string): void => recorder.event(job, 'Normal', reason, message);
  const warning = (reason: string, message: string): void => recorder.event(job, 'Warning', reason, message);
  return {
    created: (name) => normal('SuccessfulCreate', `Created job ${name}`),
    failedCreate: (error) => warning('FailedCreate', `Error creating job: ${messageOf(error)}`),
    deleted: (name) => normal('SuccessfulDelete', `Deleted job ${name}`),
    invalid: (message) => warning('InvalidSpec', message),
    tell: (note) => {
      switch (note.kind) {
        case 'Completed':
          return normal('SawCompletedJob', `Saw completed job: ${note.name}, condition: ${note.state}`);
        case 'UnparseableSchedule':
          return warning('UnparseableSchedule', `unparseable schedule ${JSON.stringify(job.spec.schedule)}: ${note.why}`);
        case 'TooManyMissedTimes':
          return warning(
            'TooManyMissedTimes',
            'too many missed start times (> 100): starting a job for the latest one; set startingDeadlineSeconds to limit the delay',
          );
        case 'MissSchedule':
          return normal('MissSchedule', `Missed scheduled time to start a job: ${note.time}`);
        case 'ClockSkew':
          return warning(
            'ClockSkew',
            `Ignoring the last schedule time ${note.time}, which is ahead of the clock: it was written while a clock was ahead; the schedule continues from now`,
          );
        case 'JobAlreadyActive':
          return normal('JobAlreadyActive', 'Not starting job because prior execution is running and concurrency policy is Forbid');
        case 'TooManyActiveJobs':
          return warning(
            'TooManyActiveJobs',
            `Not starting a job because ${note.most} jobs are active: the next one starts when one of them ends; set concurrencyPolicy to Forbid or Replace, or run less often`,
          );
        default:
          return unreachable(note);
      }
    },
  };
}
