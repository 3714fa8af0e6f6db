/** The example of README.md. */
import { formatKey, namespaces, type ObjectKey } from '@kruise/objects';
import {
  afterFailure,
  CachingClient,
  ControllerRunner,
  enqueueSelf,
  Informers,
  settled,
  watchInformer,
  type Client,
  type Clock,
  type Logger,
  type Outcome,
} from './index.ts';

/** Labels each namespace without an owner with `owner: nobody`, until `stop` aborts. */
export async function runNamespaceLabeller(server: Client, tools: { clock: Clock; logger: Logger }, stop: AbortSignal): Promise<void> {
  const informers = new Informers({ client: server, ...tools });
  const client = new CachingClient(server, informers);
  const informer = informers.informer(namespaces);

  async function reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const namespace = informer.store.get(key);
    if (namespace === undefined || namespace.metadata.labels?.['owner'] !== undefined) return settled;
    try {
      // The answer is in the store before the next pass, so no pass decides on a state older than this write.
      await client.patch(namespaces, key, { metadata: { labels: { owner: 'nobody' } } }, { type: 'merge', signal });
      tools.logger.info({ namespace: formatKey(key) }, 'Labelled a Namespace');
      return settled;
    } catch (error) {
      return afterFailure(error); // retries soon after a conflict, otherwise with backoff
    }
  }

  const watches = [watchInformer(informer, enqueueSelf)];
  const runner = new ControllerRunner({ name: 'namespace-labeller', workers: 2, watches, reconcile }, tools);
  await Promise.all([informers.run(stop), runner.run(stop)]);
}
