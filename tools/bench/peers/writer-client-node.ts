/** The same writes with @kubernetes/client-node: `writer-client-node.ts KUBECONFIG NAMESPACE`. */
import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions, type V1Pod } from '@kubernetes/client-node';
import { serveRounds } from './write-rounds.ts';

const [kubeconfig = '', namespace = ''] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const made = new Map<string, V1Pod>();
const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

await serveRounds('peer', namespace, {
  create: async ({ pod, key }) => made.set(key.name, await api.createNamespacedPod({ namespace, body: pod as unknown as V1Pod })),
  patch: ({ key, patch }) => api.patchNamespacedPod({ ...key, body: patch() }, asMergePatch),
  status: ({ key, status }) =>
    api.replaceNamespacedPodStatus({ ...key, body: { ...made.get(key.name), metadata: key, status } as unknown as V1Pod }),
  delete: ({ key }) => api.deleteNamespacedPod({ ...key, gracePeriodSeconds: 0 }),
});
