/** The shard of this Pod, as the replicas of its StatefulSet change. @see spec/kruise-state-metrics.md 3 */
import { ObjectStore, Reflector, type Client, type Clock, type Logger } from '@kruise/kube';
import { pods, type ObjectKey, type ResourceType } from '@kruise/objects';
import { StartError } from '@kruise/process';
import { nominalShard, statefulSetOf, type OwningStatefulSet } from '../sharding/nominal-shard.ts';
import type { Sharding } from '../sharding/shard-of.ts';

const statefulSets: ResourceType<OwningStatefulSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

export interface FollowShardParts {
  readonly client: Pick<Client, 'get' | 'list' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** This Pod. */
  readonly pod: ObjectKey;
  /** Called with the shard at first, and with each other one. */
  readonly onShard: (sharding: Sharding) => void;
}

/**
 * Follows the StatefulSet until `signal` aborts.
 *
 * @throws StartError when the Pod cannot be read or no StatefulSet controls it
 */
export async function followShard({ client, clock, logger, pod, onShard }: FollowShardParts, signal: AbortSignal): Promise<void> {
  const owner = statefulSetOf(await readPod(client, pod, signal));
  if (owner.kind === 'None') throw new StartError(`automatic sharding: ${owner.why}`);
  const store = new ObjectStore<OwningStatefulSet>({ type: statefulSets, clock, logger });
  let last: Sharding | undefined;
  store.subscribe((event) => {
    if (event.kind === 'Deleted') return;
    const sharding = nominalShard(pod.name, event.object);
    if (sharding === undefined)
      return logger.error({ pod: pod.name, statefulSet: owner.name }, 'The name of the Pod has no ordinal of the StatefulSet');
    if (sharding.shard === last?.shard && sharding.totalShards === last.totalShards) return;
    last = sharding;
    onShard(sharding);
  });
  await new Reflector({
    client,
    store,
    clock,
    logger,
    namespace: pod.namespace,
    fieldSelector: `metadata.name=${owner.name}`,
    streamingLists: false,
  }).run(signal);
}

async function readPod(client: Pick<Client, 'get'>, pod: ObjectKey, signal: AbortSignal): ReturnType<typeof client.get> {
  try {
    return await client.get(pods, pod, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new StartError(
      `automatic sharding: Pod ${pod.namespace}/${pod.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
