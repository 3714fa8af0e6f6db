/**
 * Keeps the workers of this node equal to its NodePodProbe, and writes their results into its status. The key is the node.
 * @see spec/podprobemarker.md 5.3, 5.4
 */
import { eventReasons, nodePodProbes, type NodePodProbe } from '@kruise/api';
import {
  isFailure,
  requeue,
  settled,
  watchInformer,
  type Client,
  type Clock,
  type ControllerDefinition,
  type EventRecorder,
  type Informer,
  type Outcome,
  type StoreEvent,
  type StoreReader,
  type Trigger,
  type Watch,
} from '@kruise/kube';
import { deepEqual, keyOf, milliseconds, type Milliseconds, type ObjectKey, type Pod } from '@kruise/objects';
import { payWrite, waitForMore, waitForWrite, type Paid } from '../status-pace/plan-pace.ts';
import { planStatus, type ChangedResult } from './plan-status.ts';
import type { ProbeWorkers } from './probe-workers.ts';
import { podOfTarget } from './worker.ts';

export interface ProbeControllerParts {
  readonly nodeName: string;
  readonly lists: Informer<NodePodProbe>;
  /** The Pods of this node; undefined when they are not watched. */
  readonly pods: Pick<StoreReader<Pod>, 'get'> | undefined;
  readonly workers: ProbeWorkers;
  /** Triggered by the workers. */
  readonly results: Trigger;
  readonly client: Pick<Client, 'updateStatus'>;
  readonly events: EventRecorder;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/** Another client wrote first. Its write will arrive as an event. */
const afterConflict = requeue(milliseconds(50));

/** Returns whether the spec is new: own writes of the status do not matter to the workers. */
const hasNewSpec = (event: StoreEvent<NodePodProbe>): boolean =>
  event.kind !== 'Updated' || !deepEqual(event.object.spec, event.previous.spec);

export class ProbeController {
  readonly #parts: ProbeControllerParts;
  #paid: Paid = milliseconds(0);

  constructor(parts: ProbeControllerParts) {
    this.#parts = parts;
  }

  /** Returns how long results of workers may be collected. */
  collectFor(): Milliseconds {
    return waitForMore(this.#paid, this.#parts.clock.monotonic());
  }

  /** Returns two queues, so that a changed list and results do not wait for each other's retries. */
  definitions(): readonly ControllerDefinition[] {
    const { lists, results } = this.#parts;
    const specs = watchInformer(lists, (event) => (hasNewSpec(event) ? [keyOf(event.object)] : []));
    const changes = watchInformer(lists, ({ object }) => [keyOf(object)]);
    return [
      { name: 'sync_node_pod_probe', workers: 1, watches: [specs, this.#end()], reconcile: (key) => Promise.resolve(this.sync(key)) },
      {
        name: 'update_node_pod_probe_status',
        workers: 1,
        watches: [changes, results],
        reconcile: (key, signal) => this.writeStatus(key, signal),
      },
    ];
  }

  /** Updates the workers to the list; what the status lacks or has in excess is written next. */
  sync(key: ObjectKey): Outcome {
    const { lists, workers, results } = this.#parts;
    workers.sync(lists.store.get(key));
    results.enqueue(key);
    return settled;
  }

  async writeStatus(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { lists, workers, client, clock } = this.#parts;
    const list = lists.store.get(key);
    if (list === undefined) return settled;
    const { statuses, changed } = planStatus(list, workers, clock.now());
    if (statuses !== (list.status?.podProbeStatuses ?? [])) {
      const wait = waitForWrite(this.#paid, clock.monotonic());
      if (wait > 0) return requeue(wait);
      this.#paid = payWrite(this.#paid, clock.monotonic());
      try {
        await client.updateStatus(nodePodProbes, { ...list, status: { ...list.status, podProbeStatuses: statuses } }, { signal });
      } catch (error) {
        if (isFailure(error, 'NotFound')) return settled;
        if (isFailure(error, 'Conflict')) return afterConflict;
        throw error;
      }
    }
    for (const result of changed) this.#report(result);
    return settled;
  }

  #report(result: ChangedResult): void {
    const { namespace, pod: name, uid, state, message } = result;
    const { pods } = this.#parts;
    const pod = pods === undefined ? podOfTarget(result) : pods.get({ namespace, name });
    if (pod?.metadata.uid !== uid) return;
    this.#parts.events.event(
      pod,
      'Normal',
      state === 'Succeeded' ? eventReasons.kruiseProbeSucceeded : eventReasons.kruiseProbeFailed,
      message,
    );
  }

  /** The workers run as long as the controller. */
  #end(): Watch {
    return { start: () => () => void this.#parts.workers.stop(), waitForSync: () => Promise.resolve() };
  }
}
