/** Which NodeImages an event concerns. @see spec/image-pulling.md 5.3 */
import type { ImagePullJob, NodeImage } from '@kruise/api';
import type { Request, StoreEvent, StoreReader } from '@kruise/kube';
import { deepEqual, keyOf, type Node, type ObjectKey } from '@kruise/objects';
import { isActive, byTaskOwner } from '@kruise/kinds/images';
import type { OwnerLookup } from '../../images/owner-lookup.ts';
import { isVirtual, untilCreation, type Context } from '@kruise/kinds/nodeimage';

type NodeImages = StoreReader<NodeImage>;

/** A Node enqueues its NodeImage when that is missing and the Node is ready, when its labels differ, and when it is deleted. */
export function requestsOfNode(event: StoreEvent<Node>, held: NodeImages, context: Context): readonly Request[] {
  const node = event.object;
  const key: ObjectKey = { namespace: '', name: node.metadata.name };
  const nodeImage = held.get(key);
  if (event.kind === 'Deleted' || node.metadata.deletionTimestamp !== undefined) return [key];
  if (isVirtual(node)) return [];
  if (nodeImage !== undefined) return deepEqual(nodeImage.metadata.labels ?? {}, node.metadata.labels ?? {}) ? [] : [key];
  const wait = untilCreation(node, context);
  if (wait === undefined) return [];
  return wait > 0 ? [{ key, after: wait }] : [key];
}

/** The NodeImages that have a task of a job that no longer exists, or that has ended: its tasks expire from then on. */
export function requestsOfJob(event: StoreEvent<ImagePullJob>, held: NodeImages, owners: OwnerLookup): readonly Request[] {
  const { uid = '' } = event.object.metadata;
  if (event.kind === 'Deleted') owners.forget(uid);
  else if (event.kind === 'Added' || !isActive(event.previous) || isActive(event.object)) return [];
  return held.byIndex(byTaskOwner, uid).map(keyOf);
}
