/**
 * The main thread's side of the webhook thread: starts it with the first key pair, passes later ones on, collects its metrics, and starts it again if
 * it ends by itself.
 */
import { Worker } from 'node:worker_threads';
import type { KeyPair, Narrowing, NeedAhead } from '@kruise/admission';
import type { Logger } from '@kruise/kube';
import type { InstalledKinds } from '../process/discovery.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';
import { Channel, type ChannelToThread } from './channel.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { Questions } from './questions.ts';

/** From source, the thread's file is TypeScript; in a bundle, it is beside the main file. */
const threadFile = new URL(import.meta.url.endsWith('.ts') ? '../webhook-thread.ts' : './webhook-thread.mjs', import.meta.url);

/** After this time the server counts as ready without its caches: reading them may need the conversion that it offers. */
const syncGraceMs = 5000;
const restartDelayMs = 1000;
const metricsTimeoutMs = 2000;

interface Thread {
  readonly worker: Worker;
  readonly channel: ChannelToThread;
}

export class WebhookHost {
  #data: Omit<ThreadData, 'keyPair'>;
  readonly #logger: Logger;
  readonly #scrapes = new Questions<string>();
  #keyPair: KeyPair | undefined;
  #thread: Thread | undefined;
  #starting: Promise<void> | undefined;
  #stopping = false;
  #listeningSince: number | undefined;
  #synced = false;

  constructor(data: Omit<ThreadData, 'keyPair'>, logger: Logger) {
    this.#data = data;
    this.#logger = logger;
  }

  /** Uses this certificate for new connections. The first call starts the server and resolves when it listens. */
  async useKeyPair(keyPair: KeyPair): Promise<void> {
    if (this.#keyPair?.cert === keyPair.cert && this.#keyPair.key === keyPair.key) return this.#starting;
    this.#keyPair = keyPair;
    if (this.#thread === undefined) this.#starting = this.#start(keyPair);
    else this.#post({ kind: 'UseKeyPair', keyPair });
    return this.#starting;
  }

  /** Knows callers by these authorities from now on. @param pem replaces the previous ones */
  useClientAuthorities(pem: string): void {
    this.#data = { ...this.#data, clientAuthorities: pem };
    this.#post({ kind: 'UseClientAuthorities', pem });
  }

  /** Serves the handlers of more kinds. */
  useKinds(installedKinds: InstalledKinds): void {
    this.#data = { ...this.#data, installedKinds };
    this.#post({ kind: 'UseKinds', kinds: installedKinds });
  }

  /** Whether this replica can answer reviews: it listens, and its handlers' caches are filled or it has listened for 5 s. */
  get ready(): boolean {
    if (this.#listeningSince === undefined) return false;
    return this.#synced || performance.now() - this.#listeningSince > syncGraceMs;
  }

  /** Returns the thread's metrics as text; '' when it is not running or too busy to answer in time. */
  async metrics(): Promise<string> {
    if (this.#thread === undefined) return '';
    const scrape = this.#scrapes.ask((id) => this.#post({ kind: 'CollectMetrics', id }), AbortSignal.timeout(metricsTimeoutMs));
    return scrape.catch(() => '');
  }

  /** Counts and records a refusal of a controller of this process. */
  protect(record: ProtectionRecord): void {
    this.#post({ kind: 'Protected', record });
  }

  /** Makes the API server use other replicas, one connection after the other. */
  drain(): void {
    this.#post({ kind: 'Drain' });
  }

  /** Waits for at most `graceMs` until requests in progress are answered, then ends the thread. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const worker = this.#thread?.worker;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#post({ kind: 'Stop', graceMs });
    const forced = setTimeout(() => void worker.terminate(), graceMs + 500);
    await ended;
    clearTimeout(forced);
  }

  #post(message: ToThread): void {
    this.#thread?.channel.post(message);
  }

  #start(keyPair: KeyPair): Promise<void> {
    const worker = new Worker(threadFile, { workerData: { ...this.#data, keyPair } satisfies ThreadData, name: 'webhooks' });
    const channel: ChannelToThread = new Channel(worker);
    this.#thread = { worker, channel };
    return new Promise((resolve, reject) => {
      channel.receive((message) => this.#take(message, resolve));
      worker.on('error', (error: Error) => {
        this.#logger.error({ error }, 'Webhook thread failed');
        reject(error);
      });
      worker.on('exit', (code) => {
        reject(new Error(`the webhook thread ended with code ${code}`));
        this.#ended(code);
      });
    });
  }

  #take(message: FromThread, started: () => void): void {
    switch (message.kind) {
      case 'Listening':
        this.#listeningSince = performance.now();
        return started();
      case 'Synced':
        this.#synced = true;
        return;
      case 'Metrics':
        return this.#scrapes.answered(message.id, message.text);
      case 'Needs':
        return this.onNeeds?.(message.narrowing);
      case 'Widen':
        return void this.#widen(message.id, message.needs);
    }
  }

  async #widen(id: number, needs: readonly NeedAhead[]): Promise<void> {
    try {
      await this.onWiden?.(needs);
      this.#post({ kind: 'Widened', id });
    } catch (error) {
      this.#post({ kind: 'Widened', id, failure: error instanceof Error ? error.message : String(error) });
    }
  }

  #ended(code: number): void {
    this.#thread = undefined;
    this.#listeningSince = undefined;
    this.#synced = false;
    this.#keyPair = this.#stopping ? this.#keyPair : undefined;
    if (this.#stopping) return;
    this.#logger.error({ code }, 'Webhook thread ended; the next certificate sync restarts it');
    setTimeout(() => this.onEnded?.(), restartDelayMs).unref();
  }

  /** Called a second after the thread ended by itself; the owner of the certificates calls {@link useKeyPair} again. */
  onEnded: (() => void) | undefined;

  /** Called with the needs that the webhooks must cover, each time they have changed. */
  onNeeds: ((narrowing: Narrowing) => void) | undefined;

  /** Resolves once the webhooks cover these needs too; rejects when they cannot be widened. */
  onWiden: ((needs: readonly NeedAhead[]) => Promise<void>) | undefined;
}
