/**
 * Makes the webhooks reachable, on every replica: certificates, configurations, CRD conversion, the server's thread.
 * @see spec/manager.md 4.6 to 4.8
 */
import { hostname } from 'node:os';
import {
  externalSource,
  fileSource,
  mutatingConfigurationName,
  secretSource,
  validatingConfigurationName,
  watchAuthorities,
  watchForChanges,
  WebhookController,
  writeCertificateFiles,
  type CertificateSource,
  type KeyMaterial,
  type WebhookTarget,
} from '@kruise/admission';
import { allKinds, converters, crdName, groups, userAgents } from '@kruise/api';
import { EventSink, type Client, type Clock, type ClusterConfig, type EventRecorder, type Logger } from '@kruise/kube';
import {
  customResourceDefinitions,
  minorVersionOf,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
  type KubeObject,
  type Secret,
} from '@kruise/objects';
import type { ProcessMetrics } from '../metrics/process-metrics.ts';
import type { Options } from '../options/options.ts';
import { isAmong, type InstalledKinds } from '../process/discovery.ts';
import { checkWebhookServer } from '../process/self-check.ts';
import type { KindModule } from '../module/kind-module.ts';
import { handlerPaths } from './handlers.ts';
import { WebhookHost } from './webhook-host.ts';

export interface WiringParts {
  readonly modules: readonly KindModule[];
  readonly options: Options;
  /** For the clients of the webhook thread. */
  readonly cluster: ClusterConfig;
  readonly client: Client;
  readonly eventClient: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ProcessMetrics;
  readonly installedKinds: InstalledKinds;
  /** Called when a CRD of ours may have changed. */
  readonly onCrd: () => void;
  /** e.g. `v1.34.4`. */
  readonly gitVersion: string;
  /** Content of `--webhook-client-ca-file` at the start; absent without that flag. */
  readonly clientAuthorities?: string;
}

/** Conditions of webhooks are served by default, and cannot be switched off, from this version on. */
const firstMinorWithConditions = 30;
/** Two thirds of the timeout that the chart sets for a webhook. */
const widenTimeoutMs = 20_000;

function canNarrow({ options, gitVersion, logger }: WiringParts): boolean {
  if (!options.gates.PodWebhookNarrowing) return false;
  // An unknown version counts as the oldest one.
  if ((minorVersionOf(gitVersion) ?? 0) >= firstMinorWithConditions) return true;
  logger.warn({ gitVersion }, 'Not narrowing the Pod webhooks: this API server does not support match conditions');
  return false;
}

/** Group and kind as `converters` keys them. */
const isConvertible = (group: string, kind: string): boolean => converters.has(`${group}/${kind}`);

function sourceFor({ options, client, clock, logger, metrics }: WiringParts, recorder: EventRecorder): CertificateSource {
  const { environment, gates } = options;
  const key = { namespace: environment.podNamespace, name: environment.secretName };
  const onUnusable = (secret: Secret, why: string): void => {
    metrics.certificateRead(true);
    recorder.event({ ...secret, apiVersion: 'v1', kind: 'Secret' }, 'Warning', 'WebhookCertificateUnusable', why);
  };
  if (gates.EnableExternalCerts) return externalSource(client, key, { logger, onUnusable });
  const host = environment.webhookHost === '' ? `${environment.serviceName}.${environment.podNamespace}.svc` : environment.webhookHost;
  const shared = { host, renewBefore: environment.renewBefore, clock, logger };
  return environment.certWriter === 'fs' ? fileSource(environment.certDirectory, shared) : secretSource(client, key, shared);
}

const targetFor = ({ environment }: Options): WebhookTarget =>
  environment.webhookHost === ''
    ? { kind: 'Service', namespace: environment.podNamespace, name: environment.serviceName }
    : { kind: 'Url', host: environment.webhookHost, port: environment.webhookPort };

export class WebhookWiring {
  readonly host: WebhookHost;
  readonly controller: WebhookController;
  readonly #parts: WiringParts;
  /** Grows while the manager runs, with the kinds that are installed. */
  readonly #paths: Set<string>;
  readonly #events: EventSink;
  #caCert: string | undefined;

