/** The address at which the API server reaches the webhooks: through a Service, or at a URL when the manager runs outside the cluster. */
export type WebhookTarget =
  | { readonly kind: 'Service'; readonly namespace: string; readonly name: string }
  /** `host` is a name or an IPv4 address. */
  | { readonly kind: 'Url'; readonly host: string; readonly port: number };

/** `clientConfig` for one path; `caBundle` is base64 of the CA's PEM. */
export interface ClientConfig {
  readonly caBundle?: string;
  readonly url?: string;
  readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number; readonly path?: string };
}

export const urlOf = (target: Extract<WebhookTarget, { kind: 'Url' }>, path: string): string =>
  `https://${target.host}:${target.port}${path}`;
