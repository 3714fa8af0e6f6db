/**
 * Reconciles certificates, webhook configurations and CRD conversion on every replica, with or without leadership.
 *
 * One sync: (a) obtain certificates, (b) write the files and pass them to the server, (c) webhook configurations, (d) CRD conversion, (e) the first
 * success marks the manager as initialised. It runs at start, when the Secret, a configuration or one of our CRDs changes, when the needs change, a
 * minute after each success, and with backoff after a failure. All steps are idempotent and may run in several replicas: they produce the same result
 * from the same objects. CRDs are large, so (d) is skipped when only configurations or needs have changed.
 *
 * A new authority is introduced in three steps, so that no call meets a certificate that it cannot verify: configurations and CRDs trust both; a
 * second later the server presents its new certificate; a minute later the old authority is removed.
 *
 * When another writer undoes our writes repeatedly (another version of this program during an upgrade), they are repeated with increasing delays.
 * That never keeps a webhook narrow: what another writer has narrowed in its own way becomes the installer's rule immediately, and only narrowing
 * waits.
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
import { needIdentity, type NeedAhead } from '../narrowing/needs-ahead.ts';
import type { Narrowing } from '../narrowing/request-need.ts';
import { BundleRotation } from './bundle-rotation.ts';
import { GatheredWrites } from './gathered-writes.ts';
import { checkCrdConversion, planCrdConversion, type CustomResourceDefinition, type IsConvertible } from './plan-crd-conversion.ts';
import {
  checkWebhookConfiguration,
  isNarrowedAsIn,
  planWebhookConfiguration,
  type ConfigurationPlan,
} from './plan-webhook-configuration.ts';
import type { WebhookConfiguration } from './webhook-configuration.ts';
import { RestoreBrake } from './restore-brake.ts';
import { Turns } from './turns.ts';
import { WritePace } from './write-pace.ts';
import type { WebhookTarget } from './webhook-target.ts';

/** The chart's name of the configuration of the mutating webhooks. */
export const mutatingConfigurationName = 'kruise-mutating-webhook-configuration';
/** The chart's name of the configuration of the validating webhooks. */
export const validatingConfigurationName = 'kruise-validating-webhook-configuration';

/** What a webhook controller reads and writes. */
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
  /** Whether webhooks are narrowed to the needs of {@link WebhookController.narrowTo}. Until that is called they stay unchanged. */
  readonly narrows?: boolean;
  /** Step (b): writes the files and passes the key pair to the server. */
  readonly install: (material: KeyMaterial) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const betweenSyncs = milliseconds(60_000);
const firstBackoff = milliseconds(50);
const longestBackoff = milliseconds(30_000);
/** Time until every API server has noticed a changed configuration. */
const noticedAfter = milliseconds(1000);
const conflictPause = milliseconds(20);
const shortestPauseMs = 20;
/** Nothing is narrowed; needs that others have noted ahead stay noted. */
const installersRules: Narrowing = {};

interface Configurations {
  readonly mutating: KubeObject;
  readonly validating: KubeObject;
}

/** Reconciles certificates, webhook configurations and CRD conversion. Every step may run twice and in several replicas at the same time. */
export class WebhookController {
  readonly #options: WebhookControllerOptions;
  #initialised = false;
  #lastError: Error | undefined;
  #wake: (() => void) | undefined;
  #woken = false;
  readonly #waiters: (() => void)[] = [];
  readonly #bundles: BundleRotation;
  readonly #restores: RestoreBrake;
  #narrowing: Narrowing | 'AsItIs' | undefined;
  /** Needs that the API server did not accept. The installer's rules are used until they change. */
  #refused: Narrowing | undefined;
  /** The needs of the last successful sync. */
  #synced: Narrowing | 'AsItIs' | undefined;
  #lookAgainAtMs: number | undefined;
  /** Number of changes so far that step (d) may have to handle. */
  #changes = 0;
  /** The input of the last step (d), and when it ran. */
  #converted: { readonly bundle: string; readonly atMs: number; readonly changes: number } | undefined;
  /** Serializes reads and writes of configurations: two of this process would only conflict. */
  readonly #turns = new Turns();
  readonly #pace: WritePace;
  readonly #widenings = new GatheredWrites<NeedAhead>((needs, signal) => this.#writeAhead(needs, signal));

  constructor(options: WebhookControllerOptions) {
    this.#options = { ...options, logger: options.logger.child({ logger: 'webhook-controller' }) };
    this.#bundles = new BundleRotation(options.clock);
    this.#restores = new RestoreBrake(options.clock);
    this.#pace = new WritePace(options.clock);
    this.#narrowing = options.narrows === true && !options.external ? 'AsItIs' : undefined;
  }

