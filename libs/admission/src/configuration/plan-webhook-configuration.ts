/**
 * What a webhook configuration should look like: the installer's entries, kept in an annotation, less those without a handler, pointed at
 * this manager.
 * @see spec/manager.md 4.7
 */
import type { KubeObject } from '@kruise/objects';
import { urlOf, type ClientConfig, type WebhookTarget } from './webhook-target.ts';

/** The installer's list of webhooks as JSON; empty or absent means that the present list is what the installer wrote. */
export const templateAnnotation = 'template';

export interface Webhook {
  readonly name: string;
  readonly clientConfig?: ClientConfig;
  readonly [member: string]: unknown;
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

export interface Wiring {
  readonly target: WebhookTarget;
  /** Base64 of the CA's PEM. */
  readonly caBundle: string;
  /** Paths that have a handler. */
  readonly paths: ReadonlySet<string>;
}

export interface ConfigurationPlan {
  /** The object to write, or undefined when nothing differs. */
  readonly update?: WebhookConfiguration;
  /** Names of entries left out because nothing serves their path. */
  readonly ignored: readonly string[];
}

const pathOf = ({ url, service }: ClientConfig): string => {
  if (url === undefined) return service?.path ?? '/';
  return URL.canParse(url) ? new URL(url).pathname : '/';
};

function templateOf(configuration: WebhookConfiguration): { readonly text: string; readonly webhooks: readonly Webhook[] } {
  const text = configuration.metadata.annotations?.[templateAnnotation] ?? '';
  if (text !== '') {
    try {
      const webhooks = JSON.parse(text) as unknown;
      if (Array.isArray(webhooks)) return { text, webhooks: webhooks as readonly Webhook[] };
    } catch {
      // A template that someone broke: what is installed now is the best there is.
    }
  }
  const webhooks = configuration.webhooks ?? [];
  return { text: JSON.stringify(webhooks), webhooks };
}

function wire(webhook: Webhook, { target, caBundle }: Wiring): Webhook {
  const { service } = webhook.clientConfig ?? {};
  const path = pathOf(webhook.clientConfig ?? {});
  const clientConfig: ClientConfig =
    target.kind === 'Url'
      ? { caBundle, url: urlOf(target, path) }
      : { caBundle, service: { ...service, namespace: target.namespace, name: target.name, path } };
  return { ...webhook, clientConfig };
}

const byMember = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
const comparable = (webhooks: readonly Webhook[]): string => JSON.stringify(webhooks, byMember);

/** The API server fills in members that the template lacks; a live entry keeps those, so that defaults alone are no difference. */
function withLiveDefaults(wanted: Webhook, live: Webhook | undefined): Webhook {
  if (live === undefined) return wanted;
  const service = wanted.clientConfig?.service;
  const clientConfig =
    service === undefined
      ? wanted.clientConfig
      : {
          ...wanted.clientConfig,
          service: { ...(live.clientConfig?.service?.port === undefined ? {} : { port: live.clientConfig.service.port }), ...service },
        };
  return { ...live, ...wanted, ...(clientConfig === undefined ? {} : { clientConfig }) };
}

/** The webhooks as they should be, before the API server's defaults. */
export function wiredWebhooks(
  configuration: WebhookConfiguration,
  wiring: Wiring,
): { readonly webhooks: readonly Webhook[]; readonly ignored: readonly string[] } {
  const { webhooks } = templateOf(configuration);
  const served = (webhook: Webhook): boolean => wiring.paths.has(pathOf(webhook.clientConfig ?? {}));
  return {
    webhooks: webhooks.filter(served).map((webhook) => wire(webhook, wiring)),
    ignored: webhooks.filter((webhook) => !served(webhook)).map(({ name }) => name),
  };
}

/** Whether and how `configuration` has to be written. */
export function planWebhookConfiguration(configuration: WebhookConfiguration, wiring: Wiring): ConfigurationPlan {
  const { text } = templateOf(configuration);
  const { webhooks, ignored } = wiredWebhooks(configuration, wiring);
  const live = new Map((configuration.webhooks ?? []).map((webhook) => [webhook.name, webhook]));
  const wanted = webhooks.map((webhook) => withLiveDefaults(webhook, live.get(webhook.name)));
  const { annotations } = configuration.metadata;
  if (annotations?.[templateAnnotation] === text && comparable(wanted) === comparable(configuration.webhooks ?? [])) return { ignored };
  return {
    ignored,
    update: {
      ...configuration,
      metadata: { ...configuration.metadata, annotations: { ...annotations, [templateAnnotation]: text } },
      webhooks: wanted,
    },
  };
}

/**
 * With certificates from outside nothing is written: every entry that has a handler must already carry the outside authority's bundle.
 * @returns the faults, in words; empty when all is well
 */
export function checkWebhookConfiguration(
  configuration: WebhookConfiguration,
  { caBundle, paths }: Pick<Wiring, 'caBundle' | 'paths'>,
): readonly string[] {
  return (configuration.webhooks ?? [])
    .filter(({ clientConfig }) => paths.has(pathOf(clientConfig ?? {})) && clientConfig?.caBundle !== caBundle)
    .map(({ name }) => `caBundle of webhook ${name} in ${configuration.metadata.name} does not match the external caBundle`);
}
