/** References of images in the one form that runtimes report. */

const defaultRegistry = 'docker.io';

const looksLikeRegistry = (part: string): boolean => part.includes('.') || part.includes(':') || part === 'localhost';

/** `name:tag@digest` without its tag. */
const withoutTagOfDigest = (imageRef: string): string => imageRef.replace(/:[^:/@]+(?=@)/, '');

/**
 * With the registry, the `library/` of official images and the tag spelled out: `nginx` is `docker.io/library/nginx:latest`.
 * A digest stays, and a tag beside it goes, as it says nothing more.
 */
export function normalizeImageRef(imageRef: string): string {
  const [first = '', ...rest] = withoutTagOfDigest(imageRef).split('/');
  const hasRegistry = rest.length > 0 && looksLikeRegistry(first);
  const registry = !hasRegistry || first === 'index.docker.io' ? defaultRegistry : first;
  const path = hasRegistry ? rest.join('/') : [first, ...rest].join('/');
  const full = registry === defaultRegistry && !path.includes('/') ? `library/${path}` : path;
  return `${registry}/${full}${/[:@]/.test(full) ? '' : ':latest'}`;
}

/** Whether two references name the same image. */
export const isSameImageRef = (a: string, b: string): boolean => normalizeImageRef(a) === normalizeImageRef(b);
