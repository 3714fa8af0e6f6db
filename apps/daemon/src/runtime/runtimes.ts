/**
 * Finds the container runtimes of this node: repeatedly until there is one, and again when one is missed.
 *
 *   none answers --one does--> some --missed (a name that no runtime has, a socket that does not answer)--> scan again, at most every 5 s
 *
 * While one of those found before does not answer, all places are scanned every few seconds.
 *
 * A missing socket never ends the process: it may appear late, be replaced, or be absent while the runtime is upgraded. Each path and its fault is
 * logged in one line whenever the result changes, and reported by /readyz; also by /healthz, when none was found for long.
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
  /** Called after each scan. */
  readonly onScan?: (runtimes: readonly CriRuntime[]) => void;
}

const firstRetryMs = 500;
const longestRetryMs = 15_000;
const betweenScans = seconds(5);
/** A runtime that is restarted or upgraded is waited for. One that is absent longer has been removed. */
const restartPatience = seconds(300);

export class Runtimes {
  readonly #options: RuntimesOptions;
  readonly #methods = loadCriMethods();
  #runtimes: readonly CriRuntime[] = [];
  /** Which of the runtimes in use answered at the last scan. Those that did not stay in use, because they may be restarting. */
  #answering: 'None' | 'Some' | 'All' = 'None';
  /** By socket, on the monotonic clock: the scan since which it does not answer. An entry is removed when it answers, and with its runtime. */
  #awaySince: ReadonlyMap<string, Milliseconds> = new Map();
  /** Whether any runtime answered at any scan. */
  #found = false;
  /** On the monotonic clock, when the first scan ended; undefined before. */
  #lookedSince: Milliseconds | undefined;
  #summary = 'not looked at yet';
  #missed: (() => void) | undefined;

  constructor(options: RuntimesOptions) {
    this.#options = options;
  }

  /** Returns the runtime with a name. @param name as in the scheme of a container id */
  named(name: string): CriRuntime | undefined {
    return this.#runtimes.find((runtime) => runtime.name === name);
  }

  /**
   * The runtime that images are pulled with: the first candidate, also while it is restarted, except one that has not answered for five minutes when
   * another one does. Undefined before one was found.
   */
  get first(): CriRuntime | undefined {
    const oldest = this.#options.clock.monotonic() - restartPatience;
    return this.#runtimes.find(({ socket }) => (this.#awaySince.get(socket) ?? Infinity) >= oldest) ?? this.#runtimes[0];
  }

  /** All runtimes in the order in which they are searched; those with equal names included. */
  get all(): readonly CriRuntime[] {
    return this.#runtimes;
  }

  /** Why no runtime answers, in one line; undefined when one did. */
  get trouble(): string | undefined {
    return this.#answering !== 'None' ? undefined : `no container runtime: ${this.#summary}`;
  }

  /**
   * Returns why no runtime was ever found, in one line, once they have been searched for that long; undefined otherwise, and permanently after one
   * answered.
   */
  neverFoundFor(patience: Milliseconds): string | undefined {
    if (this.#found || this.#lookedSince === undefined) return undefined;
    return this.#options.clock.monotonic() - this.#lookedSince >= patience ? this.trouble : undefined;
  }

  /** Reports that a runtime was missing or did not answer: all places are scanned again soon. */
  missed(): void {
    this.#missed?.();
  }

  /** Scans until `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { candidates, clock, logger } = this.#options;
    if (candidates.notice !== undefined) logger.warn({}, candidates.notice);
    const ended = untilAborted(signal);
    let waitMs = firstRetryMs;
    while (!signal.aborted) {
      const missed = new Promise<void>((resolve) => (this.#missed = resolve));
      await this.#scan(signal);
      const areAll = this.#answering === 'All';
      const wait = areAll ? betweenScans : milliseconds(waitMs);
      waitMs = areAll ? firstRetryMs : Math.min(waitMs * 2, longestRetryMs);
      await clock.sleep(wait, signal).catch(() => undefined);
      if (areAll && !signal.aborted) await Promise.race([missed, ended]);
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
    this.#note(findings.flatMap(({ kind, socket }) => (kind === 'Usable' ? [socket] : [])));
    for (const connection of unused) connection.close();
    this.#options.onScan?.(runtimes);
    if (summary === this.#summary) return;
    this.#summary = summary;
    const fields = { runtimes: runtimes.map(({ name }) => name).join(','), looked: summary };
    if (this.#answering !== 'None') this.#options.logger.info(fields, 'Found container runtimes');
    else this.#options.logger.error(fields, 'No container runtime answers; scanning again');
  }

  /** Stores which sockets answer. @param answering sockets, in any order */
  #note(answering: readonly string[]): void {
    const now = this.#options.clock.monotonic();
    const answered = new Set(answering);
    const before = this.#awaySince;
    const away = this.#runtimes.filter(({ socket }) => !answered.has(socket));
    this.#awaySince = new Map(away.map(({ socket }) => [socket, before.get(socket) ?? now]));
    const areAll = this.#runtimes.every(({ socket }) => answered.has(socket));
    this.#answering = answering.length === 0 ? 'None' : areAll ? 'All' : 'Some';
    this.#found ||= answering.length > 0;
    this.#lookedSince ??= now;
  }
}
