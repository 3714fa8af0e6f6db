/**
 * Releases the launch levels of Pods. A barrier is requested when a Pod has news and is never cached: ConfigMaps of a whole cluster are many
 * and large, those of starting Pods few.
 * @see spec/containerlaunchpriority.md 5
 */
import { annotations, controllerNames, eventReasons } from '@kruise/api';
import {
  isFailure,
  isRefusal,
  requeue,
  retry,
  runPlan,
  settled,
  watchInformer,
  type Client,
  type EventRecorder,
  type Logger,
  type Outcome,
} from '@kruise/kube';
import { configMaps, formatKey, keyOf, milliseconds, pods, unreachable, type ConfigMap, type ObjectKey, type Pod } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { triedAgainWithin } from '../../workloads/refusals/refused-objects.ts';
import { barrierName, hasLevels, newBarrier, plan, type Action, isNews } from '@kruise/kinds/containerlaunchpriority';

/** Gone meanwhile, or of another Pod by now: what there is decides the next pass. */
const soon = requeue(milliseconds(50));

const barrierKeyOf = (pod: Pod): ObjectKey => ({ namespace: pod.metadata.namespace ?? '', name: barrierName(pod.metadata.name) });

async function observeBarrier(pod: Pod, client: Client, signal: AbortSignal): Promise<ConfigMap | undefined> {
  try {
    return await client.get(configMaps, barrierKeyOf(pod), { signal });
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function execute(action: Action, pod: Pod, client: Client, signal: AbortSignal): Promise<unknown> {
  switch (action.kind) {
    case 'DeleteForeignBarrier':
      return client.delete(configMaps, barrierKeyOf(pod), { preconditions: { uid: action.uid }, signal });
    case 'CreateBarrier':
      return client.create(configMaps, newBarrier(pod, action.data), { signal });
    case 'ReleaseLevels':
      return client.patch(configMaps, barrierKeyOf(pod), { metadata: { uid: action.uid }, data: action.data }, { type: 'merge', signal });
    case 'MarkCompleted': {
      const { uid } = pod.metadata;
      const metadata = { ...(uid === undefined ? {} : { uid }), annotations: { [annotations.containerLaunchPriorityCompleted]: 'true' } };
      return client.patch(pods, keyOf(pod), { metadata }, { type: 'strategic', signal });
    }
    default:
      return unreachable(action);
  }
}

interface Io {
  readonly client: Client;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
}

/** Reports refused writes on the Pod: its containers wait for them, and nothing else shows the reason. */
async function carryOut(actions: readonly Action[], pod: Pod, { client, logger, recorder }: Io, signal: AbortSignal): Promise<Outcome> {
  const tools = { execute: (action: Action) => execute(action, pod, client, signal), logger, about: { pod: formatKey(keyOf(pod)) } };
  const { error } = await runPlan([{ name: 'release', actions, onFailure: 'Stop' }], tools, signal);
  if (error === undefined) return settled;
  if (isRefusal(error))
    recorder.event(
      pod,
      'Warning',
      eventReasons.failedLaunchPriority,
      `containers wait for their turn, which cannot be given: ${error.message}`,
    );
  return isFailure(error, 'NotFound', 'Conflict') ? soon : retry(error, triedAgainWithin);
}

function define({ client, caches, logger, recorderFor }: ControllerDependencies): ControllerWork {
  const recorder = recorderFor(controllerNames.containerLaunchPriority);
  const source = caches.of(pods);
  return {
    watches: [
      watchInformer(source, (event) =>
        event.kind !== 'Deleted' && isNews(event.object, event.kind === 'Updated' ? event.previous : undefined)
          ? [keyOf(event.object)]
          : [],
      ),
    ],
    reconcile: async (key, signal) => {
      const pod = source.store.get(key);
      if (pod === undefined || !hasLevels(pod)) return settled;
      return carryOut(plan(pod, await observeBarrier(pod, client, signal)), pod, { client, logger, recorder }, signal);
    },
  };
}

export const containerLaunchPriorityController: ControllerModule = {
  name: controllerNames.containerLaunchPriority,
  workers: 4,
  define,
};
