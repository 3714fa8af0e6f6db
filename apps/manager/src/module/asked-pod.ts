/** What a check of the validating Pod webhook reads of its request. */
import type { AdmissionRequest } from '@kruise/admission';
import { unlessGone } from '@kruise/kube';
import { memberAt, pods, type Pod } from '@kruise/objects';
import type { LiveReads } from './handler-dependencies.ts';
import type { PodOperationRequest } from './pod-check.ts';

/** Said in the request, in its options, or in an eviction about the deletion that it asks for. */
export function isDryRun({ dryRun, options, object }: AdmissionRequest): boolean {
  const lists = [memberAt(options, 'dryRun'), memberAt(object, 'deleteOptions', 'dryRun')];
  return dryRun === true || lists.some((list) => Array.isArray(list) && list.length > 0);
}

/** Several checks of one request read the Pod once; an entry goes with its request. */
const evicted = new WeakMap<AdmissionRequest, Promise<Pod | undefined>>();

/**
 * The Pod as it is before. An eviction names it only, so it is read from the API server: caches of all Pods on every replica would cost more.
 *
 * @returns undefined when it is gone, and for a deletion that the API server asks about without an object
 */
export function askedPod(
  { pod, operation, request }: PodOperationRequest,
  client: LiveReads,
  signal: AbortSignal,
): Promise<Pod | undefined> {
  if (operation !== 'Evict') return Promise.resolve(pod);
  const { namespace = '', name = '' } = request;
  const read = evicted.get(request) ?? unlessGone(client.get(pods, { namespace, name }, { signal }));
  evicted.set(request, read);
  return read;
}
