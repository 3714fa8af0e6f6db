/**
 * Keeps the workers of this node those of its NodePodProbe, and writes what they find into its status. It has one key: the node.
 * @see spec/podprobemarker.md 5.3, 5.4
 */
import { eventReasons, nodePodProbes, type NodePodProbe } from '@kruise/api';
import {
  isFailure,
  lookAgain,
  settled,
  watchInformer,
  type Client,
  type Clock,
  type ControllerDefinition,
  type EventRecorder,
  type Informer,
  type Outcome,
  type StoreReader,
  type Trigger,
  type Watch,
} from '@kruise/kube';
import { keyOf, milliseconds, type ObjectKey, type Pod } from '@kruise/objects';
import { planStatus, type ChangedResult } from './plan-status.ts';
import type { ProbeWorkers } from './probe-workers.ts';
import { podOfTarget } from './worker.ts';

export interface ProbeControllerParts {
  readonly nodeName: string;
  readonly lists: Informer<NodePodProbe>;
  /** Of this node; undefined when nobody watches them. */
  readonly pods: Pick<StoreReader<Pod>, 'get'> | undefined;
  readonly workers: ProbeWorkers;
  /** Told by the workers. */
  readonly results: Trigger;
  readonly client: Pick<Client, 'updateStatus'>;
  readonly events: EventRecorder;
  readonly clock: Pick<Clock, 'now'>;
}

/** Somebody else wrote first: what they wrote is on its way. */
const afterConflict = lookAgain(milliseconds(50));

export class ProbeController {
  readonly #parts: ProbeControllerParts;

  constructor(parts: ProbeControllerParts) {
    this.#parts = parts;
  }

  definition(): ControllerDefinition {
    const { lists, results } = this.#parts;
    return {
      name: 'pod_probe',
      workers: 1,
      watches: [watchInformer(lists, ({ object }) => [keyOf(object)]), results, this.#end()],
      reconcile: (key, signal) => this.reconcile(key, signal),
    };
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { lists, workers, client, clock } = this.#parts;
    const list = lists.store.get(key);
    workers.sync(list);
    if (list === undefined) return settled;
    const { statuses, changed } = planStatus(list, workers.results, clock.now());
    if (statuses !== (list.status?.podProbeStatuses ?? [])) {
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

  /** The workers live as long as the controller runs. */
  #end(): Watch {
    return { start: () => () => void this.#parts.workers.stop(), waitForSync: () => Promise.resolve() };
  }
}
