/** How a container runtime names images: the full reference, and an id that follows from it. Pure except for hashing. */
import { createHash } from 'node:crypto';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the full reference: `nginx` -> `docker.io/library/nginx:latest`. A given registry, tag or digest is kept. */
export function fullImageRef(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  const path = hasRegistry ? name : `docker.io/${slash < 0 ? 'library/' : ''}${name}`;
  if (digest !== undefined) return `${path}@${digest}`;
  return path.lastIndexOf(':') > path.lastIndexOf('/') ? path : `${path}:latest`;
}

/** Returns the id with which an image runs: its own digest, or one computed from its full reference, so that each reference has its own id. */
export function imageIdOf(image: string): string {
  const ref = fullImageRef(image);
  const [name = '', digest = `sha256:${sha256(ref)}`] = ref.split('@');
  const colon = name.lastIndexOf(':');
  return `${colon > name.lastIndexOf('/') ? name.slice(0, colon) : name}@${digest}`;
}

/** Returns a different id for every start of a container. */
export const containerIdOf = (podUid: string, container: string, startNumber: number): string =>
  `containerd://${sha256(`${podUid}/${container}/${startNumber}`)}`;

/** Returns whether an image cannot be pulled: the last part of the name, or the tag, is `missing`. */
export const isMissingImage = (image: string): boolean => /(^|[/:])missing(:[^/]*)?$/.test(image);
