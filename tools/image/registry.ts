/** Pushes an image to a registry without an image tool. Anonymous: registries that want credentials take the archive through other tools. */
import { pushBlob, pushManifest } from '@kruise/testing';
import { blobsOf, type Artifact } from './oci.ts';

export interface Reference {
  /** `host[:port]`. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
}

/** `127.0.0.1:5000/openkruise/kruise-manager:v1`; undefined when there is no registry, repository or tag in it. */
export function parseReference(text: string): Reference | undefined {
  const match = /^([a-zA-Z0-9.-]+(?::\d+)?|\[[0-9a-fA-F:]+\](?::\d+)?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*):([\w][\w.-]{0,127})$/.exec(text);
  const [, registry, repository, tag] = match ?? [];
  return registry === undefined || repository === undefined || tag === undefined ? undefined : { registry, repository, tag };
}

const isLocal = (registry: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry);

/** Plain HTTP to this machine, HTTPS to every other. */
const baseOf = ({ registry, repository }: Reference): string => `${isLocal(registry) ? 'http' : 'https'}://${registry}/v2/${repository}`;

/**
 * Pushes the images and, if there are several, the index that lists them.
 *
 * @returns bytes that had to be sent: blobs that the registry has already are not
 */
export async function push({ images, top, mediaType }: Artifact, to: Reference): Promise<number> {
  const base = baseOf(to);
  let sent = 0;
  for (const { image } of images) {
    for (const blob of blobsOf(image)) {
      if (blob === image.manifest) continue;
      if (await pushBlob(base, blob)) sent += blob.content.length;
    }
    if (image.manifest === top) continue;
    await pushManifest(base, image.manifest.digest, image.manifest);
    sent += image.manifest.content.length;
  }
  await pushManifest(base, to.tag, top, mediaType);
  return sent + top.content.length;
}
