/**
 * The environment of kruise-manager.
 * @see spec/manager.md 2.3
 */
import { defaultRenewBefore, parseRenewBefore } from '@kruise/admission';
import { defaultNamespaces, processEnv } from '@kruise/api';
import type { Milliseconds } from '@kruise/objects';

export interface Environment {
  readonly podNamespace: string;
  readonly daemonConfigNamespace: string;
  /** '' when the webhooks are reached through the Service. */
  readonly webhookHost: string;
  readonly webhookPort: number;
  readonly certDirectory: string;
  readonly certWriter: 'fs' | 'secret';
  readonly secretName: string;
  readonly serviceName: string;
  readonly renewBefore: Milliseconds;
  /** Default of the gate PodWebhook: off when CUSTOM_RESOURCE_ENABLE leaves SidecarSet out. */
  readonly podWebhookDefault: boolean;
}

export type ParsedEnvironment =
  | { readonly kind: 'Parsed'; readonly environment: Environment; readonly warnings: readonly string[] }
  | { readonly kind: 'Failed'; readonly message: string };

type Variables = Readonly<Record<string, string | undefined>>;

/** Elements are compared exactly, so that a blank behind a comma counts: only the list as a whole is trimmed. */
function podWebhookDefault(list: string): boolean {
  const trimmed = list.trim();
  return trimmed === '' || trimmed.split(',').includes('SidecarSet');
}

/** An empty variable counts as absent. */
export function parseEnvironment(variables: Variables): ParsedEnvironment {
  const text = (name: string, fallback: string): string => variables[name] || fallback;
  const port = text('WEBHOOK_PORT', '9876');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return { kind: 'Failed', message: `WEBHOOK_PORT must be a port number of 0 to 65535, not ${JSON.stringify(port)}` };
  const webhookHost = text('WEBHOOK_HOST', '');
  const writer = text('WEBHOOK_CERT_WRITER', webhookHost === '' ? 'secret' : 'fs');
  if (writer !== 'fs' && writer !== 'secret')
    return { kind: 'Failed', message: `WEBHOOK_CERT_WRITER must be fs or secret, not ${JSON.stringify(writer)}` };
  const renewText = text('CERTS_RENEW_BEFORE', '');
  const renewBefore = renewText === '' ? defaultRenewBefore : parseRenewBefore(renewText);
  return {
    kind: 'Parsed',
    warnings:
      renewBefore === undefined
        ? [`CERTS_RENEW_BEFORE must be a number above 0 followed by d, m or y, not ${JSON.stringify(renewText)}: using 180d`]
        : [],
    environment: {
      podNamespace: text(processEnv.podNamespace, defaultNamespaces.manager),
      daemonConfigNamespace: text(processEnv.daemonConfigNamespace, defaultNamespaces.daemonConfig),
      webhookHost,
      webhookPort: Number(port),
      certDirectory: text('WEBHOOK_CERT_DIR', '/tmp/kruise-webhook-certs'),
      certWriter: writer,
      secretName: text('SECRET_NAME', 'kruise-webhook-certs'),
      serviceName: text('SERVICE_NAME', 'kruise-webhook-service'),
      renewBefore: renewBefore ?? defaultRenewBefore,
      podWebhookDefault: podWebhookDefault(text('CUSTOM_RESOURCE_ENABLE', '')),
    },
  };
}
