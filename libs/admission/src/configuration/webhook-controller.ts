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
 *
 * Two seconds after the last write, a replica releases the written fields (see `field-ownership.ts`), so that installers can change them.
 *
 * `webhook-state.ts` decides which step comes next; this file carries it out.
 * @see spec/manager.md 4.6 to 4.8
 */
import { isFailure } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import type { KeyMaterial } from '../certificates/key-material.ts';
import type { NeedAhead } from '../narrowing/needs-ahead.ts';
import type { Narrowing } from '../narrowing/request-need.ts';
import { GatheredWrites } from './pace/gathered-writes.ts';
import { Turns } from './pace/turns.ts';
import { WebhookObjects, type WebhookObjectsOptions } from './webhook-objects.ts';
import { initialState, isMissing, next, type Phase, type PhaseResult, type WebhookEvent, type WebhookState } from './webhook-state.ts';
import { nextWriteAtMs } from './pace/write-pace.ts';

/** The objects that a webhook controller reads and writes, and its tools. */
export interface WebhookControllerOptions extends WebhookObjectsOptions {
  readonly source: CertificateSource;
  /** Certificates come from outside: check, write nothing. */
  readonly external: boolean;
  /** Whether webhooks are narrowed to the needs of {@link WebhookController.narrowTo}. Until that is called they stay unchanged. */
  readonly narrows?: boolean;
  /** Step (b): writes the files and passes the key pair to the server. */
  readonly install: (material: KeyMaterial) => Promise<void>;
}

/** Time until every API server has noticed a changed configuration. */
const noticedAfter = milliseconds(1000);
const conflictPause = milliseconds(20);

/** Reconciles certificates, webhook configurations and CRD conversion. Every step may run twice and in several replicas at the same time. */
export class WebhookController {
  readonly #options: WebhookControllerOptions;
  readonly #objects: WebhookObjects;
  #state: WebhookState;
  #wake: (() => void) | undefined;
  readonly #waiters: (() => void)[] = [];
  /** Serializes reads and writes of configurations: two of this process would only conflict. */
  readonly #turns = new Turns();
  readonly #widenings = new GatheredWrites<NeedAhead>((needs, signal) => this.#writeAhead(needs, signal));

  constructor(options: WebhookControllerOptions) {
    this.#options = { ...options, logger: options.logger.child({ logger: 'webhook-controller' }) };
    this.#state = initialState(options.external, options.narrows === true);
    const stateNow = (): WebhookState => this.#state;
    this.#objects = new WebhookObjects(this.#options, {
      get state() {
        return stateNow();
      },
      report: (event) => this.#report(event),
    });
  }

  /** Sets the needs that webhooks are narrowed to. Without effect unless the options enable narrowing. */
  narrowTo(narrowing: Narrowing): void {
    this.#report({ kind: 'NeedsChanged', narrowing });
  }

  /**
   * Resolves when webhooks cover these needs too, which no replica may undo for some seconds. Nothing is written when they are covered already.
   * However much is requested, the writes are bounded: two a second in the long run, a few immediately, and the installer's rule rather than many or
   * large needs.
   *
   * @throws ApiError when that could not be written; it retries after conflicts until `signal` aborts
   */
  async widen(needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    if (needs.some((need) => isMissing(this.#state, need))) await this.#widenings.ask(needs, signal);
  }

  /** Whether one sync has succeeded since the start. */
  get initialised(): boolean {
    return this.#state.initialised;
  }

  /** Why the last sync failed; undefined after a success. */
  get lastError(): Error | undefined {
    return this.#state.lastError;
  }

  /** Reports that something that a sync reads or writes has changed. */
  trigger(): void {
    this.#report({ kind: 'ObjectsChanged', definitions: true });
  }

  /** Reports that a webhook configuration has changed, or must. */
  triggerConfigurations(): void {
    this.#report({ kind: 'ObjectsChanged', definitions: false });
  }

  /** Resolves at the first success. Rejects with the last failure when `signal` aborts before. */
  waitForInitialisation(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.initialised) return resolve();
      this.#waiters.push(resolve);
      signal.addEventListener('abort', () => reject(this.lastError ?? new Error('no sync has finished')), { once: true });
    });
  }

  /** Syncs until `signal` aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) this.#report(await this.#attempt(signal));
  }

  #report(event: WebhookEvent): void {
    this.#state = next(this.#state, event);
    if (this.#state.isWoken) this.#wake?.();
    if (this.initialised) for (const waiter of this.#waiters.splice(0)) waiter();
  }

  async #attempt(signal: AbortSignal): Promise<PhaseResult> {
    const { source, clock } = this.#options;
    const { phase } = this.#state;
    try {
      if (phase.kind === 'Obtain') return { kind: 'Obtained', material: await source.ensure(signal), nowMs: clock.now() };
      await this.#carryOut(phase, signal);
      return { kind: 'Done', nowMs: clock.now() };
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (!signal.aborted) this.#log(error);
      return { kind: 'Failed', error, nowMs: clock.now() };
    }
  }

  #carryOut(phase: Exclude<Phase, { kind: 'Obtain' }>, signal: AbortSignal): Promise<unknown> {
    switch (phase.kind) {
      case 'Pause':
        return this.#pause(phase.untilMs, signal);
      case 'Install':
        return this.#options.install(phase.material);
      case 'Check':
        return this.#objects.check(signal);
      case 'Write':
        return Promise.all([this.#turns.take(() => this.#objects.writeConfigurations([], signal)), this.#objects.writeConversions(signal)]);
      case 'AwaitTrust':
        return this.#options.clock.sleep(noticedAfter, signal);
    }
  }

  /** Logs a failure. A conflict means that another replica was faster, which is expected: the next attempt finds its work done. */
  #log(error: Error): void {
    if (isFailure(error, 'Conflict', 'AlreadyExists')) this.#options.logger.debug({ error }, 'Another replica synced the webhooks first');
    else this.#options.logger.error({ error }, 'Failed to sync webhook configuration and certificates');
  }

  /** Resolves at this time, when a change is reported, or when `signal` aborts. */
  async #pause(untilMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const lengthMs = untilMs - clock.now();
    if (lengthMs <= 0 || this.#state.isWoken || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = clock.schedule(milliseconds(lengthMs), resolve);
      const wake = (): void => {
        timer.cancel();
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
    this.#wake = undefined;
  }

  async #writeAhead(needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const missing = needs.filter((need) => isMissing(this.#state, need));
    while (missing.length > 0) {
      try {
        const waitMs = nextWriteAtMs(this.#state.widenedUntilMs) - clock.now();
        if (waitMs > 0) await clock.sleep(milliseconds(waitMs), signal);
        await this.#turns.take(() => this.#objects.writeConfigurations(missing, signal));
        return;
      } catch (error) {
        if (signal.aborted || !isFailure(error, 'Conflict')) throw error;
        // Replicas that conflict repeatedly would be in step otherwise.
        await clock.sleep(milliseconds(conflictPause * (1 + Math.random())), signal);
      }
    }
  }
}
