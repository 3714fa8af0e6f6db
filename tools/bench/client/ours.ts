/** Writes with the project's own client: `ours.ts KUBECONFIG NAMESPACE`. */
import { createClient, loadClusterConfig } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';
import { patchOf, podToWrite } from './pod-to-write.ts';
import { serveOrders } from './write-rounds.ts';

const [kubeconfig = '', namespace = ''] = process.argv.slice(2);
const client = createClient(loadClusterConfig({ path: kubeconfig }), { userAgent: 'kruise-bench' });
const made = new Map<number, Pod>();
const name = (at: number): string => podToWrite(at, namespace, 'ours').name;

await serveOrders({
  create: async (at) => made.set(at, await client.create(pods, podToWrite(at, namespace, 'ours').pod)),
  patch: (at) => client.patch(pods, { namespace, name: name(at) }, patchOf(at), { type: 'merge' }),
  status: (at) =>
    client.updateStatus(pods, {
      ...(made.get(at) as Pod),
      metadata: { name: name(at), namespace },
      status: podToWrite(at, namespace, 'ours').status,
    }),
  delete: (at) => client.delete(pods, { namespace, name: name(at) }, { gracePeriodSeconds: 0 }),
});
client.close();
