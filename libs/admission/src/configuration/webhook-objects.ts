/** The API server's side of a sync: reads webhook configurations and our CRDs, writes what plans say, reports to the state what was written. */
import { isFailure, type Client, type Clock, type Logger } from '@kruise/kube';
import {
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import type { NeedAhead } from '../narrowing/needs-ahead.ts';
import { announcedBundle, bundlesOf } from './bundle-rotation.ts';
import { decideWrite } from './decide-write.ts';
import { checkCrdConversion, planCrdConversion, type CustomResourceDefinition, type IsConvertible } from './plan-crd-conversion.ts';
import { checkWebhookConfiguration } from './plan-webhook-configuration.ts';
import type { WebhookConfiguration } from '../webhook-configuration.ts';
import { dueConversions, type WantedNarrowing, type WebhookEvent, type WebhookState } from './webhook-state.ts';
import type { WebhookTarget } from '../webhook-target.ts';

/** The chart's name of the configuration of the mutating webhooks. */
export const mutatingConfigurationName = 'kruise-mutating-webhook-configuration';
/** The chart's name of the configuration of the validating webhooks. */
export const validatingConfigurationName = 'kruise-validating-webhook-configuration';

/** The objects to keep, and their required contents. */
export interface WebhookObjectsOptions {
  /** One that keeps `managedFields`. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Under which the API server notes what `client` writes: the name before the slash of its user agent. */
  readonly fieldManager: string;
  readonly target: WebhookTarget;
  /** Paths that have a handler. */
  readonly paths: ReadonlySet<string>;
  /** Names of the CRDs that may need conversion wiring. */
  readonly crdNames: readonly string[];
  readonly isConvertible: IsConvertible;
}

/** The state at this moment, and where events are reported. */
export interface StateOwner {
  readonly state: WebhookState;
  report(event: WebhookEvent): void;
}

interface Found {
  readonly type: ResourceType;
  readonly configuration: KubeObject;
}

const configurations = [
  { type: mutatingWebhookConfigurations, name: mutatingConfigurationName },
  { type: validatingWebhookConfigurations, name: validatingConfigurationName },
];

export class WebhookObjects {
  readonly #options: WebhookObjectsOptions;
  readonly #owner: StateOwner;

  constructor(options: WebhookObjectsOptions, owner: StateOwner) {
    this.#options = options;
    this.#owner = owner;
  }

  /** Checks with certificates from outside. @throws Error when something does not match them, ApiError when that cannot be read */
  async check(signal: AbortSignal): Promise<void> {
    const { paths, isConvertible } = this.#options;
    const caBundle = announcedBundle(this.#owner.state.bundles);
    const [found, definitions] = await Promise.all([this.#readConfigurations(signal), this.#ourCrds(signal)]);
    const faults = [
      ...found.flatMap(({ configuration }) => checkWebhookConfiguration(configuration as WebhookConfiguration, { caBundle, paths })),
      ...definitions.flatMap((crd) => checkCrdConversion(crd, caBundle, isConvertible) ?? []),
    ];
    if (faults.length > 0) throw new Error(faults.join('; '));
  }

  /** Writes both configurations where they differ. @throws ApiError, a Conflict when another replica was faster */
  async writeConfigurations(ahead: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    const found = await this.#readConfigurations(signal);
    await Promise.all(found.map((one) => this.#writeConfiguration(one, ahead, signal)));
  }

  /** Writes CRDs where they differ, unless that was done for the same changes a moment ago. @throws ApiError, as above */
  async writeConversions(signal: AbortSignal): Promise<void> {
    const { client, clock, target, isConvertible } = this.#options;
    const { caBundle, toleratedBundle = '' } = this.#bundles;
    const conversions = dueConversions(this.#owner.state, `${caBundle} ${toleratedBundle}`, clock.now());
    if (conversions === undefined) return;
    const definitions = await this.#ourCrds(signal);
    const writes = definitions.map(async (crd) => {
      const update = planCrdConversion(crd, target, this.#bundles, isConvertible);
      if (update !== undefined) await client.update(customResourceDefinitions, update, { signal });
    });
    await Promise.all(writes);
    this.#owner.report({ kind: 'DefinitionsWritten', conversions });
  }

  get #bundles(): ReturnType<typeof bundlesOf> {
    return bundlesOf(this.#owner.state.bundles, this.#options.clock.now());
  }

  #readConfigurations(signal: AbortSignal): Promise<readonly Found[]> {
    const reads = configurations.map(async ({ type, name }) => ({ type, configuration: await this.#read(type, name, signal) }));
    return Promise.all(reads);
  }

  #read(type: ResourceType, name: string, signal: AbortSignal): Promise<KubeObject> {
    return this.#options.client.get(type, { namespace: '', name }, { signal });
  }

  /** Returns our CRDs by name, because a list would contain every CRD of the cluster. A CRD that is not installed is omitted. */
  async #ourCrds(signal: AbortSignal): Promise<readonly CustomResourceDefinition[]> {
    const reads = this.#options.crdNames.map(async (name) => {
      try {
        return [(await this.#read(customResourceDefinitions, name, signal)) as CustomResourceDefinition];
      } catch (error) {
        if (isFailure(error, 'NotFound')) return [];
        throw error;
      }
    });
    return (await Promise.all(reads)).flat();
  }

  async #writeConfiguration({ type, configuration }: Found, ahead: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    const { target, paths, fieldManager, logger, clock } = this.#options;
    const decided = decideWrite(this.#owner.state, configuration, { target, paths, ahead, fieldManager, nowMs: clock.now() });
    const { update, ignored, write, narrowing, requeuesAtMs } = decided;
    for (const atMs of requeuesAtMs) this.#owner.report({ kind: 'RequeueWanted', atMs });
    if (update === undefined || write === undefined) return;
    const { name } = configuration.metadata;
    if (ignored.length > 0) logger.info({ configuration: name, webhooks: ignored }, 'Ignore webhook in configuration');
    await this.#update(type, update, narrowing, signal);
    this.#owner.report({ kind: 'ConfigurationWritten', name, write, isUrgent: ahead.length > 0, nowMs: clock.now() });
  }

  /** Writes an object. @param narrowing that is refused when the API server finds a fault in `update` */
  async #update(type: ResourceType, update: KubeObject, narrowing: WantedNarrowing, signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options;
    try {
      await client.update(type, update, { signal });
    } catch (error) {
      if (typeof narrowing === 'object' && isFailure(error, 'Invalid')) {
        this.#owner.report({ kind: 'NarrowingRefused', narrowing });
        const configuration = update.metadata.name;
        logger.error({ error, configuration }, "The API server refused narrowed webhooks; using the installer's rules");
      }
      throw error;
    }
  }
}
