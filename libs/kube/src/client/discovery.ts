/** The version of a server and the kinds that it serves. */
import { isNotServed } from '../api-error.ts';
import type { CallOptions, Client } from './client.ts';
import { groupVersionPath, urlPath } from './transport/resource-path.ts';

/** The version of an API server as `/version` reports it. */
export interface ServerVersion {
  /** For example `1` and `34`. Anything after the number, as in `34+`, is removed. */
  readonly major: number;
  readonly minor: number;
  /** For example `v1.34.4`. */
  readonly gitVersion: string;
}

/** One entry of a group version's resource list. Subresources have entries of their own (`pods/status`). */
export interface DiscoveredResource {
  /** Plural, or `<plural>/<subresource>`. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Calls `GET /version`. */
export async function serverVersion(client: Client, options: CallOptions = {}): Promise<ServerVersion> {
  const { major, minor, gitVersion } = (await client.raw(urlPath`/version`, options)) as {
    major?: string;
    minor?: string;
    gitVersion?: string;
  };
  return { major: Number.parseInt(major ?? '', 10) || 0, minor: Number.parseInt(minor ?? '', 10) || 0, gitVersion: gitVersion ?? '' };
}

/**
 * Returns the kinds of one group version.
 *
 * @param group '' for the core group
 * @returns undefined when the server does not serve it (404); other failures are thrown
 */
export async function discoverGroupVersion(
  client: Pick<Client, 'raw'>,
  groupVersion: { readonly group: string; readonly version: string },
  options: CallOptions = {},
): Promise<readonly DiscoveredResource[] | undefined> {
  try {
    const answer = (await client.raw(groupVersionPath(groupVersion), options)) as { resources?: readonly DiscoveredResource[] | null };
    return answer.resources ?? [];
  } catch (error) {
    if (isNotServed(error)) return undefined;
    throw error;
  }
}
