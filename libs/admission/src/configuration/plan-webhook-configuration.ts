/**
 * Computes a webhook configuration: the installer's entries, kept in an annotation, without those that have no handler, pointed at this manager, and
 * narrowed to what is needed. Narrowed entries never get into the template, so any other manager that starts from it has the installer's rules.
 * @see spec/manager.md 4.7
 */
import { parseJsonText } from '@kruise/objects';
import type { Webhook, WebhookConfiguration } from '../webhook-configuration.ts';
import { isNarrowed, narrowedOf, narrowWebhook, partsOf, withoutNarrowing } from '../narrowing/narrow-webhook.ts';
import { needsAheadAnnotation, notedNeeds, type NeedAhead, type NeedsAhead } from '../narrowing/needs-ahead.ts';
import type { Narrowing } from '../narrowing/request-need.ts';
import { urlOf, type ClientConfig, type WebhookTarget } from '../webhook-target.ts';

/** The installer's list of webhooks as JSON. Empty or absent means that the present list is what the installer wrote. */
const templateAnnotation = 'template';

export interface Wiring {
  readonly target: WebhookTarget;
  /** Base64 of the CA's PEM. */
  readonly caBundle: string;
  /** Another bundle that is kept where it is found: the same and an authority that retires. */
  readonly toleratedBundle?: string;
  /** Paths that have a handler. */
  readonly paths: ReadonlySet<string>;
  /** The needs; `AsItIs` while they are unknown; absent for the installer's rules. */
  readonly narrowing?: Narrowing | 'AsItIs';
  /** Needs of objects that are about to be written. */
  readonly ahead?: readonly NeedAhead[];
  /** Milliseconds since the epoch; needed with `narrowing`. */
  readonly nowMs?: number;
}

export interface ConfigurationPlan {
  /** The object to write, or undefined when nothing differs. */
  readonly update?: WebhookConfiguration;
  /** When the configuration has to be checked again, in milliseconds since the epoch. */
  readonly requeueAtMs?: number;
  /** Names of entries that are omitted because no handler serves their path. */
  readonly ignored: readonly string[];
}

const pathOf = ({ url, service }: ClientConfig): string => {
  if (url === undefined) return service?.path ?? '/';
  return URL.canParse(url) ? new URL(url).pathname : '/';
};

/** Returns the template without narrowed entries: a manager without narrowing may have taken those as what the installer wrote. */
function cleaned(text: string, webhooks: readonly Webhook[]): { readonly text: string; readonly webhooks: readonly Webhook[] } {
  if (!isNarrowed(webhooks)) return { text, webhooks };
  const whole = withoutNarrowing(webhooks);
  return { text: JSON.stringify(whole), webhooks: whole };
}

function templateOf(configuration: WebhookConfiguration): { readonly text: string; readonly webhooks: readonly Webhook[] } {
  const text = configuration.metadata.annotations?.[templateAnnotation] ?? '';
  try {
    const webhooks = parseJsonText(text);
    if (Array.isArray(webhooks)) return cleaned(text, webhooks as readonly Webhook[]);
  } catch {
    // Empty or malformed: what is installed now is the best available.
  }
  const webhooks = withoutNarrowing(configuration.webhooks ?? []);
  return { text: JSON.stringify(webhooks), webhooks };
}

interface WiredWebhook extends Webhook {
  readonly clientConfig: ClientConfig;
}

