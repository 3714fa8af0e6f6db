/** The events of a BroadcastJob. @see spec/broadcastjob.md 3 */
import type { BroadcastJob } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { messageOf, formatKey, keyOf, unreachable } from '@kruise/objects';
import type { Note } from '@kruise/kinds/broadcastjob';

/** An event source bound to one job. */
export interface BroadcastJobEvents {
  created(pod: string): void;
  failedCreate(error: unknown): void;
  deleted(pod: string): void;
  invalid(message: string): void;
  announce(note: Note): void;
}

export function broadcastJobEvents(recorder: EventRecorder, job: BroadcastJob): BroadcastJobEvents {
  const normal = (reason: string, message: string): void => recorder.event(job, 'Normal', reason, message);
  const warning = (reason: string, message: string): void => recorder.event(job, 'Warning', reason, message);
  const name = `Job ${formatKey(keyOf(job))}`;
  return {
    created: (pod) => normal('SuccessfulCreate', `Created pod: ${pod}`),
    failedCreate: (error) => warning('FailedCreate', `Error creating: ${messageOf(error)}`),
    deleted: (pod) => normal('SuccessfulDelete', `Delete pod: ${pod}`),
    invalid: (message) => warning('InvalidSpec', message),
    announce: (note) => {
      const ends = (text: string): string =>
        'failed' in note ? `${text} ${note.succeeded} pods succeeded, ${note.failed} pods failed` : text;
      switch (note.kind) {
        case 'DuplicatePod':
          return warning('DuplicatePodCreatedOnSameNode', `Duplicated pod ${note.pod} found on same node ${note.node}`);
        case 'TooManyActivePods':
          return warning('TooManyActivePods', 'the number of active pods exceeds the parallelism limit');
        case 'Continued':
          return normal('Continue', 'continue to process job');
        case 'Paused':
          return warning('Paused', 'job is paused, due to failed pod');
        case 'FailedPodFound':
          return warning('failed pod is found', ends('failure policy is FailurePolicyTypeFailFast and failed pod is found:'));
        case 'DeadlineExceeded':
          return warning('DeadlineExceeded', ends(`${name} was active longer than specified deadline:`));
        case 'Completed':
          return normal('JobComplete', ends(`${name} is completed,`));
        default:
          return unreachable(note);
      }
    },
  };
}
