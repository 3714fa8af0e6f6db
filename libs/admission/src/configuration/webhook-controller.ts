/**
 * Keeps certificates, webhook configurations and CRD conversion in step, on every replica, with or without leadership.
 *
 * One sync: (a) obtain certificates, (b) write the files and tell the server, (c) webhook configurations, (d) CRD conversion,
 * (e) the first success marks the manager as initialised. It runs at start, when the Secret, a configuration or one of our CRDs
 * changes, a minute after each success, and with backoff after a failure. All steps are idempotent and may run in several replicas.
 * @see spec/manager.md 4.6 to 4.8
 */
import { isFailure, type Client, type Clock, type Logger } from '@kruise/kube';
import {
  customResourceDefinitions,
  milliseconds,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type KubeObject,
  type Milliseconds,
  type ObjectKey,
  type ResourceType,
} from '@kruise/objects';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import type { KeyMaterial } from '../certificates/key-material.ts';
import { checkCrdConversion, planCrdConversion, type CustomResourceDefinition, type IsConvertible } from './plan-crd-conversion.ts';
import { checkWebhookConfiguration, planWebhookConfiguration, type WebhookConfiguration } from './plan-webhook-configuration.ts';
import type { WebhookTarget } from './webhook-target.ts';

export const mutatingConfigurationName = 'kruise-mutating-webhook-configuration';
export const validatingConfigurationName = 'kruise-validating-webhook-configuration';

export interface WebhookControllerOptions {
  readonly client: Client;
  readonly source: CertificateSource;
  /** Certificates come from outside: check, write nothing. */
  readonly external: boolean;
  readonly target: WebhookTarget;
  /** Paths that have a handler. */
  readonly paths: ReadonlySet<string>;
  /** Names of the CRDs that may need conversion wiring. */
  readonly crdNames: readonly string[];
  readonly isConvertible: IsConvertible;
  /** Step (b): write the files, give the server the key pair. */
  readonly install: (material: KeyMaterial) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const betweenSyncs = milliseconds(60_000);
const firstBackoff = milliseconds(50);
const longestBackoff = milliseconds(30_000);

export class WebhookController {
  readonly #options: WebhookControllerOptions;
  #initialised = false;
  #lastError: Error | undefined;
  #wake: (() => void) | undefined;
  #woken = false;
  readonly #waiters: (() => void)[] = [];

  constructor(options: WebhookControllerOptions) {
    this.#options = options;
  }

  /** Whether one sync has succeeded since the start. */
  get initialised(): boolean {
    return this.#initialised;
  }

  /** Why the last sync failed; undefined after a success. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Something that a sync reads or writes has changed. */
  trigger(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Resolves at the first success; rejects with the last failure when `signal` aborts before. */
  waitForInitialisation(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#initialised) return resolve();
      this.#waiters.push(resolve);
      signal.addEventListener('abort', () => reject(this.#lastError ?? new Error('no sync has finished')), { once: true });
    });
  }

  /** Syncs until `signal` aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      this.#woken = false;
      const failure = await this.#attempt(signal);
      failures = failure === undefined ? 0 : failures + 1;
      const backoff = Math.min(firstBackoff * 2 ** Math.min(failures, 12), longestBackoff);
      await this.#pause(failures === 0 ? betweenSyncs : milliseconds(backoff), signal);
    }
  }

  async #attempt(signal: AbortSignal): Promise<Error | undefined> {
    try {
      await this.#sync(signal);
      this.#lastError = undefined;
      this.#initialised = true;
      for (const waiter of this.#waiters.splice(0)) waiter();
      return undefined;
    } catch (error) {
      this.#lastError = error instanceof Error ? error : new Error(String(error));
      if (!signal.aborted) this.#report(this.#lastError);
      return this.#lastError;
    }
  }

  /** Another replica was faster: that is how it should be, and the next try finds its work done. */
  #report(error: Error): void {
    if (isFailure(error, 'Conflict', 'AlreadyExists')) this.#options.logger.debug({ error }, 'Another replica synced the webhooks first');
    else this.#options.logger.error({ error }, 'Failed to sync webhook configuration and certificates');
  }

  async #pause(length: Milliseconds, signal: AbortSignal): Promise<void> {
    if (this.#woken || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.schedule(length, resolve);
      const wake = (): void => {
        timer.cancel();
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
    this.#wake = undefined;
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { source, install, external } = this.#options;
    const material = await source.ensure(signal);
    await install(material);
    const caBundle = Buffer.from(material.caCert).toString('base64');
    const [mutating, validating, definitions] = await Promise.all([
      this.#read(mutatingWebhookConfigurations, { namespace: '', name: mutatingConfigurationName }, signal),
      this.#read(validatingWebhookConfigurations, { namespace: '', name: validatingConfigurationName }, signal),
      this.#ourCrds(signal),
    ]);
    if (external) this.#check([mutating, validating], definitions, caBundle);
    else await this.#write({ mutating, validating, definitions, caBundle }, signal);
  }

  #read(type: ResourceType, key: ObjectKey, signal: AbortSignal): Promise<KubeObject> {
    return this.#options.client.get(type, key, { signal });
  }

  /** Ours by name: a list would carry every CRD of the cluster. One that is not installed is left out. */
  async #ourCrds(signal: AbortSignal): Promise<readonly CustomResourceDefinition[]> {
    const reads = this.#options.crdNames.map(async (name) => {
      try {
        return [(await this.#read(customResourceDefinitions, { namespace: '', name }, signal)) as CustomResourceDefinition];
      } catch (error) {
        if (isFailure(error, 'NotFound')) return [];
        throw error;
      }
    });
    return (await Promise.all(reads)).flat();
  }

  #check(configurations: readonly WebhookConfiguration[], definitions: readonly CustomResourceDefinition[], caBundle: string): void {
    const { paths, isConvertible } = this.#options;
    const faults = [
      ...configurations.flatMap((configuration) => checkWebhookConfiguration(configuration, { caBundle, paths })),
      ...definitions.flatMap((crd) => checkCrdConversion(crd, caBundle, isConvertible) ?? []),
    ];
    if (faults.length > 0) throw new Error(faults.join('; '));
  }

  async #write(
    seen: {
      readonly mutating: KubeObject;
      readonly validating: KubeObject;
      readonly definitions: readonly CustomResourceDefinition[];
      readonly caBundle: string;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, target, paths, isConvertible, logger } = this.#options;
    const configurations = [
      [mutatingWebhookConfigurations, seen.mutating],
      [validatingWebhookConfigurations, seen.validating],
    ] as const;
    const writes = configurations.map(async ([type, configuration]) => {
      const { update, ignored } = planWebhookConfiguration(configuration, { target, caBundle: seen.caBundle, paths });
      if (update === undefined) return;
      if (ignored.length > 0)
        logger.info({ configuration: configuration.metadata.name, webhooks: ignored }, 'Ignore webhook in configuration');
      await client.update(type, update, { signal });
    });
    const conversions = seen.definitions.map(async (crd) => {
      const update = planCrdConversion(crd, target, seen.caBundle, isConvertible);
      if (update !== undefined) await client.update(customResourceDefinitions, update, { signal });
    });
    await Promise.all([...writes, ...conversions]);
  }
}
