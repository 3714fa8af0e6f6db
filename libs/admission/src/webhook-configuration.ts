/** The fields of a webhook configuration that are read and changed here. */
import type { KubeObject } from '@kruise/objects';
import type { ClientConfig } from './webhook-target.ts';

export interface Webhook {
  readonly name: string;
  readonly clientConfig?: ClientConfig;
  readonly [member: string]: unknown;
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}
