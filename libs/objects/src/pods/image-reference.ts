/** Image references by the grammar of the distribution project, and their familiar short forms. */

/** The normalised parts: `nginx` is registry `docker.io`, repository `library/nginx`. */
export interface ImageReference {
  readonly registry: string;
  readonly repository: string;
  /** Absent when neither written nor defaulted. */
  readonly tag?: string;
  /** e.g. `sha256:…`. */
  readonly digest?: string;
}

const defaultRegistry = 'docker.io';
const maxNameLength = 255;

const domainPart = /^(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])$/;
const ipv6Domain = /^\[[a-fA-F0-9:]+\](?::\d+)?$/;
const pathPart = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tagShape = /^\w[\w.-]{0,127}$/;
const digestShape = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/**
 * Parses and normalises: the registry defaults to `docker.io`, its one-part repositories to `library/`. No tag is added.
 *
 * @returns undefined when the text is no reference (upper case in the repository, a bad tag or digest, a bare 64-digit hash)
 */
export function parseImageReference(text: string): ImageReference | undefined {
  if (/^[a-f0-9]{64}$/.test(text)) return undefined;
  const { name, tag, digest } = cut(text);
  if (tag !== undefined && !tagShape.test(tag)) return undefined;
  if (digest !== undefined && !isDigest(digest)) return undefined;
  const place = splitName(name);
  return place && { ...place, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

/** Splits name, tag and digest. A colon starts a tag only after the last slash; before it, it starts a port. */
function cut(text: string): { readonly name: string; readonly tag: string | undefined; readonly digest: string | undefined } {
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const rest = at < 0 ? text : text.slice(0, at);
  const colon = rest.lastIndexOf(':');
  if (colon <= rest.lastIndexOf('/')) return { name: rest, tag: undefined, digest };
  return { name: rest.slice(0, colon), tag: rest.slice(colon + 1), digest };
}

function isDigest(text: string): boolean {
  if (!digestShape.test(text)) return false;
  const [algorithm = '', hex = ''] = text.split(':');
  const length = Object.hasOwn(digestLengths, algorithm) ? digestLengths[algorithm] : undefined;
  return length === undefined || (hex.length === length && hex === hex.toLowerCase());
}

function splitName(name: string): Pick<ImageReference, 'registry' | 'repository'> | undefined {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = /[.:[]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  const registry = hasRegistry ? (first === 'index.docker.io' ? defaultRegistry : first) : defaultRegistry;
  const path = hasRegistry ? name.slice(slash + 1) : name;
  const repository = registry === defaultRegistry && !path.includes('/') ? `library/${path}` : path;
  const valid =
    isDomain(registry) &&
    repository.split('/').every((part) => pathPart.test(part)) &&
    registry.length + 1 + repository.length <= maxNameLength;
  return valid ? { registry, repository } : undefined;
}

function isDomain(text: string): boolean {
  if (text.startsWith('[')) return ipv6Domain.test(text);
  const [host = '', port, ...rest] = text.split(':');
  return rest.length === 0 && (port === undefined || /^\d+$/.test(port)) && host.split('.').every((part) => domainPart.test(part));
}

/** Returns the full form, e.g. `docker.io/library/nginx:1.25`. */
export const formatImageReference = ({ registry, repository, tag, digest }: ImageReference): string =>
  `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;

/** Returns the short form that users write, e.g. `nginx:1.25`. */
export function familiarImageReference(reference: ImageReference): string {
  const { registry, repository } = reference;
  if (registry !== defaultRegistry) return formatImageReference(reference);
  const path =
    repository.startsWith('library/') && !repository.slice('library/'.length).includes('/')
      ? repository.slice('library/'.length)
      : repository;
  return formatImageReference(reference).replace(`${registry}/${repository}`, path);
}

/** Returns the full form, with the tag `latest` when there is neither tag nor digest. A text that is no reference is returned unchanged. */
export function normalizeImage(text: string): string {
  const reference = parseImageReference(text);
  if (reference === undefined) return text;
  return formatImageReference(reference.tag === undefined && reference.digest === undefined ? { ...reference, tag: 'latest' } : reference);
}

/** Returns whether two texts refer to the same image, `nginx` and `docker.io/library/nginx:latest` for example. */
export const isSameImage = (a: string, b: string): boolean => a === b || normalizeImage(a) === normalizeImage(b);

/** Returns whether two texts have the same repository, with any tag or digest. */
export function isSameRepository(a: string, b: string): boolean {
  const left = parseImageReference(a);
  const right = parseImageReference(b);
  return left !== undefined && right !== undefined && left.registry === right.registry && left.repository === right.repository;
}

/** The name of an image in a NodeImage: the short name without tag, and the tag, or the digest in its place. */
export interface ImageTask {
  /** For example `nginx`, `localhost:5000/team/app`. */
  readonly name: string;
  /** For example `latest`, `sha256:…`. */
  readonly tag: string;
}

/**
 * Returns the name and tag of an image. A digest takes precedence over a tag; without either it is `latest`.
 *
 * @returns undefined when the text is no reference
 * @see spec/image-pulling.md 5.1
 */
export function imageTaskOf(text: string): ImageTask | undefined {
  const reference = parseImageReference(text);
  if (reference === undefined) return undefined;
  const { registry, repository, tag, digest } = reference;
  return { name: familiarImageReference({ registry, repository }), tag: digest ?? tag ?? 'latest' };
}
