/** The defaults of a SidecarSet, and its hashes, which follow from them. @see spec/sidecarset.md 4.1 */
import { annotations, defaultSidecarSet, sidecarSetAnnotations } from '@kruise/api';
import { membersAt, type JsonObject } from '@kruise/objects';
import { sidecarSetHashes } from './hash.ts';

/** The annotations say what the containers are, whatever the user has written there. The very object when they do already. */
function withHashes(object: JsonObject): JsonObject {
  const { hash, hashWithoutImage } = sidecarSetHashes(membersAt(object, 'spec'));
  const metadata = membersAt(object, 'metadata');
  const held = membersAt(metadata, 'annotations');
  if (held[annotations.sidecarSetHash] === hash && held[sidecarSetAnnotations.hashWithoutImage] === hashWithoutImage) return object;
  const hashes = { [annotations.sidecarSetHash]: hash, [sidecarSetAnnotations.hashWithoutImage]: hashWithoutImage };
  return { ...object, metadata: { ...metadata, annotations: { ...held, ...hashes } } };
}

/** @param object of either version; both have the same hashes */
export const completeSidecarSet = (object: JsonObject): JsonObject => withHashes(defaultSidecarSet(object));
