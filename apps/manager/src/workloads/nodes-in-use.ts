/** Names of nodes for which refused writes are remembered. */
import type { StoreReader } from '@kruise/kube';
import type { Node, Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';

/**
 * Returns the names of the nodes that exist, and of deleted nodes that still have a Pod. If the deletion of such a Pod is refused, the others must not wait
 * for it.
 *
 * @param pods those of one owner
 */
export const nodesInUse = (nodes: StoreReader<Node>, pods: readonly Pod[]): Pick<ReadonlySet<string>, 'has'> => ({
  has: (name) => nodes.get({ namespace: '', name }) !== undefined || pods.some((pod) => nodeOf(pod) === name),
});
