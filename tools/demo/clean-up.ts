/** Prepares the cluster for the demo, and removes everything that the demo creates. */
import { podUnavailableBudgets, sidecarSets } from '@kruise/api';
import { unlessDeleted, type Client } from '@kruise/kube';
import { namespaces, type KubeObject } from '@kruise/objects';
import { budgetKey, demoLabels, namespace, sidecarSetKey } from './names.ts';
import { untilHolds, type Stage } from './scenarios/stage.ts';

const namespaceKey = { namespace: '', name: namespace } as const;

const isOurs = ({ metadata }: KubeObject): boolean =>
  Object.entries(demoLabels).every(([name, value]) => metadata.labels?.[name] === value);

/** @returns the demo's objects outside of its namespace, and the namespace. @throws when a user has created one of these names */
async function findOurs(client: Client, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const found = await Promise.all([
    unlessDeleted<KubeObject>(client.get(namespaces, namespaceKey, { signal })),
    unlessDeleted<KubeObject>(client.get(sidecarSets, sidecarSetKey, { signal })),
  ]);
  const present = found.filter((object) => object !== undefined);
  const foreign = present.find((object) => !isOurs(object));
  if (foreign !== undefined)
    throw new Error(`the cluster has an object ${foreign.metadata.name} that the demo did not create: nothing was changed`);
  return present;
}

/** Removes what the demo, or an earlier run of it, created. Returns before the namespace has ended. */
export async function cleanUp(client: Client, signal: AbortSignal): Promise<void> {
  if ((await findOurs(client, signal)).length === 0) return;
  await unlessDeleted(client.delete(sidecarSets, sidecarSetKey, { signal }));
  // Before the namespace: it would refuse the deletion of the namespace's Pods.
  await unlessDeleted(client.delete(podUnavailableBudgets, budgetKey, { signal }));
  await unlessDeleted(client.delete(namespaces, namespaceKey, { signal }));
}

/** @returns once the namespace exists and is empty. @throws when a user has created objects of the demo's names; nothing was changed then */
export async function prepareNamespace({ client, progress, signal }: Stage): Promise<void> {
  if ((await findOurs(client, signal)).length > 0) {
    progress.note('Removing what an earlier run created');
    await cleanUp(client, signal);
    await untilHolds({ signal }, 'nothing is left of the earlier run', async () => (await findOurs(client, signal)).length === 0);
  }
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: demoLabels } }, { signal });
}
