/** Writes with the project's own client: `writer-ours.ts KUBECONFIG NAMESPACE`. */
import { createClient, loadClusterConfig } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';
import { serveRounds } from './write-rounds.ts';

const [kubeconfig = '', namespace = ''] = process.argv.slice(2);
const client = createClient(loadClusterConfig({ path: kubeconfig }), { userAgent: 'kruise-bench' });
const made = new Map<string, Pod>();

await serveRounds('ours', namespace, {
  create: async ({ pod, key }) => made.set(key.name, await client.create(pods, pod)),
  patch: ({ key, patch }) => client.patch(pods, key, patch(), { type: 'merge' }),
  status: ({ key, status }) => client.updateStatus(pods, { ...(made.get(key.name) as Pod), metadata: key, status }),
  delete: ({ key }) => client.delete(pods, key, { gracePeriodSeconds: 0 }),
});
client.close();
