/** The events of Pods whose hot upgrade ends. Those of the SidecarSet are announcements. @see spec/sidecarset.md 3 */
import { eventReasons } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { messageOf, type Pod } from '@kruise/objects';

export interface PodEvents {
  emptied(pod: Pod): void;
  failedToEmpty(pod: Pod, error: unknown): void;
}

export const podEvents = (recorder: EventRecorder): PodEvents => ({
  emptied: (pod) => recorder.event(pod, 'Normal', eventReasons.resetContainerSucceed, 'reset sidecar container image empty successfully'),
  failedToEmpty: (pod, error) =>
    recorder.event(pod, 'Warning', eventReasons.resetContainerFailed, `reset sidecar container image empty failed: ${messageOf(error)}`),
});
