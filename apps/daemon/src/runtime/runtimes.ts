/**
 * The container runtimes of this node, looked for until one is there, and again when one is missed.
 *
 *   none answers --one does--> some --missed (a name nobody serves, a socket that does not answer)--> looked at again, at most every 5 s
 *
 * A missing socket never ends the process: it may come late, be replaced, or stay away while the runtime is upgraded. Each path and what is
 * wrong with it is logged in one line whenever the picture changes, and told by /readyz; by /healthz, too, when none was found for long.
 *
 * @see spec/daemon.md 3
 */
import { loadCriMethods, type CriChannel } from '@kruise/cri';
import { untilAborted, type Clock, type Logger } from '@kruise/kube';
import { milliseconds, seconds, type Milliseconds } from '@kruise/objects';
import type { Candidates } from './plan-candidates.ts';
import { planScan, type Runtime } from './plan-scan.ts';
import { probeSocket } from './probe-socket.ts';

export type CriRuntime = Runtime<CriChannel>;

export interface RuntimesOptions {
  readonly candidates: Candidates;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told after each look. */
  readonly onScan?: (runtimes: readonly CriRuntime[]) => void;
}

const firstRetryMs = 500;
const longestRetryMs = 15_000;
const betweenScans = seconds(5);

export class Runtimes {
  readonly #options: RuntimesOptions;
  readonly #methods = loadCriMethods();
  #runtimes: readonly CriRuntime[] = [];
  /** Whether any runtime answered at the last look; those that did not stay in use, for they may be restarting. */
  #answering = false;
  /** Whether any runtime answered at any look. */
  #found = false;
  /** On the monotonic clock, when the first look ended; undefined before. */
  #lookedSince: Milliseconds | undefined;
  #summary = 'not looked at yet';
  #missed: (() => void) | undefined;

  constructor(options: RuntimesOptions) {
    this.#options = options;
  }

  /** @param name as in the scheme of a container id */
  named(name: string): CriRuntime | undefined {
    return this.#runtimes.find((runtime) => runtime.name === name);
  }

  /** The runtime that images are pulled with: the first usable one; undefined before one was found. */
  get first(): CriRuntime | undefined {
    return this.#runtimes[0];
  }

  /** In the order in which they are looked for; those of one name included. */
  get all(): readonly CriRuntime[] {
    return this.#runtimes;
  }

  /** Why no runtime answers, in one line; undefined when one did. */
  get trouble(): string | undefined {
    return this.#answering ? undefined : `no container runtime: ${this.#summary}`;
  }

  /**
   * Why no runtime was ever found, in one line, once they have been looked for that long; undefined otherwise, and for ever after one answered.
   */
  neverFoundFor(patience: Milliseconds): string | undefined {
    if (this.#found || this.#lookedSince === undefined) return undefined;
    return this.#options.clock.monotonic() - this.#lookedSince >= patience ? this.trouble : undefined;
  }

  /** Says that a runtime was not there or did not answer: all places are looked at again soon. */
  missed(): void {
    this.#missed?.();
  }

  /** Looks until `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { candidates, clock, logger } = this.#options;
    if (candidates.notice !== undefined) logger.warn({}, candidates.notice);
    const ended = untilAborted(signal);
    let waitMs = firstRetryMs;
    while (!signal.aborted) {
      const missed = new Promise<void>((resolve) => (this.#missed = resolve));
      await this.#scan(signal);
      const wait = this.#answering ? betweenScans : milliseconds(waitMs);
      waitMs = this.#answering ? firstRetryMs : Math.min(waitMs * 2, longestRetryMs);
      await clock.sleep(wait, signal).catch(() => undefined);
      if (this.#answering && !signal.aborted) await Promise.race([missed, ended]);
    }
    for (const { connection } of this.#runtimes) connection.close();
    this.#runtimes = [];
  }

  async #scan(signal: AbortSignal): Promise<void> {
    const known = new Map(this.#runtimes.map(({ socket, connection }) => [socket, connection]));
    const findings = await Promise.all(
      this.#options.candidates.paths.map((path) => probeSocket(path, known.get(path), this.#methods, signal)),
    );
    if (signal.aborted) return;
    const { runtimes, unused, summary } = planScan(this.#runtimes, findings);
    this.#runtimes = runtimes;
    this.#answering = findings.some(({ kind }) => kind === 'Usable');
    this.#found ||= this.#answering;
    this.#lookedSince ??= this.#options.clock.monotonic();
    for (const connection of unused) connection.close();
    this.#options.onScan?.(runtimes);
    if (summary === this.#summary) return;
    this.#summary = summary;
    const fields = { runtimes: runtimes.map(({ name }) => name).join(','), looked: summary };
    if (this.#answering) this.#options.logger.info(fields, 'Container runtimes');
    else this.#options.logger.error(fields, 'No container runtime answers, looking again');
  }
}
