/** How a container runtime names images: the full reference, and an id that follows from it. Pure but for hashing. */
import { createHash } from 'node:crypto';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** `nginx` -> `docker.io/library/nginx:latest`; what names a registry, a tag or a digest keeps it. */
export function fullImageRef(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  const path = hasRegistry ? name : `docker.io/${slash < 0 ? 'library/' : ''}${name}`;
  if (digest !== undefined) return `${path}@${digest}`;
  return path.lastIndexOf(':') > path.lastIndexOf('/') ? path : `${path}:latest`;
}

/** The id under which an image runs: its own digest, or one made from its full reference, so that each reference has an id of its own. */
export function imageIdOf(image: string): string {
  const ref = fullImageRef(image);
  const [name = '', digest = `sha256:${sha256(ref)}`] = ref.split('@');
  const colon = name.lastIndexOf(':');
  return `${colon > name.lastIndexOf('/') ? name.slice(0, colon) : name}@${digest}`;
}

/** Different for every start of a container. */
export const containerIdOf = (podUid: string, container: string, startNumber: number): string =>
  `containerd://${sha256(`${podUid}/${container}/${startNumber}`)}`;

/** Images that cannot be pulled: last part of the name, or the tag, is `missing`. */
export const isMissingImage = (image: string): boolean => /(^|[/:])missing(:[^/]*)?$/.test(image);
