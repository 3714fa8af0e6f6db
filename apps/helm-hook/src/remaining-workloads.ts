/**
 * What an uninstall would delete: with the CRDs go all their objects, and with those their pods.
 * @see spec/helm-chart.md 10
 */
import { allKinds, groups, resourceTypeOf, type KindDeclaration } from '@kruise/api';
import { discoverGroupVersion, type Client } from '@kruise/kube';

export interface Remaining {
  /** Names of what stops the uninstall, as users call them: `clonesets`, `advanced statefulsets`. */
  readonly blocking: readonly string[];
  /** Names of what is deleted, too, but does not stop it. */
  readonly noted: readonly string[];
}

interface Workload {
  readonly declaration: KindDeclaration;
  readonly called: string;
  readonly blocks: boolean;
}

const workloads: readonly Workload[] = allKinds.flatMap((declaration) => {
  const { atUninstall } = declaration;
  return atUninstall?.kind === 'Refuse' || atUninstall?.kind === 'Warn'
    ? [{ declaration, called: atUninstall.called, blocks: atUninstall.kind === 'Refuse' }]
    : [];
});

/** Newest first: objects are stored in it, so that a list does not need the conversion of a manager that may be down. */
const versions = ['v1beta1', 'v1alpha1'] as const;

type Served = ReadonlyMap<string, (typeof versions)[number]>;

/** The newest version that is served of each plural name. */
async function servedVersions(client: Client, signal: AbortSignal): Promise<Served> {
  const served = new Map<string, (typeof versions)[number]>();
  for (const version of versions) {
    const resources = (await discoverGroupVersion(client, { group: groups.apps, version }, { signal })) ?? [];
    for (const { name } of resources) if (!served.has(name)) served.set(name, version);
  }
  return served;
}

async function exists(client: Client, { declaration }: Workload, served: Served, signal: AbortSignal): Promise<boolean> {
  const version = served.get(declaration.plural);
  if (version === undefined) return false;
  const { items, metadata } = await client.list(resourceTypeOf(declaration, version), { limit: 1, part: 'Metadata', signal });
  return items.length > 0 || (metadata.continue ?? '') !== '';
}

/** @throws ApiError when the cluster cannot be asked: nothing may be deleted then. A kind without CRD has no objects. */
export async function remainingWorkloads(client: Client, signal: AbortSignal): Promise<Remaining> {
  const served = await servedVersions(client, signal);
  const found: Workload[] = [];
  for (const candidate of workloads) if (await exists(client, candidate, served, signal)) found.push(candidate);
  return {
    blocking: found.filter(({ blocks }) => blocks).map(({ called }) => called),
    noted: found.filter(({ blocks }) => !blocks).map(({ called }) => called),
  };
}
