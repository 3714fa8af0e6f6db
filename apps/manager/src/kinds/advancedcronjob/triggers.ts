/** The objects that an event enqueues. Pure. @see spec/advancedcronjob.md 5 */
import { advancedCronJobs, type AdvancedCronJob } from '@kruise/api';
import { enqueueOwner, type StoreEvent } from '@kruise/kube';
import { keyOf, type KubeObject, type ObjectKey } from '@kruise/objects';
import type { Child } from '@kruise/kinds/advancedcronjob';

/** The object itself when it is created or its spec changes. Only the controller writes its status. */
export const requestsForCronJob = (event: StoreEvent<AdvancedCronJob>): readonly ObjectKey[] =>
  event.kind === 'Added' || (event.kind === 'Updated' && event.object.metadata.generation !== event.previous.metadata.generation)
    ? [keyOf(event.object)]
    : [];

const ownersOf = enqueueOwner(advancedCronJobs);

/** A child that begins or ends; the deletion of a child is no reason for a pass. */
export const requestsForChild =
  <T extends KubeObject>(seen: (object: T) => Child) =>
  (event: StoreEvent<T>): readonly ObjectKey[] => {
    const isNews = event.kind === 'Added' || (event.kind === 'Updated' && seen(event.object).state !== seen(event.previous).state);
    return isNews ? ownersOf(event) : [];
  };
