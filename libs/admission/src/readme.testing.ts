/** The example of README.md. */
import type { Logger } from '@kruise/kube';
import { allowed, WebhookServer, type AdmissionHandler, type KeyPair, type WebhookMetrics } from './index.ts';

/** Sets a default owner of Namespaces, and refuses those that are owned by `root`. */
const ownerOfNamespaces: AdmissionHandler = {
  path: '/mutate-namespaces',
  decide: ({ operation, object }) => {
    if (operation === 'DELETE' || !object) return allowed;
    const { owner } = object.metadata.labels ?? {};
    if (owner === 'root') return { kind: 'Denied', message: 'root owns no namespaces' };
    if (owner !== undefined) return allowed;
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, owner: 'nobody' } };
    return { kind: 'Changed', object: { ...object, metadata } }; // sent as a JSON patch
  },
};

/** Returns a server for the webhook. It listens with `server.listen`, and `stop` answers the received requests. */
export const newWebhookServer = (keyPair: KeyPair, metrics: WebhookMetrics, logger: Logger): WebhookServer =>
  new WebhookServer({
    handlers: [ownerOfNamespaces],
    convert: (_object, version) => ({ kind: 'Failed', message: `nothing is converted to ${version}` }),
    keyPair,
    metrics,
    logger,
  });
