/** Reads from the request what a check of the validating Pod webhook needs. */
import type { AdmissionRequest } from '@kruise/admission';
import { unlessDeleted } from '@kruise/kube';
import { memberAt, pods, type Pod } from '@kruise/objects';
import type { LiveReads } from './handler-dependencies.ts';
import type { PodOperationRequest } from './pod-check.ts';

/** Returns whether the request is a dry run: by its own field, its options, or the deletion options of an eviction. */
export function isDryRun({ dryRun, options, object }: AdmissionRequest): boolean {
  const lists = [memberAt(options, 'dryRun'), memberAt(object, 'deleteOptions', 'dryRun')];
  return dryRun === true || lists.some((list) => Array.isArray(list) && list.length > 0);
}

/**
 * Returns the Pod before the operation. An eviction only names it, so it is read from the API server, once for all checks of the request: caches of
 * all Pods in every replica would cost more.
 *
 * @returns undefined when it no longer exists, and for a deletion whose review has no object
 */
export function askedPod(
  { pod, operation, request, evicted = {} }: PodOperationRequest,
  client: LiveReads,
  signal: AbortSignal,
): Promise<Pod | undefined> {
  if (operation !== 'Evict') return Promise.resolve(pod);
  const { namespace = '', name = '' } = request;
  return (evicted.read ??= unlessDeleted(client.get(pods, { namespace, name }, { signal })));
}
