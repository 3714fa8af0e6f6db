/** The events of a WorkloadSpread. @see spec/workloadspread.md 3 */
import type { WorkloadSpread } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { messageOf, unreachable } from '@kruise/objects';
import type { Note } from '@kruise/kinds/workloadspread';

/** An event source bound to one WorkloadSpread. */
export interface WorkloadSpreadEvents {
  readonly tell: (note: Note) => void;
  readonly failedMark: (error: unknown, pod: string) => void;
  readonly failedReschedule: (error: unknown, pod: string) => void;
  readonly invalid: (message: string) => void;
}

export function workloadSpreadEvents(recorder: EventRecorder, spread: WorkloadSpread): WorkloadSpreadEvents {
  const normal = (reason: string, message: string): void => recorder.event(spread, 'Normal', reason, message);
  const warning = (reason: string, message: string): void => recorder.event(spread, 'Warning', reason, message);
  return {
    tell: (note) => {
      switch (note.kind) {
        case 'CreatePodFailed':
          return warning(note.kind, `Pod ${note.pod} was assigned to subset ${note.subset} and has not been seen for 30 seconds`);
        case 'DeletePodFailed':
          return warning(note.kind, `Pod ${note.pod} of subset ${note.subset} was to be deleted and is active after 15 seconds`);
        case 'RecoverSchedulable':
          return normal(note.kind, `Subset ${note.subset} is recovered from unschedulable to schedulable`);
        case 'NoSubsetHasRoom':
          return warning(
            note.kind,
            note.pods === 1
              ? '1 Pod is in no subset: when it was created none had room, or it is where none would be'
              : `${note.pods} Pods are in no subset: when they were created none had room, or they are where none would be`,
          );
        default:
          return unreachable(note);
      }
    },
    failedMark: (error, pod) => warning('PatchPodDeletionCostFailed', `Pod ${pod} could not be patched: ${messageOf(error)}`),
    failedReschedule: (error, pod) =>
      warning('DeletePodFailed', `Pod ${pod}, which found no node, could not be deleted: ${messageOf(error)}`),
    invalid: (message) => warning('InvalidSpec', message),
  };
}
