/** Our store of all pods. Run with --expose-gc --max-semi-space-size=4. */
import { createClient, Informers, loadClusterConfig, SystemClock, type Logger } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { measureInformer } from './measure-informer.ts';

/** Failures are part of the result. */
const say = (fields: object, message: string): void => console.error(message, fields);
const logger: Logger = { error: say, warn: say, info: say, debug: () => undefined, child: () => logger };

await measureInformer(async (kubeconfig, changed) => {
  const client = createClient(loadClusterConfig({ path: kubeconfig }), { userAgent: 'kruise-bench' });
  const informers = new Informers({ client, clock: new SystemClock(), logger });
  const store = informers.store(pods);
  const { signal } = new AbortController();
  void informers.run(signal);
  await informers.waitForSync(signal);
  store.subscribe(({ kind }) => kind === 'Updated' && changed(), { replay: false });
  return store.size;
});
process.exit(0);
