/** The workers of this node, one for each tag; the only place that starts and stops them. @see spec/daemon.md 5.2 */
import type { Instant } from '@kruise/objects';
import { ImageWorker, type WorkerTools } from './image-worker.ts';
import { taskKey, type ImageTask } from './task/image-task.ts';

export class ImageWorkers {
  readonly #tools: WorkerTools;
  /** By task key. An entry is removed when its worker is stopped; an ended worker is stopped once its result is written. */
  readonly #workers = new Map<string, ImageWorker>();
  /** Stopped ones whose last call has not ended. */
  readonly #leaving = new Set<ImageWorker>();

  constructor(tools: WorkerTools) {
    this.#tools = tools;
  }

  /** By task key. */
  get all(): ReadonlyMap<string, ImageWorker> {
    return this.#workers;
  }

  /** Starts a worker. @throws Error when there is one for this tag already */
  start(task: ImageTask, startedAt?: Instant): void {
    const key = taskKey(task);
    if (this.#workers.has(key)) throw new Error(`there is a worker for ${key} already`);
    this.#workers.set(key, new ImageWorker(task, this.#tools, startedAt));
  }

  /** Updates the workers of exactly these tasks. */
  renew(tasks: readonly ImageTask[]): void {
    for (const task of tasks) {
      const worker = this.#workers.get(taskKey(task));
      if (worker?.task.version === task.version) worker.renew(task);
    }
  }

  stop(key: string): void {
    const worker = this.#workers.get(key);
    if (worker === undefined) return;
    this.#workers.delete(key);
    this.#leaving.add(worker);
    worker.stop();
    void worker.done.then(() => this.#leaving.delete(worker));
  }

  stopAll(): void {
    for (const key of [...this.#workers.keys()]) this.stop(key);
  }

  /** Stops all of them at the end of `signal` and resolves when the last one has ended. */
  async run(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.stopAll();
    await Promise.all([...this.#leaving].map(({ done }) => done));
  }
}
