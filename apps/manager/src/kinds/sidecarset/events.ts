/** The events of SidecarSets and of the Pods that they update, one function each. @see spec/sidecarset.md 3 */
import { eventReasons, type SidecarSet } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { messageOf, type Pod } from '@kruise/objects';

export interface SidecarSetEvents {
  notUpgradable(sidecarSet: SidecarSet, count: number): void;
  /** `why` names the Pod and who keeps it. */
  refused(sidecarSet: SidecarSet, why: string): void;
  /** `why` names the Pod and what refused its update. */
  failedToUpdate(sidecarSet: SidecarSet, why: string): void;
  /** The revision of the present version was not written: no Pod is updated to it. */
  revisionFailed(sidecarSet: SidecarSet, error: unknown): void;
  emptied(pod: Pod): void;
  failedToEmpty(pod: Pod, error: unknown): void;
}

export const sidecarSetEvents = (recorder: EventRecorder): SidecarSetEvents => ({
  notUpgradable: (sidecarSet, count) =>
    recorder.event(
      sidecarSet,
      'Normal',
      eventReasons.notUpgradablePods,
      `SidecarSet in-place update detected ${count} not upgradable pod(s) in this round, will skip them.`,
    ),
  refused: (sidecarSet, why) => recorder.event(sidecarSet, 'Warning', eventReasons.budgetRefuses, why),
  failedToUpdate: (sidecarSet, why) => recorder.event(sidecarSet, 'Warning', eventReasons.failedUpdatePodInPlace, why),
  revisionFailed: (sidecarSet, error) =>
    recorder.event(
      sidecarSet,
      'Warning',
      eventReasons.failedRevisionProvision,
      `No Pod is updated, because the ControllerRevision of this version was not written: ${messageOf(error)}`,
    ),
  emptied: (pod) => recorder.event(pod, 'Normal', eventReasons.resetContainerSucceed, 'reset sidecar container image empty successfully'),
  failedToEmpty: (pod, error) =>
    recorder.event(pod, 'Warning', eventReasons.resetContainerFailed, `reset sidecar container image empty failed: ${messageOf(error)}`),
});
