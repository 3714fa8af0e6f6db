/** Phases of one object: it is created, then patched. Each phase begins where the one before ended. */
import type { Client } from '@kruise/kube';
import { keyOf, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { namespace, newImage, replace } from '../objects/workloads.ts';
import type { Phase } from './phase.ts';

interface Observed {
  readonly observedGeneration?: number;
}

export interface Change<S> {
  readonly name: string;
  /** A JSON patch. */
  readonly patch?: readonly object[];
  /** In the place of a patch. The object is created when there is neither. */
  readonly begin?: (() => Promise<unknown>) | undefined;
  /** Asked once the status is about the spec as it is. */
  readonly isDone: (status: S) => boolean | Promise<boolean>;
  /** See `Phase`. */
  readonly least?: number;
}

/** @param count of what a phase handles: Pods, nodes or namespaces @returns a minute, and 240 ms for each */
export const timeFor = (count: number): number => 60_000 + count * 240;

/** The `count` is of what the phase handles: Pods, nodes or namespaces. */
export function phaseOf<S extends Observed, T extends KubeObject & { readonly status?: S }>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  { count, name, patch, begin, isDone, least }: Change<S> & { readonly count: number },
): Phase {
  const key = keyOf(object);
  const write = (): Promise<unknown> =>
    patch === undefined ? client.create(type, object) : client.patch(type, key, patch, { type: 'json' });
  return {
    name,
    begin: begin ?? write,
    isOver: async () => {
      const { metadata, status } = await client.get(type, key);
      return status !== undefined && status.observedGeneration === metadata.generation && isDone(status);
    },
    timeoutMs: timeFor(count),
    least,
  };
}

/** @param about begins the name of each phase */
export const phasesOf = <S extends Observed, T extends KubeObject & { readonly status?: S }>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  { about = '', count, changes }: { readonly about?: string; readonly count: number; readonly changes: readonly Change<S>[] },
): readonly Phase[] => changes.map((change) => phaseOf(client, type, object, { ...change, count, name: `${about}${change.name}` }));

/** The progress of a rollout, the same for all kinds. */
interface RolloutStatus extends Observed {
  readonly replicas: number;
  readonly updatedReadyReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
}

/** Create, update in place, update by recreation, scale to 0. Two readiness gates of a Pod belong to two controllers. */
export function rolloutPhases<T extends KubeObject & { readonly status?: RolloutStatus }>(
  client: Client,
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
      isDone: async (status) => status.replicas === 0 && (await client.list(pods, left)).items.length === 0,
    },
  ];
  return phasesOf(client, type, object, { count: replicas, changes });
}
