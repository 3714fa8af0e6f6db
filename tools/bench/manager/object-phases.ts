/** Phases of one object, as data: it is created, then patched. Each phase begins where the one before ended. Pure. */
import type { Client } from '@kruise/kube';
import { keyOf, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { namespace, newImage, replace } from '../objects/workloads.ts';
import type { Phase } from './phase.ts';

interface Observed {
  readonly observedGeneration?: number;
}

export interface Change<S> extends Pick<Phase, 'name' | 'least'> {
  /** A JSON patch. */
  readonly patch?: readonly object[];
  /** In the place of a patch. The object is created when there is neither. */
  readonly begin?: Phase['begin'] | undefined;
  /** Asked once the status is about the spec as it is. */
  readonly isDone: (status: S, client: Client) => boolean | Promise<boolean>;
}

/** @param count of what a phase handles: Pods, nodes or namespaces @returns a minute, and 240 ms for each */
export const timeFor = (count: number): number => 60_000 + count * 240;

/** @param count of what the phase handles: Pods, nodes or namespaces */
export const phaseOf = <S extends Observed, T extends KubeObject & { readonly status?: S }>(
  type: ResourceType<T>,
  object: T,
  count: number,
  { name, least, patch, begin, isDone }: Change<S>,
): Phase => ({
  name,
  least,
  begin:
    begin ?? ((client) => (patch === undefined ? client.create(type, object) : client.patch(type, keyOf(object), patch, { type: 'json' }))),
  isOver: async (client) => {
    const { metadata, status } = await client.get(type, keyOf(object));
    return status !== undefined && status.observedGeneration === metadata.generation && isDone(status, client);
  },
  timeoutMs: timeFor(count),
});

/** The progress of a rollout, the same for all kinds. */
interface RolloutStatus extends Observed {
  readonly replicas: number;
  readonly updatedReadyReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
}

/** Create, update in place, update by recreation, scale to 0. Two readiness gates of a Pod belong to two controllers. */
export function rolloutPhases<T extends KubeObject & { readonly status?: RolloutStatus }>(
  type: ResourceType<T>,
  object: T,
  replicas: number,
): readonly Phase[] {
  const isDone = (status: RolloutStatus): boolean =>
    status.replicas === replicas && status.updatedReadyReplicas === replicas && status.currentRevision === status.updateRevision;
  const left = { namespace, labelSelector: `app=${object.metadata.name}`, limit: 1 };
  const recreate = replace('/spec/updateStrategy/rollingUpdate/podUpdatePolicy', 'ReCreate');
  const changes: readonly Change<RolloutStatus>[] = [
    // Of each Pod itself, and its readiness gates InPlaceUpdateReady and KruisePodReady.
    { name: `create ${replicas} Pods`, isDone, least: replicas * 3 },
    // Out of service, the new image, in service again.
    { name: 'in-place update, 20 % at a time', patch: [newImage(2)], isDone, least: replicas * 3 },
    // The old Pod, and the new one as above.
    { name: 'recreate update, 20 % at a time', patch: [recreate, newImage(3)], isDone, least: replicas * 4 },
    // The Pod.
    {
      name: 'scale to 0',
      patch: [replace('/spec/replicas', 0)],
      least: replicas,
      isDone: async (status, client) => status.replicas === 0 && (await client.list(pods, left)).items.length === 0,
    },
  ];
  return changes.map((change) => phaseOf(type, object, replicas, change));
}
