/** The phases of a workload of any kind: create, update in place, update by recreation, scale to 0. */
import type { Client } from '@kruise/kube';
import { pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { namespace } from '../manager/namespace.ts';
import type { Phase } from '../manager/phase.ts';
import { inPlaceUpdate, recreateUpdate, scaleToZero } from './clone-set.ts';

/** The progress of a rollout, the same for all kinds. */
interface LivingStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly updatedReadyReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
}

/** A workload as it is created. */
export interface Living<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly object: T;
  readonly replicas: number;
}

/** In their order; each begins where the one before ended. */
export function phasesOf<T extends KubeObject & { readonly status?: LivingStatus }>(
  client: Client,
  { type, object, replicas }: Living<T>,
): readonly Phase[] {
  const { name } = object.metadata;
  const key = { namespace, name };
  const labelSelector = `app=${name}`;
  const patch = (operations: readonly object[]): Promise<unknown> => client.patch(type, key, operations, { type: 'json' });
  /** Whether the status is about the spec as it is, and fulfils `test`. */
  const statusIs = async (test: (status: LivingStatus) => boolean): Promise<boolean> => {
    const { metadata, status } = await client.get(type, key);
    return status !== undefined && status.observedGeneration === metadata.generation && test(status);
  };
  const isRolledOut = (): Promise<boolean> =>
    statusIs(
      (status) =>
        status.replicas === replicas && status.updatedReadyReplicas === replicas && status.currentRevision === status.updateRevision,
    );
  const isGone = async (): Promise<boolean> =>
    (await statusIs((status) => status.replicas === 0)) &&
    (await client.list(pods, { namespace, labelSelector, limit: 1 })).items.length === 0;
  const timeoutMs = 60_000 + replicas * 120;
  return [
    { name: `create ${replicas} Pods`, begin: () => client.create(type, object), isOver: isRolledOut, timeoutMs },
    { name: 'in-place update, 20 % at a time', begin: () => patch(inPlaceUpdate), isOver: isRolledOut, timeoutMs },
    { name: 'recreate update, 20 % at a time', begin: () => patch(recreateUpdate), isOver: isRolledOut, timeoutMs },
    { name: 'scale to 0', begin: () => patch(scaleToZero), isOver: isGone, timeoutMs },
  ];
}
