/** The peer: the informer of @kubernetes/client-node. Run with --expose-gc. */
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { measureInformer } from './measure-informer.ts';

await measureInformer(async (kubeconfig, changed) => {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  let held = 0;
  informer.on('add', () => void held++);
  informer.on('update', changed);
  informer.on('error', (error: unknown) => {
    throw error;
  });
  await informer.start();
  return held;
});
process.exit(0);
