/**
 * Pulls what the NodeImage of this node requests and reports the progress.
 *
 *   spec changed, a worker has news, time -> plan -> workers stopped and started -> status, when it differs and a write is due
 *
 * The status in the API server is the only memory: a task that is not complete there is begun again after a restart, and a write that was lost or
 * refused is repeated from the workers' results.
 *
 * @see spec/daemon.md 5.2
 */
import { nodeImages, type NodeImage, type NodeImageStatus } from '@kruise/api';
import {
  isFailure,
  requeue,
  settled,
  watchInformer,
  type Client,
  type Clock,
  type ControllerDefinition,
  type Informer,
  type Outcome,
  type Request,
  type StoreEvent,
  type Watch,
} from '@kruise/kube';
import { deepEqual, keyOf, milliseconds, semanticEqual, type Milliseconds, type ObjectKey } from '@kruise/objects';
import { payWrite, waitForMore, waitForWrite, type Paid } from '../status-pace/plan-pace.ts';
import type { PullCredentials } from './credentials/pull-credentials.ts';
import type { ImageWorkers } from './image-workers.ts';
import { tasksOf, type ImageTask } from './task/image-task.ts';
import type { ImageMetrics } from './metrics.ts';
import { planSync } from './plan-sync.ts';
import { computeStatus, isUnsettled } from './status.ts';

export interface ImageControllerParts {
  /** The NodeImage of this node. */
  readonly nodeImage: Informer<NodeImage>;
  /** Its answers are put into the store immediately. */
  readonly client: Pick<Client, 'updateStatus'>;
  readonly workers: ImageWorkers;
  readonly credentials: Pick<PullCredentials, 'retain'>;
  readonly clock: Clock;
  readonly metrics: ImageMetrics;
  /** Reports news of the workers. */
  readonly news: Watch;
  /** Returns a number from 0 to below 1. Math.random when absent. */
  readonly random?: () => number;
}

export class ImageController {
  readonly #parts: ImageControllerParts;
  #paid: Paid = milliseconds(0);
  /** A NodeImage that is recreated with its name is another one. */
  #uid: string | undefined;

  constructor(parts: ImageControllerParts) {
    this.#parts = parts;
  }

  definition(): ControllerDefinition {
    const { nodeImage, news } = this.#parts;
    return {
      name: 'imagepuller',
      workers: 1,
      watches: [watchInformer(nodeImage, requestsFor), news],
      reconcile: (key, signal) => this.reconcile(key, signal),
    };
  }

  /** Returns how long news of workers may be collected. */
  collectFor(): Milliseconds {
    return waitForMore(this.#paid, this.#parts.clock.monotonic());
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { workers, credentials } = this.#parts;
    const seen = this.#parts.nodeImage.store.get(key);
    if (seen?.metadata.uid !== this.#uid) workers.stopAll();
    this.#uid = seen?.metadata.uid;
    if (seen === undefined || seen.metadata.deletionTimestamp !== undefined) return settled;
    const tasks = tasksOf(seen);
    credentials.retain(tasks.flatMap(({ pullSecrets }) => pullSecrets));
    const { stop, start, adopted } = planSync(tasks, seen.status, workers.all);
    for (const removed of stop) workers.stop(removed);
    workers.renew(tasks);
    for (const { task, startedAt } of start) workers.start(task, startedAt);
    // An image that exists already takes milliseconds: one write instead of two.
    if (start.length > 0) return requeue(this.collectFor());
    const own = [...workers.all].map(([name, worker]) => [name, worker.status] as const);
    return await this.#report(seen, tasks, computeStatus(tasks, new Map([...adopted, ...own])), signal);
  }

  async #report(seen: NodeImage, tasks: readonly ImageTask[], status: NodeImageStatus, signal: AbortSignal): Promise<Outcome> {
    const { client, clock, metrics } = this.#parts;
    if (semanticEqual(seen.status, status)) return requeue(this.#pause(isUnsettled(tasks, status)));
    const now = clock.monotonic();
    const wait = waitForWrite(this.#paid, now);
    if (wait > 0) return requeue(wait);
    this.#paid = payWrite(this.#paid, now);
    try {
      await client.updateStatus(nodeImages, { ...seen, status }, { signal });
    } catch (error) {
      // Deleted meanwhile: the watch will report it.
      if (isFailure(error, 'NotFound')) return settled;
      throw error;
    }
    metrics.statusWritten();
    // Immediately: what is complete in the status needs no worker any more.
    return requeue(isUnsettled(tasks, status) ? this.#pause(true) : milliseconds(0));
  }

  /** Returns 3 to 5 s while something is in progress, otherwise 20 to 30 min. */
  #pause(unsettled: boolean): Milliseconds {
    const { random = Math.random } = this.#parts;
    return milliseconds(unsettled ? 3000 + random() * 2000 : (20 + random() * 10) * 60_000);
  }
}

/** Returns whether an event enqueues. Writes of the status are the controller's own, or are read when they are due. */
function requestsFor(event: StoreEvent<NodeImage>): readonly Request[] {
  const { object } = event;
  if (event.kind === 'Updated' && event.previous.metadata.uid === object.metadata.uid && deepEqual(event.previous.spec, object.spec))
    return [];
  return [keyOf(object)];
}
