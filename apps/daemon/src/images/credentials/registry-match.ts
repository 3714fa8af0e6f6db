/**
 * Decides whether the location of a credential matches an image, as the kubelet does: the port is equal, the host has as many parts and each matches
 * (`*`, `?` and `[a-z]` within one part), the path begins the image's path. Pure.
 *
 * @see spec/daemon.md 5.3
 */
import { matchesShellPattern } from './shell-pattern.ts';

interface Location {
  readonly hostParts: readonly string[];
  readonly port: string;
  /** With its leading slash; '' without one. */
  readonly path: string;
}

/** Parses `host[:port][/path]` without scheme; undefined for a port that is no number. */
function parseLocation(text: string): Location | undefined {
  const slash = text.indexOf('/');
  const [authority, path] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)];
  const port = /:(\d*)$/.exec(authority);
  const host = port === null ? authority : authority.slice(0, port.index);
  if (host === '' || (host.includes(':') && !host.startsWith('['))) return undefined;
  return { hostParts: host.split('.'), port: port?.[1] ?? '', path };
}

/**
 * Returns whether a repository matches.
 *
 * @param pattern `host[:port][/path]` without scheme
 * @param repository in full, without tag, e.g. `docker.io/library/nginx`
 */
export function matchesRepository(pattern: string, repository: string): boolean {
  const [wanted, image] = [parseLocation(pattern), parseLocation(repository)];
  if (wanted === undefined || image === undefined) return false;
  return (
    wanted.port === image.port &&
    wanted.hostParts.length === image.hostParts.length &&
    image.path.startsWith(wanted.path) &&
    wanted.hostParts.every((part, index) => part === image.hostParts[index] || matchesShellPattern(part, image.hostParts[index] ?? ''))
  );
}

/** Returns whether the image is of the default registry, which names without a registry imply. */
export function isOfDefaultRegistry(repository: string): boolean {
  const [first = '', ...rest] = repository.split('/');
  if (first === '') return false;
  return rest.length === 0 || first === 'docker.io' || first === 'index.docker.io' || !/[.:]/.test(first);
}
