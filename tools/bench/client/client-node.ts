/** The same writes with @kubernetes/client-node: `client-node.ts KUBECONFIG NAMESPACE`. */
import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions, type V1Pod } from '@kubernetes/client-node';
import { patchOf, podToWrite } from './pod-to-write.ts';
import { serveOrders } from './write-rounds.ts';

const [kubeconfig = '', namespace = ''] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const made = new Map<number, V1Pod>();
const name = (at: number): string => podToWrite(at, namespace, 'peer').name;
const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

await serveOrders({
  create: async (at) =>
    made.set(at, await api.createNamespacedPod({ namespace, body: podToWrite(at, namespace, 'peer').pod as unknown as V1Pod })),
  patch: (at) => api.patchNamespacedPod({ namespace, name: name(at), body: patchOf(at) }, asMergePatch),
  status: (at) =>
    api.replaceNamespacedPodStatus({
      namespace,
      name: name(at),
      body: {
        ...made.get(at),
        metadata: { name: name(at), namespace },
        status: podToWrite(at, namespace, 'peer').status,
      } as unknown as V1Pod,
    }),
  delete: (at) => api.deleteNamespacedPod({ namespace, name: name(at), gracePeriodSeconds: 0 }),
});