  /** Sets the needs that webhooks are narrowed to. Without effect unless the options enable narrowing. */
  narrowTo(narrowing: Narrowing): void {
    if (this.#narrowing === undefined) return;
    this.#narrowing = narrowing;
    this.#refused = undefined;
    this.triggerConfigurations();
  }

  /**
   * Resolves when webhooks cover these needs too, which no replica may undo for some seconds. Nothing is written when they are covered already.
   * However much is requested, the writes are bounded: two a second in the long run, a few immediately, and the installer's rule rather than many or
   * large needs.
   *
   * @throws ApiError when that could not be written; it retries after conflicts until `signal` aborts
   */
  async widen(needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    if (needs.some((need) => this.#isMissing(need))) await this.#widenings.ask(needs, signal);
  }

  #isMissing(need: NeedAhead): boolean {
    return this.#narrowing !== undefined && this.#bundles.serving !== undefined && !this.#covers(need);
  }

  async #writeAhead(needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    const missing = needs.filter((need) => this.#isMissing(need));
    while (missing.length > 0) {
      try {
        await this.#pace.wait(signal);
        await this.#turns.take(async () => this.#writeConfigurations(await this.#readConfigurations(signal), missing, signal));
        return;
      } catch (error) {
        if (signal.aborted || !isFailure(error, 'Conflict')) throw error;
        // Replicas that conflict repeatedly would be in step otherwise.
        await this.#options.clock.sleep(milliseconds(conflictPause * (1 + Math.random())), signal);
      }
    }
  }

  /** Returns whether the need is among those that were written last. */
  #covers(need: NeedAhead): boolean {
    const { webhook } = need;
    if (this.#lastError !== undefined || this.#narrowing === undefined || this.#narrowing === 'AsItIs') return false;
    if (!Object.hasOwn(this.#narrowing, webhook)) return true;
    const written = this.#narrowing === this.#synced;
    return written && (this.#narrowing[webhook]?.needs ?? []).some((own) => needIdentity({ webhook, need: own }) === needIdentity(need));
  }

  /** Whether one sync has succeeded since the start. */
  get initialised(): boolean {
    return this.#initialised;
  }

  /** Why the last sync failed; undefined after a success. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Reports that something that a sync reads or writes has changed. */
  trigger(): void {
    this.#changes++;
    this.triggerConfigurations();
  }

  /** Reports that a webhook configuration has changed, or must. */
  triggerConfigurations(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Resolves at the first success. Rejects with the last failure when `signal` aborts before. */
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
      await this.#pause(failures === 0 ? this.#untilNext() : milliseconds(backoff), signal);
    }
  }

  #untilNext(): Milliseconds {
    const soonest = Math.min(this.#lookAgainAtMs ?? Infinity, this.#bundles.retiresAtMs ?? Infinity);
    return milliseconds(Math.min(Math.max(soonest - this.#options.clock.now(), shortestPauseMs), betweenSyncs));
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

  /** Logs a failure. A conflict means that another replica was faster, which is expected: the next attempt finds its work done. */
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
    const { source, external, clock } = this.#options;
    const material = await source.ensure(signal);
    // A server that presents a certificate keeps presenting it until the new authority is trusted.
    const isReplacing = this.#bundles.announce(material.caCert) && !external;
    if (!isReplacing) await this.#install(material);
    this.#lookAgainAtMs = undefined;
    if (external) return this.#check(signal);
    const narrowing = this.#narrowing;
    const configurations = async (): Promise<void> => this.#writeConfigurations(await this.#readConfigurations(signal), [], signal);
    await Promise.all([this.#turns.take(configurations), this.#syncConversions(signal)]);
    this.#synced = narrowing;
    if (!isReplacing) return;
    await clock.sleep(noticedAfter, signal);
    await this.#install(material);
  }

  /** Checks with certificates from outside. @throws when something does not match them */
  async #check(signal: AbortSignal): Promise<void> {
    const { paths, isConvertible } = this.#options;
    const { caBundle } = this.#bundles;
    const [configurations, definitions] = await Promise.all([this.#readConfigurations(signal), this.#ourCrds(signal)]);
    const faults = [
      ...Object.values(configurations).flatMap((one: WebhookConfiguration) => checkWebhookConfiguration(one, { caBundle, paths })),
      ...definitions.flatMap((crd) => checkCrdConversion(crd, caBundle, isConvertible) ?? []),
    ];
    if (faults.length > 0) throw new Error(faults.join('; '));
  }

  async #syncConversions(signal: AbortSignal): Promise<void> {
    const { caBundle, toleratedBundle = '' } = this.#bundles.bundles;
    const going = { bundle: `${caBundle} ${toleratedBundle}`, atMs: this.#options.clock.now(), changes: this.#changes };
    const { bundle, atMs = 0, changes } = this.#converted ?? {};
    if (bundle === going.bundle && changes === going.changes && atMs > going.atMs - betweenSyncs) return;
    await this.#writeConversions(await this.#ourCrds(signal), signal);
    this.#converted = going;
  }

  async #install(material: KeyMaterial): Promise<void> {
    await this.#options.install(material);
    this.#bundles.installed(material.caCert);
  }

  async #readConfigurations(signal: AbortSignal): Promise<Configurations> {
    const [mutating, validating] = await Promise.all([
      this.#read(mutatingWebhookConfigurations, { namespace: '', name: mutatingConfigurationName }, signal),
      this.#read(validatingWebhookConfigurations, { namespace: '', name: validatingConfigurationName }, signal),
    ]);
    return { mutating, validating };
  }

  #read(type: ResourceType, key: ObjectKey, signal: AbortSignal): Promise<KubeObject> {
    return this.#options.client.get(type, key, { signal });
  }

  /** Returns our CRDs by name, because a list would contain every CRD of the cluster. A CRD that is not installed is omitted. */
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

  async #writeConfigurations({ mutating, validating }: Configurations, ahead: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#writeConfiguration(mutatingWebhookConfigurations, mutating, ahead, signal),
      this.#writeConfiguration(validatingWebhookConfigurations, validating, ahead, signal),
    ]);
  }

  async #writeConfiguration(
    type: ResourceType,
    configuration: KubeObject,
    ahead: readonly NeedAhead[],
    signal: AbortSignal,
  ): Promise<void> {
    const { target, paths, logger, clock } = this.#options;
    const narrowing = this.#narrowing === this.#refused ? undefined : this.#narrowing;
    const bundles = this.#bundles.bundles;
    const planFor = (wanted: Narrowing | 'AsItIs' | undefined): ConfigurationPlan =>
      planWebhookConfiguration(configuration, {
        target,
        paths,
        ahead,
        nowMs: clock.now(),
        ...bundles,
        ...(wanted === undefined ? {} : { narrowing: wanted }),
      });
    const { update: exact, ignored, lookAgainAtMs } = planFor(narrowing);
    this.#lookAgainAt(lookAgainAtMs);
    if (exact === undefined) return;
    const { name } = configuration.metadata;
    const allowedAtMs = this.#restores.allowedAtMs(name, [bundles, narrowing, ahead], ahead.length > 0);
    const isBraked = allowedAtMs > clock.now();
    if (isBraked) this.#lookAgainAt(allowedAtMs);
    if (isBraked && isNarrowedAsIn(configuration, exact)) return;
    const update = isBraked ? planFor(narrowing === undefined ? undefined : installersRules).update : exact;
    if (update === undefined) return;
    if (ignored.length > 0) logger.info({ configuration: name, webhooks: ignored }, 'Ignore webhook in configuration');
    await this.#update(type, update, narrowing, signal);
    this.#restores.written(name);
    if (ahead.length > 0) this.#pace.written();
  }

  /**
   * Writes an object.
   *
   * @param narrowing that is refused when the API server finds a fault in `update`
   */
  async #update(type: ResourceType, update: KubeObject, narrowing: Narrowing | 'AsItIs' | undefined, signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options;
    try {
      await client.update(type, update, { signal });
    } catch (error) {
      if (typeof narrowing === 'object' && isFailure(error, 'Invalid')) {
        this.#refused = narrowing;
        const configuration = update.metadata.name;
        logger.error({ error, configuration }, "The API server refused narrowed webhooks, using the installer's rules");
      }
      throw error;
    }
  }

  async #writeConversions(definitions: readonly CustomResourceDefinition[], signal: AbortSignal): Promise<void> {
    const { client, target, isConvertible } = this.#options;
    const writes = definitions.map(async (crd) => {
      const update = planCrdConversion(crd, target, this.#bundles.bundles, isConvertible);
      if (update !== undefined) await client.update(customResourceDefinitions, update, { signal });
    });
    await Promise.all(writes);
  }

  #lookAgainAt(ms: number | undefined): void {
    if (ms !== undefined) this.#lookAgainAtMs = Math.min(ms, this.#lookAgainAtMs ?? ms);
  }
}
