/** What a controller leaves on a Pod when an update or a deletion does not come to its end. */
import { labels } from '@kruise/api';
import { isPodReady, podCondition, type Pod } from '@kruise/objects';

const readinessConditions = ['KruisePodReady', 'InPlaceUpdateReady'];

/** What keeps `pod` from being a Pod at rest with `image`; empty when nothing does. */
export function podLeftovers(pod: Pod, image: string): readonly string[] {
  const { metadata, spec } = pod;
  const state = metadata.labels?.[labels.lifecycleState] ?? 'Normal';
  const keys = podCondition(pod, 'KruisePodReady')?.message ?? '';
  return [
    ...(spec.containers[0]?.image === image ? [] : [`has the image ${spec.containers[0]?.image}`]),
    ...(metadata.deletionTimestamp === undefined ? [] : ['is being deleted']),
    ...(isPodReady(pod) ? [] : ['is not ready']),
    ...(state === 'Normal' ? [] : [`is in the lifecycle state ${state}`]),
    ...(metadata.labels?.[labels.specifiedDelete] === undefined ? [] : ['is marked for deletion']),
    ...(['', '[]', 'null'].includes(keys) ? [] : [`has the readiness keys ${keys}`]),
    ...readinessConditions.filter((type) => podCondition(pod, type)?.status === 'False').map((type) => `has the condition ${type}=False`),
  ].map((what) => `${metadata.name} ${what}`);
}