  constructor(parts: WiringParts) {
    const { options, client, clock, logger, installedKinds } = parts;
    const { flags, gates, environment } = options;
    this.#parts = parts;
    this.#events = new EventSink({ client: parts.eventClient, clock, logger, host: hostname() });
    const { podNamespace, webhookPort } = environment;
    this.host = new WebhookHost(
      {
        port: webhookPort,
        cluster: parts.cluster,
        flags,
        gates,
        podNamespace,
        installedKinds,
        kubernetes: minorVersionOf(parts.gitVersion) ?? Infinity,
        ...(parts.clientAuthorities === undefined ? {} : { clientAuthorities: parts.clientAuthorities }),
      },
      logger,
    );
    this.#paths = new Set(this.#pathsOf(installedKinds));
    this.controller = new WebhookController({
      client,
      clock,
      logger,
      source: sourceFor(parts, this.#events.recorder('webhook-controller')),
      external: gates.EnableExternalCerts,
      fieldManager: userAgents.manager,
      target: targetFor(options),
      paths: this.#paths,
      crdNames: allKinds.filter(({ group, kind }) => isConvertible(group, kind)).map(crdName),
      isConvertible,
      narrows: canNarrow(parts),
      install: (material) => this.#install(material),
    });
    this.host.onEnded = () => this.controller.trigger();
    this.host.onNeeds = (narrowing) => this.controller.narrowTo(narrowing);
    this.host.onWiden = (needs) => this.controller.widen(needs, AbortSignal.timeout(widenTimeoutMs));
  }

  /** Serves the paths of more kinds, then lets the API server call them. */
  useKinds(kinds: InstalledKinds): void {
    this.host.useKinds(kinds);
    for (const path of this.#pathsOf(kinds)) this.#paths.add(path);
    this.controller.trigger();
  }

  #pathsOf(kinds: InstalledKinds): readonly string[] {
    return handlerPaths(this.#parts.modules, this.#parts.options.gates, isAmong(kinds));
  }

  /** Syncs and watches for changes until `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, logger, options } = this.#parts;
    const trigger = (): void => this.controller.trigger();
    const shared = { client, clock, logger, onChange: trigger };
    const configuration = { client, clock, logger, onChange: (): void => this.controller.triggerConfigurations() };
    const ownCrd = (object: KubeObject | undefined): void => {
      if (object !== undefined && ![groups.apps, groups.policy].some((group) => object.metadata.name.endsWith(`.${group}`))) return;
      trigger();
      this.#parts.onCrd();
    };
    const named = (name: string): string => `metadata.name=${name}`;
    await Promise.all([
      this.controller.run(signal),
      this.#watchCallers(signal),
      watchForChanges(
        secrets,
        { ...shared, namespace: options.environment.podNamespace, fieldSelector: named(options.environment.secretName) },
        signal,
      ),
      watchForChanges(mutatingWebhookConfigurations, { ...configuration, fieldSelector: named(mutatingConfigurationName) }, signal),
      watchForChanges(validatingWebhookConfigurations, { ...configuration, fieldSelector: named(validatingConfigurationName) }, signal),
      watchForChanges(customResourceDefinitions, { ...shared, onChange: ownCrd }, signal),
    ]);
    await this.#events.stop();
  }

  async #watchCallers(signal: AbortSignal): Promise<void> {
    const { clientAuthorities: known, clock, logger, options } = this.#parts;
    const onChange = (pem: string): void => this.host.useClientAuthorities(pem);
    if (known !== undefined)
      await watchAuthorities({ path: options.flags['webhook-client-ca-file'], known, clock, logger, onChange }, signal);
  }

  /** Checks that certificates and configurations were in place once and that the server answers now. @throws Error otherwise */
  async checkReady(): Promise<void> {
    if (!this.controller.initialised || this.#caCert === undefined) throw new Error('the webhook configuration was not synced yet');
    if (!this.host.ready) throw new Error('the webhook server has not read what it decides by yet');
    await checkWebhookServer(this.#parts.options.environment.webhookPort, this.#caCert);
  }

  async #install(material: KeyMaterial): Promise<void> {
    const { options, metrics } = this.#parts;
    try {
      await writeCertificateFiles(options.environment.certDirectory, material);
      await this.host.useKeyPair({ key: material.key, cert: material.cert });
      this.#caCert = material.caCert;
      metrics.certificateRead(false);
    } catch (error) {
      metrics.certificateRead(true);
      throw error;
    }
  }
}
