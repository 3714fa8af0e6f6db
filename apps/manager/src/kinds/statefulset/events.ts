/** The events of a StatefulSet, one function each. @see spec/statefulset.md 3 */
import type { StatefulSet } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import type { PullAheadWriter } from '../../workloads/writes/pull-ahead-writes.ts';
import type { UpdateEvents } from '../../workloads/writes/pod-action-writes.ts';
import { messageOf } from '@kruise/objects';

/** An event source bound to one StatefulSet. */
export interface StatefulSetEvents extends UpdateEvents {
  readonly createdPod: (pod: string) => void;
  readonly failedCreatePod: (error: unknown, pod: string) => void;
  readonly createdClaim: (claim: string, pod: string) => void;
  readonly failedCreateClaim: (error: unknown, claim: string, pod: string) => void;
  readonly updatedPod: (pod: string) => void;
  readonly failedUpdatePod: (error: unknown, pod: string) => void;
  readonly deletedPod: (pod: string) => void;
  readonly failedDeletePod: (error: unknown, pod: string) => void;
  readonly resizedClaim: (claim: string) => void;
  readonly failedResizeClaim: (error: unknown, claim: string) => void;
  readonly cannotUpdateClaim: (claim: string, why: string) => void;
  readonly createdImagePullJob: PullAheadWriter['events']['createdImagePullJob'];
  readonly failedCreateImagePullJob: PullAheadWriter['events']['failedCreateImagePullJob'];
  readonly invalid: (message: string) => void;
}

export function statefulSetEvents(recorder: EventRecorder, set: StatefulSet): StatefulSetEvents {
  const normal = (reason: string, message: string): void => recorder.event(set, 'Normal', reason, message);
  const warning = (reason: string, message: string): void => recorder.event(set, 'Warning', reason, message);
  const inSet = `in StatefulSet ${set.metadata.name}`;
  return {
    createdPod: (pod) => normal('SuccessfulCreate', `create Pod ${pod} ${inSet} successful`),
    failedCreatePod: (error, pod) => warning('FailedCreate', `create Pod ${pod} ${inSet} failed error: ${messageOf(error)}`),
    createdClaim: (claim, pod) => normal('SuccessfulCreate', `create Claim ${claim} Pod ${pod} ${inSet} success`),
    failedCreateClaim: (error, claim, pod) =>
      warning('FailedCreate', `create Claim ${claim} for Pod ${pod} ${inSet} failed error: ${messageOf(error)}`),
    updatedPod: (pod) => normal('SuccessfulUpdate', `update Pod ${pod} ${inSet} successful`),
    failedUpdatePod: (error, pod) => warning('FailedUpdate', `update Pod ${pod} ${inSet} failed error: ${messageOf(error)}`),
    deletedPod: (pod) => normal('SuccessfulDelete', `delete Pod ${pod} ${inSet} successful`),
    failedDeletePod: (error, pod) => warning('FailedDelete', `delete Pod ${pod} ${inSet} failed error: ${messageOf(error)}`),
    updatedInPlace: (pod, revision) =>
      normal('SuccessfulUpdatePodInPlace', `successfully update pod ${pod} in-place(revision ${revision})`),
    failedUpdateInPlace: (error, pod, revision) =>
      warning('FailedUpdatePodInPlace', `failed to update pod ${pod} in-place(revision ${revision}): ${messageOf(error)}`),
    resizedClaim: (claim) => normal('SuccessfulResize', `resize Claim ${claim} ${inSet} successful`),
    failedResizeClaim: (error, claim) => warning('FailedResize', `resize Claim ${claim} ${inSet} failed error: ${messageOf(error)}`),
    cannotUpdateClaim: (claim, why) => warning('FailedUpdatePVC', `update Claim ${claim} ${inSet} failed error: ${why}`),
    createdImagePullJob: (job, image) => normal('CreatedImagePullJob', `created ImagePullJob ${job} for image: ${image}`),
    failedCreateImagePullJob: (error, job) =>
      normal('FailedCreateImagePullJob', `failed to create ImagePullJob ${job}: ${messageOf(error)}`),
    invalid: (message) => warning('InvalidSpec', message),
  };
}
