/**
 * A replica of OpenKruise's manager as far as its webhooks and their configurations go, by what is specified of it. It serves the paths of the
 * recorded chart, allows everything, adds the readiness gate to Pods, and ends without draining.
 * @see spec/manager.md 4.7, spec/helm-chart.md 4
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { mutatingConfigurationName, secretSource, validatingConfigurationName, type KeyMaterial } from '@kruise/admission';
import { SystemClock, type Client } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import {
  milliseconds,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import { recordedInstallation } from '@kruise/testing';
import type { Replica } from '../../apps/manager/src/int-tests/processes/webhook-balancer.testing.ts';

interface RecordedWebhook {
  readonly name: string;
  readonly path: string;
}
interface RecordedWebhooks {
  readonly chart: { readonly webhooks: Readonly<Record<'mutating' | 'validating', readonly RecordedWebhook[]>> };
}
interface Webhook {
  readonly clientConfig: { readonly caBundle?: string; readonly service?: { readonly path?: string } };
}
interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const { mutating, validating } = (recordedInstallation('webhooks') as RecordedWebhooks).chart.webhooks;
const servedPaths: ReadonlySet<string> = new Set([...mutating, ...validating].map(({ path }) => path));

const service = { namespace: 'kruise-system', name: 'kruise-webhook-service' };
const configurations: readonly (readonly [ResourceType<Configuration>, string])[] = [
  [mutatingWebhookConfigurations, mutatingConfigurationName],
  [validatingWebhookConfigurations, validatingConfigurationName],
];
/** About what a watch takes to show it a change. */
const pollMs = 50;
/** How long a server that ends keeps connections that have not sent a request. */
const unusedMs = 5000;

/**
 * Writes a chart with the recorded webhook configurations into a folder of `dir`.
 *
 * @param port of the Service
 * @returns the folder
 */
export function writeOriginalWebhooks(dir: string, port: number): string {
  const folder = join(dir, 'original');
  const configuration = (kind: string, name: string, webhooks: readonly RecordedWebhook[]): string =>
    JSON.stringify({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name, annotations: { template: '' } },
      webhooks: webhooks.map(({ path, ...webhook }) => ({ ...webhook, clientConfig: { service: { ...service, port, path } } })),
    });
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v1\nname: kruise\nversion: 1.8.3\n');
  writeFileSync(
    join(folder, 'templates/webhooks.yaml'),
    [
      configuration('MutatingWebhookConfiguration', mutatingConfigurationName, mutating),
      configuration('ValidatingWebhookConfiguration', validatingConfigurationName, validating),
    ].join('\n---\n'),
  );
  return folder;
}

/** The answer to a review: Pods get the readiness gate, unless they have one. */
function responseTo(path: string, { uid, object }: { readonly uid: string; readonly object: KubeObject }): object {
  if (path !== '/mutate-pod' || JSON.stringify(object).includes('"readinessGates"')) return { uid, allowed: true };
  const patch = [{ op: 'add', path: '/spec/readinessGates', value: [{ conditionType: 'KruisePodReady' }] }];
  return { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

/**
 * Returns what a replica writes: the template, or what is there, without the entries that it does not serve, and with the CA.
 *
 * @param paths that it serves; all if absent
 * @returns undefined when nothing differs
 */
export function wiredByOriginal(live: Configuration, caBundle: string, paths?: ReadonlySet<string>): Configuration | undefined {
  const text = live.metadata.annotations?.['template'] ?? '';
  const template = text === '' ? (live.webhooks ?? []) : (JSON.parse(text) as readonly Webhook[]);
  const webhooks = template
    .filter(({ clientConfig }) => paths?.has(clientConfig.service?.path ?? '') ?? true)
    .map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }));
  if (text !== '' && isDeepStrictEqual(webhooks, live.webhooks)) return undefined;
  const annotations = { ...live.metadata.annotations, template: JSON.stringify(template) };
  return { ...live, metadata: { ...live.metadata, annotations }, webhooks };
}

export class OriginalManager implements Replica {
  readonly #client: Client;
  readonly #server: Server;
  readonly #caBundle: string;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;

  private constructor(client: Client, server: Server, caBundle: string) {
    this.#client = client;
    this.#server = server;
    this.#caBundle = caBundle;
    this.#running = this.#run();
  }

  /** Starts a replica, which creates the certificates unless another has. */
  static async start(client: Client): Promise<OriginalManager> {
    const options = {
      host: `${service.name}.${service.namespace}.svc`,
      renewBefore: milliseconds(0),
      clock: new SystemClock(),
      logger: silentLogger(),
    };
    const source = secretSource(client, { namespace: service.namespace, name: 'kruise-webhook-certs' }, options);
    const { key, cert, caCert }: KeyMaterial = await source.ensure(AbortSignal.timeout(60_000));
    const server = createServer({ key, cert }, (request, response) => {
      // As Go's server does that shuts down: it closes each connection once it is idle.
      if (!server.listening) response.setHeader('connection', 'close');
      const path = new URL(request.url ?? '', 'https://localhost').pathname;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (!servedPaths.has(path)) {
          response.writeHead(404).end();
          return;
        }
        const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly request: { uid: string; object: KubeObject } };
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: responseTo(path, review.request) }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OriginalManager(client, server, Buffer.from(caCert).toString('base64'));
  }

  get ports(): { readonly webhook: number } {
    const address = this.#server.address() as AddressInfo | null;
    return { webhook: address?.port ?? 0 };
  }

  probe(): Promise<'Ready' | 'NotReady'> {
    return Promise.resolve(this.#server.listening ? 'Ready' : 'NotReady');
  }

  /** Ends the replica: no new connection is accepted from now on, and reviews under way are answered. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    // As Go's server does with connections that have not sent a request; every review is answered by then.
    const unused = setTimeout(() => this.#server.closeAllConnections(), unusedMs);
    await closed;
    clearTimeout(unused);
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      // Another replica may have written first; the next turn reads what it wrote.
      for (const [type, name] of configurations) await this.#wire(type, name).catch(() => undefined);
      await sleep(pollMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
  }

  async #wire(type: ResourceType<Configuration>, name: string): Promise<void> {
    const live = await this.#client.get(type, { namespace: '', name });
    const update = wiredByOriginal(live, this.#caBundle, servedPaths);
    if (update !== undefined) await this.#client.update(type, update);
  }
}
