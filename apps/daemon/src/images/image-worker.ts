/**
 * One task: image, tag and version.
 *
 *   Waiting --a slot is free--> Pulling --an attempt succeeds--> Succeeded
 *                                 |  ^ --no attempt is left----> Failed
 *                                 +--+ pauses of 1 s, 2 s, 4 s, … between attempts
 *
 * Slots are given to the namespaces of the jobs in turns, so that the many slow images of one delay another's by at most a round.
 *
 * Stopped at any point, it cancels the running call, makes no other and reports nothing more.
 *
 * @see spec/daemon.md 5.2
 */
import type { ImageTagStatus } from '@kruise/api';
import type { Clock } from '@kruise/kube';
import { formatDuration, formatTime, milliseconds, type Instant, type Milliseconds } from '@kruise/objects';
import type { FairSlots } from '@kruise/process';
import { addressOf, taskName, tenantsOf, type ImageTask } from './task/image-task.ts';
import { cutError } from './plan-message.ts';
import { deadlineMessage, planTry, spentBefore } from './plan-tries.ts';
import type { WorkerState } from './plan-sync.ts';
import { pullOnce, type Pull, type PullTools } from './pull-once.ts';

type PullOutcome = { readonly kind: 'Succeeded'; readonly imageId: string } | { readonly kind: 'Failed'; readonly message: string };

/** The result of a task, and how long after its start. */
export type PullResult = PullOutcome & { readonly elapsed: Milliseconds };

export interface WorkerTools extends PullTools {
  readonly clock: Clock;
  readonly slots: FairSlots;
  /** Called when the status of the worker has changed. */
  readonly changed: () => void;
  /** Called once, not for a worker that was stopped. */
  readonly ended: (task: ImageTask, result: PullResult) => void;
  /** Called when an attempt failed, and another follows. */
  readonly failedTry: (task: ImageTask, message: string) => void;
}

const messageOf = (error: unknown): string => cutError(error instanceof Error ? error.message : String(error));

export class ImageWorker implements WorkerState {
  #task: ImageTask;
  /** Resolves when nothing of it runs any more. */
  readonly done: Promise<void>;
  readonly #tools: WorkerTools;
  readonly #stop = new AbortController();
  #status: ImageTagStatus;

  /** Creates a worker. @param startedAt of a pull that an earlier process of the daemon began */
  constructor(task: ImageTask, tools: WorkerTools, startedAt?: Instant) {
    this.#task = task;
    this.#tools = tools;
    this.#status = this.#statusOf({ phase: 'Waiting' });
    this.done = this.#run(startedAt).catch(() => undefined);
  }

  get task(): ImageTask {
    return this.#task;
  }

  /** Updates the same task from the NodeImage: further attempts use its secrets and limits. */
  renew(task: ImageTask): void {
    this.#task = task;
  }

  get status(): ImageTagStatus {
    return this.#status;
  }

  get ended(): boolean {
    return this.#status.completionTime !== undefined;
  }

  stop(): void {
    this.#stop.abort(new Error(`pulling image ${taskName(this.task)} is stopped`));
  }

  /** Runs. Rejects when it is stopped. */
  async #run(startedAt: Instant | undefined): Promise<void> {
    const { slots, clock } = this.#tools;
    if (!slots.tryTake()) await slots.take(tenantsOf(this.task), this.#stop.signal);
    try {
      this.#stop.signal.throwIfAborted();
      const from = clock.monotonic();
      const start = startedAt ?? clock.now();
      this.#report({ phase: 'Pulling', startTime: formatTime(start) });
      const outcome = await this.#pull(milliseconds(from - spentBefore(startedAt, clock.now())));
      this.#stop.signal.throwIfAborted();
      this.#end(start, { ...outcome, elapsed: milliseconds(Math.round(clock.monotonic() - from)) });
    } finally {
      slots.release();
    }
  }

  /**
   * Pulls. A fault of our own ends the task as well: a task that hangs would never be reported.
   *
   * @param startedAt on the monotonic clock
   */
  async #pull(startedAt: Milliseconds): Promise<PullOutcome> {
    try {
      return await this.#pullPatiently(startedAt);
    } catch (error) {
      return { kind: 'Failed', message: messageOf(error) };
    }
  }

  async #pullPatiently(startedAt: Milliseconds): Promise<PullOutcome> {
    const { clock, failedTry } = this.#tools;
    const address = addressOf(this.task);
    if (address.kind === 'Invalid') return { kind: 'Failed', message: address.why };
    let message = '';
    for (let failed = 0; ; failed++) {
      const next = planTry(this.task, { spent: milliseconds(clock.monotonic() - startedAt), failed });
      if (next.kind === 'GiveUp') return { kind: 'Failed', message };
      if (failed > 0) failedTry(this.task, message);
      if (next.pause > 0) await clock.sleep(next.pause, this.#stop.signal);
      if (next.kind === 'DeadlineExceeded') return { kind: 'Failed', message: deadlineMessage };
      try {
        return { kind: 'Succeeded', ...(await this.#tryOnce({ task: this.task, ...address }, next.timeout)) };
      } catch (error) {
        this.#stop.signal.throwIfAborted();
        message = messageOf(error);
      }
    }
  }

  async #tryOnce(pull: Pull, timeout: Milliseconds): Promise<{ readonly imageId: string }> {
    const { clock, runtimes } = this.#tools;
    const late = new AbortController();
    const timer = clock.schedule(timeout, () => late.abort());
    try {
      return await pullOnce(pull, this.#tools, AbortSignal.any([this.#stop.signal, late.signal]));
    } catch (error) {
      if (!late.signal.aborted) throw error;
      const why = runtimes.trouble ?? `not done within ${formatDuration(timeout)}`;
      throw new Error(`pulling image ${taskName(pull.task)} is canceled: ${why}`, { cause: error });
    } finally {
      timer.cancel();
    }
  }

  #end(startedAt: Instant, result: PullResult): void {
    const times = { startTime: formatTime(startedAt), completionTime: formatTime(this.#tools.clock.now()) };
    // First what others may see, then the report.
    if (result.kind === 'Failed') this.#report({ phase: 'Failed', ...times, message: result.message });
    else {
      const { imageId } = result;
      this.#report({ phase: 'Succeeded', ...times, progress: 100, ...(imageId === '' ? {} : { imageID: imageId }) });
    }
    this.#tools.ended(this.task, result);
  }

  #report(facts: Omit<ImageTagStatus, 'tag' | 'version'>): void {
    this.#status = this.#statusOf(facts);
    this.#tools.changed();
  }

  #statusOf(facts: Omit<ImageTagStatus, 'tag' | 'version'>): ImageTagStatus {
    const { tag, version } = this.task;
    return { tag, ...facts, ...(version === 0 ? {} : { version }) };
  }
}
