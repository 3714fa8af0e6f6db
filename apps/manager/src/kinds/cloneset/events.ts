/** The events of a CloneSet, one function each. @see spec/cloneset.md 3 */
import type { CloneSet } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { messageOf, stringifyLossless, type PersistentVolumeClaim, type Pod } from '@kruise/objects';

/** The object that could not be created, as the original writes it: without its type, and cut short by the recorder. */
const jsonOf = ({ metadata, spec }: Pod | PersistentVolumeClaim): string => stringifyLossless({ metadata, spec, status: {} });

/** An event source bound to one CloneSet. */
export interface CloneSetEvents {
  created(pod: string): void;
  failedCreatePod(error: unknown, pod: Pod): void;
  failedCreateClaim(error: unknown, claim: PersistentVolumeClaim): void;
  deleted(pod: string): void;
  failedDeletePod(error: unknown, pod: string): void;
  failedDeleteClaim(error: unknown, claim: string): void;
  failedCleanUpClaim(error: unknown, claim: string): void;
  failedUpdateClaim(error: unknown, claim: string): void;
  scaleUpLimited(limit: number): void;
  waitingForNames(names: readonly string[]): void;
  updatedInPlace(pod: string, revision: string): void;
  failedUpdateInPlace(error: unknown, pod: string, revision: string): void;
  markedForRecreation(pod: string, revision: string): void;
  failedMarkForRecreation(error: unknown, pod: string, revision: string): void;
  createdImagePullJob(job: string, image: string): void;
  failedCreateImagePullJob(error: unknown, job: string): void;
  invalid(message: string): void;
}

export function cloneSetEvents(recorder: EventRecorder, cloneSet: CloneSet): CloneSetEvents {
  const normal = (reason: string, message: string): void => recorder.event(cloneSet, 'Normal', reason, message);
  const warning = (reason: string, message: string): void => recorder.event(cloneSet, 'Warning', reason, message);
  return {
    created: (pod) => normal('SuccessfulCreate', `succeed to create pod ${pod}`),
    failedCreatePod: (error, pod) => warning('FailedCreate', `failed to create pod: ${messageOf(error)}, pod: ${jsonOf(pod)}`),
    failedCreateClaim: (error, claim) => warning('FailedCreate', `failed to create pvc: ${messageOf(error)}, pvc: ${jsonOf(claim)}`),
    deleted: (pod) => normal('SuccessfulDelete', `succeed to delete pod ${pod}`),
    failedDeletePod: (error, pod) => warning('FailedDelete', `failed to delete pod ${pod}: ${messageOf(error)}`),
    failedDeleteClaim: (error, claim) => warning('FailedDelete', `failed to delete pvc ${claim}: ${messageOf(error)}`),
    failedCleanUpClaim: (error, claim) => warning('FailedDelete', `failed to clean up PVC ${claim}: ${messageOf(error)}`),
    failedUpdateClaim: (error, claim) => warning('FailedUpdate', `failed to update PVC ${claim}: ${messageOf(error)}`),
    scaleUpLimited: (limit) => warning('ScaleUpLimited', `scaleUp is limited because of scaleStrategy.maxUnavailable, limit: ${limit}`),
    waitingForNames: (names) =>
      normal('WaitingForNames', `waiting for terminating Pods to vanish before their names are used again: ${names.join(', ')}`),
    updatedInPlace: (pod, revision) =>
      normal('SuccessfulUpdatePodInPlace', `successfully update pod ${pod} in-place(revision ${revision})`),
    failedUpdateInPlace: (error, pod, revision) =>
      warning('FailedUpdatePodInPlace', `failed to update pod ${pod} in-place(revision ${revision}): ${messageOf(error)}`),
    markedForRecreation: (pod, revision) =>
      normal('SuccessfulUpdatePodReCreate', `successfully patch pod ${pod} specified-delete for update(revision ${revision})`),
    failedMarkForRecreation: (error, pod, revision) =>
      warning(
        'FailedUpdatePodReCreate',
        `failed to patch pod specified-delete ${pod} for update(revision ${revision}): ${messageOf(error)}`,
      ),
    createdImagePullJob: (job, image) => normal('CreatedImagePullJob', `created ImagePullJob ${job} for image: ${image}`),
    failedCreateImagePullJob: (error, job) =>
      normal('FailedCreateImagePullJob', `failed to create ImagePullJob ${job}: ${messageOf(error)}`),
    invalid: (message) => warning('InvalidSpec', message),
  };
}
