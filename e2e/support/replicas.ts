/** The replicas of the manager one by one: the API server asks any of them, and what one has seen another may not have seen yet. */
import { urlPath } from '@kruise/kube';
import type { Client } from '@kruise/kube';
import { isPodReady, pods, type Pod } from '@kruise/objects';

const system = 'kruise-system';
const webhookPort = 9876;

interface Review {
  readonly response?: { readonly patch?: string };
}

async function readyReplicas(client: Client): Promise<readonly Pod[]> {
  const { items } = await client.list(pods, { namespace: system, labelSelector: 'control-plane=controller-manager' });
  return items.filter((pod) => pod.metadata.deletionTimestamp === undefined && isPodReady(pod));
}

/**
 * Asks every ready replica what it would do to a new Pod, which is not created.
 *
 * @param holds of the JSON patch as text, which is empty where a replica would change nothing
 * @returns whether it holds for all of them; false while there is none
 */
export async function everyReplicaWould(client: Client, pod: Pod, holds: (patch: string) => boolean): Promise<boolean> {
  const { name, namespace } = pod.metadata;
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const request = {
    uid: 'e2e',
    kind,
    resource,
    name,
    namespace,
    operation: 'CREATE',
    dryRun: true,
    userInfo: { username: 'e2e' },
    object: pod,
  };
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const ask = async ({ metadata }: Pod): Promise<string> => {
    const path = urlPath`/api/v1/namespaces/${system}/pods/https:${metadata.name}:${String(webhookPort)}/proxy/mutate-pod`;
    const { response } = (await client.raw(path, { method: 'POST', body })) as Review;
    return Buffer.from(response?.patch ?? '', 'base64').toString();
  };
  const patches = await Promise.all((await readyReplicas(client)).map(ask));
  return patches.length > 0 && patches.every(holds);
}