function wire(webhook: Webhook, live: Webhook | undefined, { target, caBundle: wanted, toleratedBundle }: Wiring): WiredWebhook {
  const { service } = webhook.clientConfig ?? {};
  const path = pathOf(webhook.clientConfig ?? {});
  const present = live?.clientConfig?.caBundle;
  const caBundle = present !== undefined && present === toleratedBundle ? present : wanted;
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

/**
 * Returns the entry with the defaults of the live one. The API server fills in fields that the template lacks, so that defaults alone are no
 * difference.
 */
function withLiveDefaults(wanted: WiredWebhook, live: Webhook | undefined): Webhook {
  if (live === undefined) return wanted;
  const { service } = wanted.clientConfig;
  const clientConfig =
    service === undefined
      ? wanted.clientConfig
      : {
          ...wanted.clientConfig,
          service: { ...(live.clientConfig?.service?.port === undefined ? {} : { port: live.clientConfig.service.port }), ...service },
        };
  // Not a default: an unwanted condition must be removed.
  const { matchConditions: _conditions, ...defaults } = live;
  return { ...defaults, ...wanted, clientConfig };
}

/** Returns the fields in which a part may differ from what the installer wrote. */
const narrowedMembersOf = (part: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    ['namespaceSelector', 'matchConditions', 'failurePolicy', 'timeoutSeconds']
      .filter((member) => part[member] !== undefined)
      .map((member) => [member, part[member]]),
  );

/**
 * Returns whether webhooks that are narrowed in `configuration` are narrowed equally in `wanted`. Otherwise they may cover less than is wanted. True
 * when there are none.
 *
 * @param wanted an update of the same configuration
 */
export function isNarrowedAsIn(configuration: WebhookConfiguration, wanted: WebhookConfiguration): boolean {
  const scopeOf = ({ name, ...members }: Webhook): string => JSON.stringify([name, narrowedMembersOf(members)], byMember);
  const scopes = new Set(narrowedOf(wanted.webhooks ?? []).map(scopeOf));
  const live = narrowedOf(configuration.webhooks ?? []);
  return live.length === 0 || (live.length === scopes.size && live.every((webhook) => scopes.has(scopeOf(webhook))));
}

/** Returns the webhook as it is narrowed now, for whatever needs. */
function asNarrowedNow(webhook: Webhook, configuration: WebhookConfiguration): readonly Webhook[] {
  const live = partsOf(webhook.name, configuration.webhooks ?? []);
  if (live.length === 0) return [webhook];
  return live.map(({ name, ...members }) => ({ ...webhook, name, ...narrowedMembersOf(members) }));
}

function narrowed(
  webhook: Webhook,
  configuration: WebhookConfiguration,
  narrowing: Wiring['narrowing'],
  ahead: NeedsAhead,
): readonly Webhook[] {
  const expected = ahead.needs.filter((one) => one.webhook === webhook.name).map(({ need }) => need);
  if (narrowing === 'AsItIs') return expected.length > 0 ? [webhook] : asNarrowedNow(webhook, configuration);
  const own = narrowing !== undefined && Object.hasOwn(narrowing, webhook.name) ? narrowing[webhook.name] : undefined;
  if (own === undefined) return [webhook];
  return narrowWebhook(webhook, { ...own, needs: [...own.needs, ...expected] });
}

/** Returns whether and how `configuration` has to be written. */
export function planWebhookConfiguration(configuration: WebhookConfiguration, wiring: Wiring): ConfigurationPlan {
  const { text, webhooks: template } = templateOf(configuration);
  const {
    [templateAnnotation]: presentText,
    [needsAheadAnnotation]: presentAhead,
    ...annotations
  } = configuration.metadata.annotations ?? {};
  const { narrowing, nowMs = 0 } = wiring;
  const added = (wiring.ahead ?? []).filter(({ webhook }) => template.some(({ name }) => name === webhook));
  const ahead = notedNeeds(narrowing === undefined ? undefined : presentAhead, added, nowMs);
  const served = (webhook: Webhook): boolean => wiring.paths.has(pathOf(webhook.clientConfig ?? {}));
  const ignored = template.filter((webhook) => !served(webhook)).map(({ name }) => name);
  const live = new Map((configuration.webhooks ?? []).map((webhook) => [webhook.name, webhook]));
  const wanted = template
    .filter(served)
    .flatMap((webhook) => narrowed(webhook, configuration, narrowing, ahead))
    .map((webhook) => withLiveDefaults(wire(webhook, live.get(webhook.name), wiring), live.get(webhook.name)));
  const requeue = ahead.endsAtMs === undefined ? {} : { requeueAtMs: ahead.endsAtMs };
  const isSame = presentText === text && presentAhead === ahead.text && comparable(wanted) === comparable(configuration.webhooks ?? []);
  if (isSame) return { ignored, ...requeue };
  const noted = ahead.text === undefined ? {} : { [needsAheadAnnotation]: ahead.text };
  return {
    ignored,
    ...requeue,
    update: {
      ...configuration,
      metadata: { ...configuration.metadata, annotations: { ...annotations, [templateAnnotation]: text, ...noted } },
      webhooks: wanted,
    },
  };
}

/**
 * Checks a configuration with certificates from outside, where nothing is written: every entry that has a handler must already contain the outside
 * authority's bundle.
 * @returns the faults, in words; empty when there are none
 */
export function checkWebhookConfiguration(
  configuration: WebhookConfiguration,
  { caBundle, paths }: Pick<Wiring, 'caBundle' | 'paths'>,
): readonly string[] {
  return (configuration.webhooks ?? [])
    .filter(({ clientConfig }) => paths.has(pathOf(clientConfig ?? {})) && clientConfig?.caBundle !== caBundle)
    .map(({ name }) => `caBundle of webhook ${name} in ${configuration.metadata.name} does not match the external caBundle`);
}
