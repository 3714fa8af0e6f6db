/** Deletion of Pods by plans. */
import { deleteUnchanged, isFailure, type Client } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';

interface Reports {
  readonly deleted?: (pod: Pod) => void;
  readonly failed?: (error: unknown, pod: Pod) => void;
}

/**
 * Deletes a Pod in exactly the version that the plan decided on. A plan deletes a Pod that is not available without using budget. If the Pod has become
 * ready meanwhile and the watch is late, deleting it would exceed the budget. A Pod that no longer exists counts as deleted.
 *
 * @throws a Conflict, which is not reported, when the Pod has changed; the next pass decides on the version that it sees
 */
export async function deleteSeenPod(client: Pick<Client, 'delete'>, pod: Pod, reports: Reports, signal: AbortSignal): Promise<void> {
  try {
    await deleteUnchanged(client, pods, pod, { signal });
  } catch (error) {
    if (!isFailure(error, 'Conflict')) reports.failed?.(error, pod);
    throw error;
  }
  reports.deleted?.(pod);
}
