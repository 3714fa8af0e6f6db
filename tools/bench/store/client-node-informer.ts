/** The peer: the informer of @kubernetes/client-node. Run with --expose-gc. */
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { Measurement, parameters } from './measure.ts';

const { kubeconfig, objects, events } = parameters();
const measurement = new Measurement(events);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
let [held, filled] = [0, false];
informer.on('add', () => void held++);
informer.on('update', () => filled && measurement.event());
informer.on('error', (error: unknown) => {
  throw error;
});
await informer.start();
if (held !== objects) throw new Error(`${held} of ${objects} pods`);
measurement.filled(held);
filled = true;
await measurement.done.promise;
await informer.stop();
process.exit(0);
