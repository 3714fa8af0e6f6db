/** The events about tasks that a node does not answer to. @see spec/image-pulling.md 3 */
import { eventReasons, type NodeImage } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import type { Silence } from '@kruise/kinds/nodeimage';

/** On the NodeImage and on every job that wanted the image. */
export function tellPullFailed(recorder: EventRecorder, nodeImage: NodeImage, { image, message, owners }: Silence): void {
  const text = `Failed to pull image ${image} on node ${nodeImage.metadata.name} for ${message}`;
  for (const { apiVersion, kind, namespace, name, uid } of owners) {
    if (kind === undefined || name === undefined) continue;
    const owner = {
      kind,
      name,
      ...(apiVersion === undefined ? {} : { apiVersion }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    };
    recorder.event(owner, 'Warning', eventReasons.pullImageFailed, text);
  }
  recorder.event(nodeImage, 'Warning', eventReasons.pullImageFailed, text);
}
