/** Pods bound to no node: only this program writes their status, and a deletion removes them at once. */
import { podUnavailableBudgetAnnotations, podUnavailableBudgets } from '@kruise/api';
import { inParallel, isFailure, type Client } from '@kruise/kube';
import { pods as podType, type ObjectKey, type Pod } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { builtIn, cloneSet, workload } from './workloads.ts';

const replicaSets = builtIn('ReplicaSet');
const parallelCreations = 32;

const underBudget = (name: string): Readonly<Record<string, string>> => ({
  [podUnavailableBudgetAnnotations.relatedPub]: name,
  [podUnavailableBudgetAnnotations.legacyRelatedPub]: name,
});

export async function setReady(client: Client, key: ObjectKey, status: 'True' | 'False'): Promise<void> {
  const readiness = { status: { phase: 'Running', conditions: [{ type: 'Ready', status }] } };
  await client.patch(podType, key, readiness, { type: 'strategic', subresource: 'status' });
}

/** Creates ready Pods of an app. @returns their keys */
export async function createReadyPods(
  client: Client,
  { namespace, name: app }: ObjectKey,
  count: number,
  more: Pick<Pod['metadata'], 'annotations' | 'ownerReferences'> = {},
): Promise<readonly ObjectKey[]> {
  const spec = { ...cloneSet(1).spec.template.spec, schedulerName: 'nobody' };
  const keys = Array.from({ length: count }, (_, at) => ({ namespace, name: `${app}-${at}` }));
  await inParallel(keys, parallelCreations, async (key) => {
    await client.create(podType, { metadata: { ...key, labels: { app }, ...more }, spec } as unknown as Pod);
    await setReady(client, key, 'True');
  });
  return keys;
}

/** Creates a workload, its Pods, and the budget for them. @returns the keys of the Pods, once the budget counts all of them */
export async function createPodsWithBudget(client: Client, app: ObjectKey, count: number): Promise<readonly ObjectKey[]> {
  const { name } = app;
  const { metadata } = await client.create(replicaSets, { ...workload(replicaSets, name, { replicas: count }), metadata: app });
  const budget = { selector: { matchLabels: { app: name } }, maxUnavailable: '80%' };
  await client.create(podUnavailableBudgets, { metadata: app, spec: budget });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: metadata.uid ?? '', controller: true };
  const keys = await createReadyPods(client, app, count, { annotations: underBudget(name), ownerReferences: [owner] });
  await eventually(async () => {
    const { status } = await client.get(podUnavailableBudgets, app);
    return status?.currentAvailable === count && status.totalReplicas === count;
  });
  return keys;
}

/** @returns whether it was allowed; it is refused if no replica can charge the budget in time */
export async function evict(client: Client, key: ObjectKey, options: { readonly dryRun?: boolean } = {}): Promise<boolean> {
  try {
    await client.evict(key, { gracePeriodSeconds: 0, ...options });
    return true;
  } catch (error) {
    if (isFailure(error, 'TooManyRequests')) return false;
    throw error;
  }
}

/** Until the API server calls the webhook for evictions in this namespace, which is when one that may not happen is refused. */
export async function untilGuarded(client: Client, namespace: string): Promise<void> {
  const key = { namespace, name: 'guard' };
  const budget = { selector: { matchLabels: { app: key.name } }, minAvailable: 1, protectTotalReplicas: 1 };
  await client.create(podUnavailableBudgets, { metadata: key, spec: budget });
  const [pod = key] = await createReadyPods(client, key, 1, { annotations: underBudget(key.name) });
  await eventually(async () => !(await evict(client, pod, { dryRun: true })));
}
