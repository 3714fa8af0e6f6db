/** The events of a DaemonSet, one function each. @see spec/daemonset.md 3 */
import type { DaemonSet } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { formatKey, keyOf, messageOf, type Pod } from '@kruise/objects';
import type { UpdateEvents } from '../../workloads/writes/pod-action-writes.ts';
import type { PullAheadWriter } from '../../workloads/writes/pull-ahead-writes.ts';

type PullAheadEvents = PullAheadWriter['events'];

/** An event source bound to one DaemonSet. */
export interface DaemonSetEvents extends UpdateEvents, PullAheadEvents {
  readonly created: (pod: string) => void;
  readonly failedCreate: (error: unknown) => void;
  readonly deleted: (pod: string) => void;
  readonly failedDelete: (error: unknown) => void;
  readonly failedPod: (pod: Pod, node: string) => void;
  readonly selectingAll: () => void;
  readonly invalid: (message: string) => void;
}

export function daemonSetEvents(recorder: EventRecorder, set: DaemonSet): DaemonSetEvents {
  const normal = (reason: string, message: string): void => recorder.event(set, 'Normal', reason, message);
  const warning = (reason: string, message: string): void => recorder.event(set, 'Warning', reason, message);
  return {
    created: (pod) => normal('SuccessfulCreate', `Created pod: ${pod}`),
    failedCreate: (error) => warning('FailedCreate', `Error creating: ${messageOf(error)}`),
    deleted: (pod) => normal('SuccessfulDelete', `Deleted pod: ${pod}`),
    failedDelete: (error) => warning('FailedDelete', `Error deleting: ${messageOf(error)}`),
    failedPod: (pod, node) =>
      warning('FailedDaemonPod', `Found failed daemon pod ${formatKey(keyOf(pod))} on node ${node}, will try to kill it`),
    selectingAll: () => warning('SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.'),
    updatedInPlace: (pod) => normal('SuccessfulUpdatePodInPlace', `successfully update pod ${pod} in-place`),
    failedUpdateInPlace: (error, pod, hash) =>
      warning('FailedUpdatePodInPlace', `failed to update pod ${pod} in-place(revision ${set.metadata.name}-${hash}): ${messageOf(error)}`),
    createdImagePullJob: (job, image) => normal('CreatedImagePullJob', `created ImagePullJob ${job} for image: ${image}`),
    failedCreateImagePullJob: (error, job) =>
      normal('FailedCreateImagePullJob', `failed to create ImagePullJob ${job}: ${messageOf(error)}`),
    invalid: (message) => warning('InvalidSpec', message),
  };
}
