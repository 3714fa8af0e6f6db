/** Decides which of the known credentials are tried for an image, and in which order. Pure. @see spec/daemon.md 5.3 */
import { addToList, agentLimits, compareUtf8 } from '@kruise/objects';
import { isOfDefaultRegistry, matchesRepository } from './registry-match.ts';

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** One entry of a configuration: a location as its author wrote it. */
export interface RegistryCredential {
  readonly location: string;
  readonly credential: Credential;
}

const defaultRegistryKey = 'index.docker.io';

/**
 * Returns the key of a location, without scheme, and without a leading `v1` or `v2` of the path: `https://r.io/v1/` is `r.io`, `r.io/a/` stays
 * `r.io/a/`.
 *
 * @returns undefined for a text that names no host
 */
export function keyOfLocation(location: string): string | undefined {
  const bare = location.replace(/^https?:\/\//, '').replace(/[?#].*$/s, '');
  const slash = bare.indexOf('/');
  const host = slash < 0 ? bare : bare.slice(0, slash);
  const path = (slash < 0 ? '' : bare.slice(slash)).replace(/^\/v[12]\//, '/');
  if (host === '') return undefined;
  return path === '/' ? host : host + path;
}

const isFallback = (key: string, repository: string): boolean => key === defaultRegistryKey && isOfDefaultRegistry(repository);
const lengthOf = ({ location, credential }: RegistryCredential): number =>
  location.length + credential.username.length + credential.password.length;

export interface Usable {
  /** In the given order. */
  readonly credentials: readonly RegistryCredential[];
  /** Whether other credentials match but exceed the maximum. */
  readonly isCut: boolean;
}

/**
 * Returns the credentials of one source that {@link credentialsFor} can choose for the repository, up to a maximum number of characters: a pull keeps
 * them in memory while it waits for a registry.
 *
 * @param repository in full, without tag
 */
export function usableFor(repository: string, known: readonly RegistryCredential[]): Usable {
  const credentials: RegistryCredential[] = [];
  let left: number = agentLimits.credentialsOfSecret.value;
  let isCut = false;
  for (const each of known) {
    const key = keyOfLocation(each.location);
    if (key === undefined || !(isFallback(key, repository) || matchesRepository(key, repository))) continue;
    const length = lengthOf(each);
    if (length > left) isCut = true;
    else [left] = [left - length, credentials.push(each)];
  }
  return { credentials, isCut };
}

/**
 * Returns all matching credentials, those of more specific locations first, of one location in the given order. When none matches and the image is of
 * docker.io, those of `index.docker.io`.
 *
 * @param repository in full, without tag
 */
export function credentialsFor(repository: string, known: readonly RegistryCredential[]): readonly Credential[] {
  const byKey = new Map<string, Credential[]>();
  for (const { location, credential } of known) {
    const key = keyOfLocation(location);
    if (key === undefined) continue;
    addToList(byKey, key, credential);
  }
  const keys = [...byKey.keys()].toSorted(compareUtf8).toReversed();
  const fitting = keys.filter((key) => matchesRepository(key, repository)).flatMap((key) => byKey.get(key) ?? []);
  if (fitting.length > 0) return fitting;
  return isOfDefaultRegistry(repository) ? (byKey.get(defaultRegistryKey) ?? []) : [];
}
