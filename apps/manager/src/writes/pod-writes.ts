/** How kinds write Pods: as patches on the version that was read, and again on a newer one after a conflict. */
import { ApiError, conflictPresets, retryOnConflict, type Client, type Clock } from '@kruise/kube';
import { createStrategicMergePatch, keyOf, podPatchSchema, pods, type Pod } from '@kruise/objects';

export interface PodWriter {
  readonly client: Client;
  readonly clock: Clock;
}

export interface PodChange {
  readonly before: Pod;
  readonly after: Pod;
  readonly subresource?: 'status';
  /** The API server checks the patch, webhooks included, and changes nothing. */
  readonly dryRun?: boolean;
}

/** The Pod as a strategic merge patch from what it was, on the version that it was read in. @returns the Pod as it is afterwards */
export function patchPod(
  { before, after, subresource, dryRun = false }: PodChange,
  { client }: Pick<PodWriter, 'client'>,
  signal: AbortSignal,
): Promise<Pod> {
  const patch = createStrategicMergePatch({ ...before }, { ...after }, podPatchSchema) as { readonly metadata?: object };
  const precondition = { uid: before.metadata.uid, resourceVersion: before.metadata.resourceVersion };
  return client.patch(
    pods,
    keyOf(before),
    { ...patch, metadata: { ...patch.metadata, ...precondition } },
    { type: 'strategic', signal, ...(subresource === undefined ? {} : { subresource }), ...(dryRun ? { dryRun } : {}) },
  );
}

/** Writes what `change` makes of the Pod, in exactly the version that was read; nothing if it returns the same Pod. @returns the Pod as it is afterwards */
export function patchChanged(
  before: Pod,
  change: (pod: Pod) => Pod,
  writer: Pick<PodWriter, 'client'> & { readonly subresource?: 'status' },
  signal: AbortSignal,
): Promise<Pod> {
  const after = change(before);
  const { subresource } = writer;
  if (after === before) return Promise.resolve(before);
  return patchPod({ before, after, ...(subresource === undefined ? {} : { subresource }) }, writer, signal);
}

/**
 * Changes a Pod, first on the version that was read, and after each conflict on the one of the API server.
 *
 * @param change gives the same Pod when there is nothing to write; may be called several times
 * @returns the Pod as it is afterwards
 * @throws NotFound when it is deleted, or another Pod has its name
 */
export const changePod = (
  seen: Pod,
  change: (pod: Pod) => Pod,
  writer: PodWriter & { readonly subresource?: 'status' },
  signal: AbortSignal,
): Promise<Pod> =>
  retryOnConflict(conflictPresets.defaultBackoff, { clock: writer.clock, signal }, async (readFrom) => {
    const before = readFrom === 'Cache' ? seen : await writer.client.get(pods, keyOf(seen), { signal });
    if (before.metadata.uid !== seen.metadata.uid)
      throw new ApiError(`Pod ${seen.metadata.name} was replaced by another`, { kind: 'NotFound' });
    return patchChanged(before, change, writer, signal);
  });
