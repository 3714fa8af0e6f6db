/** References of images in the one form that runtimes report. */

const defaultRegistry = 'docker.io';

const looksLikeRegistry = (part: string): boolean => part.includes('.') || part.includes(':') || part === 'localhost';

/** Returns `name:tag@digest` without its tag. */
const withoutTagOfDigest = (imageRef: string): string => imageRef.replace(/:[^:/@]+(?=@)/, '');

/**
 * Returns the reference with registry, the `library/` of official images and tag: `nginx` is `docker.io/library/nginx:latest`. A digest is kept, and
 * a tag beside it removed, because it adds no information.
 */
function normalizeImageRef(imageRef: string): string {
  const [first = '', ...rest] = withoutTagOfDigest(imageRef).split('/');
  const hasRegistry = rest.length > 0 && looksLikeRegistry(first);
  const registry = !hasRegistry || first === 'index.docker.io' ? defaultRegistry : first;
  const path = hasRegistry ? rest.join('/') : [first, ...rest].join('/');
  const full = registry === defaultRegistry && !path.includes('/') ? `library/${path}` : path;
  return `${registry}/${full}${/[:@]/.test(full) ? '' : ':latest'}`;
}

/** Returns whether two references name the same image. */
export const isSameImageRef = (a: string, b: string): boolean => normalizeImageRef(a) === normalizeImageRef(b);
