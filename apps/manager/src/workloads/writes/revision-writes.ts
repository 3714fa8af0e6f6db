/** What the actions on a workload's history do at the API server. @see spec/inplace-update.md 3 */
import { deleteExactly, isFailure, type Client } from '@kruise/kube';
import { controllerRevisions, keyOf, type ControllerRevision } from '@kruise/objects';
import { afterNameCollision, revisionBody, type RevisionAttempt } from '@kruise/pods';
import type { HistoryAction } from '@kruise/workloads';

export interface HistoryWriter {
  readonly client: Client;
  /** Called with the number of names in use, for each further one and for each new revision; the status records it even if the next name fails. */
  onCollisionCount(count: number): void;
  /**
   * Called for a revision with the same content that already has the wanted name; it counts as created unless this throws. Absent for a kind
   * whose revisions no other implementation creates.
   */
  readonly takeOver?: (holder: ControllerRevision, wanted: ControllerRevision, signal: AbortSignal) => Promise<void>;
}

/** Changes a revision by a merge patch on the version that was seen. */
export function patchRevision(
  client: Client,
  revision: ControllerRevision,
  change: { readonly metadata?: object; readonly revision?: number },
  signal: AbortSignal,
): Promise<ControllerRevision> {
  const { uid, resourceVersion } = revision.metadata;
  const patch = { ...change, metadata: { ...change.metadata, uid, resourceVersion } };
  return client.patch(controllerRevisions, keyOf(revision), patch, { type: 'merge', signal });
}

async function createRevision(first: RevisionAttempt, writer: HistoryWriter, signal: AbortSignal): Promise<void> {
  const { client, takeOver } = writer;
  for (let next = first; ;) {
    try {
      await client.create(controllerRevisions, next.revision, { text: revisionBody(next.revision), signal });
      return writer.onCollisionCount(next.collisionCount);
    } catch (error) {
      if (!isFailure(error, 'AlreadyExists')) throw error;
      const holder = await client.get(controllerRevisions, keyOf(next.revision), { signal });
      const step = afterNameCollision(next, holder);
      if (step.kind === 'UseExisting') {
        await takeOver?.(holder, next.revision, signal);
        return writer.onCollisionCount(next.collisionCount);
      }
      next = step.attempt;
      writer.onCollisionCount(next.collisionCount);
    }
  }
}

/** Does one action; throws what the API server refused. */
export async function writeHistory(action: HistoryAction, writer: HistoryWriter, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreateRevision':
      return createRevision(action.attempt, writer, signal);
    case 'BumpRevision': {
      const { metadata, revision } = action.revision;
      await patchRevision(writer.client, action.revision, { metadata: { annotations: metadata.annotations }, revision }, signal);
      return;
    }
    case 'DeleteRevision':
      return deleteExactly(writer.client, controllerRevisions, action.revision, { signal });
  }
}
