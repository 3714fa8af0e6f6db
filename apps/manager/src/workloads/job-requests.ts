/** The requests of an event of a job, for kinds whose controllers write the progress of a job into its status. */
import type { StoreEvent } from '@kruise/kube';
import { keyOf, type KubeObject, type ObjectKey } from '@kruise/objects';

type Job = KubeObject & { readonly status?: { readonly completionTime?: string } };

/**
 * Returns the key of a job that a user changed or that has ended. Its own progress enqueues nothing.
 *
 * @param isNewState returns whether the job must be enqueued whatever has changed; never if absent
 */
export function requestsOfJob<T extends Job>(event: StoreEvent<T>, isNewState: (job: T) => boolean = () => false): readonly ObjectKey[] {
  if (event.kind === 'Deleted') return [];
  const { metadata, status } = event.object;
  const isNews =
    event.kind === 'Added' ||
    metadata.deletionTimestamp !== undefined ||
    metadata.generation !== event.previous.metadata.generation ||
    status?.completionTime !== event.previous.status?.completionTime ||
    isNewState(event.object);
  return isNews ? [keyOf(event.object)] : [];
}
