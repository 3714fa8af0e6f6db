/**
 * Keeps certificates, webhook configurations and CRD conversion in step, on every replica, with or without leadership.
 *
 * One sync: (a) obtain certificates, (b) write the files and tell the server, (c) webhook configurations, (d) CRD conversion,
 * (e) the first success marks the manager as initialised. It runs at start, when the Secret, a configuration or one of our CRDs
 * changes, when the needs change, a minute after each success, and with backoff after a failure. All steps are idempotent and may run in
 * several replicas: they come to the same result from the same objects. CRDs are large, so (d) is left out when only configurations or needs have
 * changed.
 *
 * A new authority comes in three steps, so that no call meets a certificate that it cannot check: configurations and CRDs trust both; a second
 * later the server shows its new certificate; a minute later the old authority is taken out.
 *
 * Who undoes our writes again and again (another version of this program during an upgrade) is answered ever more slowly. That never keeps a
 * webhook narrow: what another has narrowed in its own way becomes the installer's rule at once, and only narrowing that waits.
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

/** The name that the chart gives the configuration of the mutating webhooks. */
export const mutatingConfigurationName = 'kruise-mutating-webhook-configuration';
/** The name that the chart gives the configuration of the validating webhooks. */
export const validatingConfigurationName = 'kruise-validating-webhook-configuration';

/** What one webhook controller looks after, and what it writes. */
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
  /** Whether webhooks are narrowed to what {@link WebhookController.narrowTo} says; until it says anything they stay as they are. */
  readonly narrows?: boolean;
  /** Step (b): write the files, give the server the key pair. */
  readonly install: (material: KeyMaterial) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const betweenSyncs = milliseconds(60_000);
const firstBackoff = milliseconds(50);
const longestBackoff = milliseconds(30_000);
/** Until every API server has noticed a changed configuration. */
const noticedAfter = milliseconds(1000);
const conflictPause = milliseconds(20);
const shortestPauseMs = 20;
/** Nothing is narrowed; what others have noted ahead stays noted. */
const installersRules: Narrowing = {};

interface Configurations {
  readonly mutating: KubeObject;
  readonly validating: KubeObject;
}

/** Keeps certificates, webhook configurations and CRD conversion in line. Every step may run twice and in several replicas at once. */
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
  /** Needs that the API server did not take; the installer's rules do until they change. */
  #refused: Narrowing | undefined;
  /** The needs that the last successful sync went by. */
  #synced: Narrowing | 'AsItIs' | undefined;
  #lookAgainAtMs: number | undefined;
  /** Changes so far that step (d) may have to answer. */
  #changes = 0;
  /** What step (d) last went by, and when. */
  #converted: { readonly bundle: string; readonly atMs: number; readonly changes: number } | undefined;
  /** Whoever reads and writes configurations, one at a time: two of this process would only conflict. */
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

  /** Webhooks shall be asked about this and no more. Without effect unless the options say that this manager narrows. */
  narrowTo(narrowing: Narrowing): void {
    if (this.#narrowing === undefined) return;
    this.#narrowing = narrowing;
    this.#refused = undefined;
    this.triggerConfigurations();
  }

  /**
   * Returns when webhooks are asked about these needs too, which nobody may undo for some seconds. Nothing is written when they are already.
   * However much is asked for, what is written is bounded: two writes a second for long, a few at once, and rather the installer's rule than
   * many needs or large ones.
   *
   * @throws ApiError when that could not be written; it tries again after conflicts until `signal` aborts
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
        // Replicas that meet again and again would be in step otherwise.
        await this.#options.clock.sleep(milliseconds(conflictPause * (1 + Math.random())), signal);
      }
    }
  }

  /** Whether it is among the needs that were written last. */
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

  /** Something that a sync reads or writes has changed. */
  trigger(): void {
    this.#changes++;
    this.triggerConfigurations();
  }

  /** A webhook configuration has changed, or is to. */
  triggerConfigurations(): void {
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
    const { source, external, clock } = this.#options;
    const material = await source.ensure(signal);
    // A server that shows a certificate goes on showing it until the new authority is trusted.
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

  /** @throws when something stands there that does not fit certificates from outside */
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

  /** @param narrowing that is refused when the API server finds a fault in `update` */
  async #update(type: ResourceType, update: KubeObject, narrowing: Narrowing | 'AsItIs' | undefined, signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options;
    try {
      await client.update(type, update, { signal });
    } catch (error) {
      if (typeof narrowing === 'object' && isFailure(error, 'Invalid')) {
        this.#refused = narrowing;
        const configuration = update.metadata.name;
        logger.error({ error, configuration }, "The API server did not take narrowed webhooks: using the installer's rules");
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
