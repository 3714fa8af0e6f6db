/**
 * Which of our kinds this cluster has. A kind that is not installed is left out; its controller does not run.
 * @see spec/manager.md 5.2
 */
import { groups } from '@kruise/api';
import { discoverGroupVersion, type Client, type Clock } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const groupVersions: readonly GroupVersion[] = [
  { group: groups.apps, version: 'v1beta1' },
  { group: groups.apps, version: 'v1alpha1' },
  { group: groups.policy, version: 'v1beta1' },
];

const retryDelays = [500, 2500, 12_500].map(milliseconds);

/** Answers whether `version` of a kind is served. */
export type Installed = (group: string, version: string, kind: string) => boolean;

/** What discovery found, each as `group/version/kind`: plain data, which the webhook thread gets too. */
export type InstalledKinds = readonly string[];

export function isAmong(kinds: InstalledKinds): Installed {
  const known = new Set(kinds);
  return (group, version, kind) => known.has(`${group}/${version}/${kind}`);
}

async function kindsOf(client: Client, groupVersion: GroupVersion, signal: AbortSignal): Promise<readonly string[]> {
  const resources = await discoverGroupVersion(client, groupVersion, { signal });
  return (resources ?? []).map(({ kind }) => `${groupVersion.group}/${groupVersion.version}/${kind}`);
}

/** One discovery read for each group version, in parallel; failures other than "not there" are tried again three times, then thrown. */
export async function discoverKinds(client: Client, clock: Clock, signal: AbortSignal): Promise<InstalledKinds> {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await Promise.all(groupVersions.map((groupVersion) => kindsOf(client, groupVersion, signal)))).flat();
    } catch (error) {
      const delay = retryDelays[attempt];
      if (delay === undefined || signal.aborted) throw error;
      await clock.sleep(delay, signal);
    }
  }
}
