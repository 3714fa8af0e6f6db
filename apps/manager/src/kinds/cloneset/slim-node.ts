/** Of a Node only name and labels matter here; the rest (images, conditions) would fill the memory. Nodes are never written back. */
import type { Node } from '@kruise/objects';

export const slimNode = ({ apiVersion, kind, metadata: { name, uid, resourceVersion, labels } }: Node): Node => ({
  ...(apiVersion === undefined ? {} : { apiVersion }),
  ...(kind === undefined ? {} : { kind }),
  metadata: {
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(labels === undefined ? {} : { labels }),
  },
});
