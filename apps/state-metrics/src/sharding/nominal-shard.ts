/** The shard of a Pod of a StatefulSet. @see spec/kruise-state-metrics.md 3 */
import { parsePodOrdinal } from '@kruise/api';
import { controllerOf, type KubeObject } from '@kruise/objects';
import type { Sharding } from './shard-of.ts';

export interface OwningStatefulSet extends KubeObject {
  readonly spec?: { readonly replicas?: number | null; readonly ordinals?: { readonly start?: number } };
}

export type Owner = { readonly kind: 'Found'; readonly name: string } | { readonly kind: 'None'; readonly why: string };

/** Name of the StatefulSet of apps/v1 that controls a Pod. */
export function statefulSetOf(pod: KubeObject): Owner {
  const owner = controllerOf(pod);
  if (owner === undefined) return { kind: 'None', why: `Pod ${pod.metadata.name} has no controller` };
  if (owner.apiVersion !== 'apps/v1' || owner.kind !== 'StatefulSet')
    return {
      kind: 'None',
      why: `Pod ${pod.metadata.name} is controlled by a ${owner.kind} of ${owner.apiVersion}, not by a StatefulSet of apps/v1`,
    };
  return { kind: 'Found', name: owner.name };
}

/**
 * The shard of a Pod: its ordinal, counted from `spec.ordinals.start`, and as many shards as the StatefulSet has replicas.
 *
 * @returns undefined for a Pod whose name is not of the StatefulSet
 */
export function nominalShard(podName: string, set: OwningStatefulSet): Sharding | undefined {
  const parsed = parsePodOrdinal(podName);
  if (parsed?.parent !== set.metadata.name) return undefined;
  const shard = parsed.ordinal - (set.spec?.ordinals?.start ?? 0);
  return shard < 0 ? undefined : { shard, totalShards: set.spec?.replicas ?? 1 };
}
