/** Watches of the kinds of workloads that some WorkloadSpread is for: each from the first of them on, and none before. */
import type { WorkloadSpread } from '@kruise/api';
import type { Informer, Request, StoreEvent, Watch } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import type { Caches } from '../../caches/caches.ts';
import { deployments, replicaSets, isSameKind, targetOf } from '@kruise/workloads';
import { spreadableType } from '@kruise/kinds/workloadspread';

type ToRequests = (event: StoreEvent<KubeObject>, type: ResourceType) => readonly Request[];

/** Includes the kind between a Deployment and its Pods. */
function typesFor(spread: WorkloadSpread): readonly ResourceType[] {
  const target = targetOf(spread);
  const type = target === undefined ? undefined : spreadableType(target);
  if (type === undefined) return [];
  return isSameKind(type, deployments) ? [type, replicaSets] : [type];
}

export function watchTargets(
  spreads: Informer<WorkloadSpread>,
  caches: Caches,
  { toRequests, isServed }: { readonly toRequests: ToRequests; readonly isServed: (type: ResourceType) => boolean },
): Watch {
  return {
    waitForSync: (signal) => spreads.reflector.waitForSync(signal),
    start: (take, onFailure) => {
      const stops: (() => void)[] = [];
      const watched = new Set<ResourceType>();
      const watchType = (type: ResourceType): void => {
        if (watched.has(type) || !isServed(type)) return;
        watched.add(type);
        const subscription = caches.of(type).store.subscribe((event) => {
          try {
            const requests = toRequests(event, type);
            if (requests.length > 0) take(requests, event.kind === 'Added' && event.initial);
          } catch (error) {
            onFailure(error, event.object);
          }
        });
        stops.push(subscription);
      };
      stops.push(spreads.store.subscribe(({ object }) => typesFor(object).forEach(watchType)));
      return () => stops.forEach((stop) => stop());
    },
  };
}
