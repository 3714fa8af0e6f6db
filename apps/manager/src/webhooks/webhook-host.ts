/**
 * The main thread's side of the webhook thread: starts it with the first key pair, hands it later ones, collects its metrics, and starts it
 * again should it ever end by itself.
 */
import { Worker } from 'node:worker_threads';
import type { KeyPair, Narrowing, NeedAhead } from '@kruise/admission';
import type { Logger } from '@kruise/kube';
import type { InstalledKinds } from '../process/discovery.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

/** Run from source the thread's file is TypeScript, in a bundle it stands beside the main file. */
const threadFile = new URL(import.meta.url.endsWith('.ts') ? '../webhook-thread.ts' : './webhook-thread.mjs', import.meta.url);

/** After this time the server counts as ready without its caches: reading them may need the conversion that it offers. */
const syncGraceMs = 5000;
const restartDelayMs = 1000;
const metricsTimeoutMs = 2000;

export class WebhookHost {
  #data: Omit<ThreadData, 'keyPair'>;
  readonly #logger: Logger;
  readonly #waiting = new Map<number, (text: string) => void>();
  #keyPair: KeyPair | undefined;
  #thread: Worker | undefined;
  #starting: Promise<void> | undefined;
  #stopping = false;
  #listeningSince: number | undefined;
  #synced = false;
  #lastId = 0;

  constructor(data: Omit<ThreadData, 'keyPair'>, logger: Logger) {
    this.#data = data;
    this.#logger = logger;
  }

  /** From now on new connections get this certificate. The first call starts the server and resolves when it listens. */
  async useKeyPair(keyPair: KeyPair): Promise<void> {
    if (this.#keyPair?.cert === keyPair.cert && this.#keyPair.key === keyPair.key) return this.#starting;
    this.#keyPair = keyPair;
    if (this.#thread === undefined) this.#starting = this.#start(keyPair);
    else this.#say({ kind: 'UseKeyPair', keyPair });
    return this.#starting;
  }

  /** Whoever asks is known by these from now on. */
  useClientAuthorities(pem: string): void {
    this.#data = { ...this.#data, clientAuthorities: pem };
    this.#say({ kind: 'UseClientAuthorities', pem });
  }

  /** There are more kinds now, and perhaps more handlers. */
  useKinds(installedKinds: InstalledKinds): void {
    this.#data = { ...this.#data, installedKinds };
    this.#say({ kind: 'UseKinds', kinds: installedKinds });
  }

  /** Whether reviews are better sent here than not: it listens, and holds what its handlers read or has been at it for 5 s. */
  get ready(): boolean {
    if (this.#listeningSince === undefined) return false;
    return this.#synced || performance.now() - this.#listeningSince > syncGraceMs;
  }

  /** The thread's metrics as text; '' when it is not running or too busy to answer in time. */
  metrics(): Promise<string> {
    if (this.#thread === undefined) return Promise.resolve('');
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const answer = (text: string): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(text);
      };
      const timer = setTimeout(() => answer(''), metricsTimeoutMs);
      this.#waiting.set(id, answer);
      this.#say({ kind: 'CollectMetrics', id });
    });
  }

  /** Counts and records a refusal of a controller of this process. */
  protect(record: ProtectionRecord): void {
    this.#say({ kind: 'Protected', record });
  }

  /** Sends the API server elsewhere, one connection after the other. */
  drain(): void {
    this.#say({ kind: 'Drain' });
  }

  /** Lets requests in flight finish for `graceMs`, then ends the thread. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    this.#say({ kind: 'Stop', graceMs });
    const forced = setTimeout(() => void thread.terminate(), graceMs + 500);
    await ended;
    clearTimeout(forced);
  }

  async #widen(id: number, needs: readonly NeedAhead[]): Promise<void> {
    try {
      await this.onWiden?.(needs);
      this.#say({ kind: 'Widened', id });
    } catch (error) {
      this.#say({ kind: 'Widened', id, failure: error instanceof Error ? error.message : String(error) });
    }
  }

  #say(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  #start(keyPair: KeyPair): Promise<void> {
    const thread = new Worker(threadFile, { workerData: { ...this.#data, keyPair } satisfies ThreadData, name: 'webhooks' });
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      thread.on('message', (message: FromThread) => {
        switch (message.kind) {
          case 'Listening':
            this.#listeningSince = performance.now();
            return resolve();
          case 'Synced':
            this.#synced = true;
            return;
          case 'Metrics':
            return this.#waiting.get(message.id)?.(message.text);
          case 'Needs':
            return this.onNeeds?.(message.narrowing);
          case 'Widen':
            return void this.#widen(message.id, message.needs);
        }
      });
      thread.on('error', (error: Error) => {
        this.#logger.error({ error }, 'Webhook thread failed');
        reject(error);
      });
      thread.on('exit', (code) => {
        reject(new Error(`the webhook thread ended with code ${code}`));
        this.#ended(code);
      });
    });
  }

  #ended(code: number): void {
    this.#thread = undefined;
    this.#listeningSince = undefined;
    this.#synced = false;
    this.#keyPair = this.#stopping ? this.#keyPair : undefined;
    if (this.#stopping) return;
    this.#logger.error({ code }, 'Webhook thread ended, the next certificate sync starts it again');
    setTimeout(() => this.onEnded?.(), restartDelayMs).unref();
  }

  /** Called a second after the thread ended by itself; whoever owns the certificates calls {@link useKeyPair} again. */
  onEnded: (() => void) | undefined;

  /** What the webhooks have to be asked about has changed. */
  onNeeds: ((narrowing: Narrowing) => void) | undefined;

  /** Resolves once the webhooks are asked about these needs too; rejects when that cannot be had. */
  onWiden: ((needs: readonly NeedAhead[]) => Promise<void>) | undefined;
}
