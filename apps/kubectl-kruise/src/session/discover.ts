/** Asks the server which kinds it serves. */
import { urlPath, type Client } from '@kruise/kube';
import { isJsonObject } from '@kruise/objects';
import { groupVersionsOf, typesOfDiscovery, typesOfResourceList, type ServedType } from '../objects/served-types.ts';

const form = (version: string): string => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const headers = { accept: `${form('v2')},${form('v2beta1')},application/json` };

/** @returns in the order of preference, the core group first */
export async function discover(client: Client, signal: AbortSignal): Promise<readonly ServedType[]> {
  const options = { signal, headers };
  const [core, groups] = await Promise.all([client.raw(urlPath`/api`, options), client.raw(urlPath`/apis`, options)]);
  if (isAggregated(core) && isAggregated(groups)) return [...typesOfDiscovery(core), ...typesOfDiscovery(groups)];
  const versions = [{ group: '', version: 'v1' }, ...groupVersionsOf(groups)];
  const lists = await Promise.all(versions.map((one) => resourcesOf(client, one, signal)));
  return lists.flat();
}

const isAggregated = (answer: unknown): boolean => isJsonObject(answer) && answer['kind'] === 'APIGroupDiscoveryList';

/** A group whose server does not answer (an aggregated API that is down) has no kinds. */
async function resourcesOf(
  client: Client,
  one: { readonly group: string; readonly version: string },
  signal: AbortSignal,
): Promise<readonly ServedType[]> {
  const { group, version } = one;
  try {
    const path = group === '' ? urlPath`/api/${version}` : urlPath`/apis/${group}/${version}`;
    return typesOfResourceList(await client.raw(path, { signal }), one);
  } catch (error) {
    if (signal.aborted) throw error;
    return [];
  }
}
