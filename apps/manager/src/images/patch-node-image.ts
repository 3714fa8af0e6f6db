/** Writing a NodeImage: the difference alone, on exactly the version that was looked at. */
import { nodeImages, type NodeImage } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { createMergePatch, keyOf, type JsonObject } from '@kruise/objects';

/** What of a NodeImage is written: labels and spec, or the status. */
export type NodeImagePart = 'spec' | 'status';

const writable = ({ metadata, spec, status }: NodeImage, part: NodeImagePart): JsonObject =>
  part === 'status' ? { status: status ?? {} } : { metadata: { labels: metadata.labels ?? {} }, spec };

/** @throws a Conflict when another client has written since `before` */
export function patchNodeImage(
  client: Client,
  { before, after, part }: { readonly before: NodeImage; readonly after: NodeImage; readonly part: NodeImagePart },
  signal: AbortSignal,
): Promise<NodeImage> {
  const { uid, resourceVersion } = before.metadata;
  const patch = createMergePatch(writable(before, part), writable(after, part));
  const metadata = { ...(patch['metadata'] as object | undefined), uid, resourceVersion };
  const subresource = part === 'status' ? { subresource: 'status' } : {};
  return client.patch(nodeImages, keyOf(before), { ...patch, metadata }, { type: 'merge', signal, ...subresource });
}
