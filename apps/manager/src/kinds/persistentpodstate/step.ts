/** Step 6 of the Pod webhook: steers a Pod that is created again to where it was. Reads caches only. @see spec/persistentpodstate.md 4.1 */
import { persistentPodStates, persistentPodStateWhiteListKey } from '@kruise/api';
import { controllerOf, type Pod } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import type { PodStep } from '../../module/pod-step.ts';
import { whiteListOf } from '../../workloads/finder/index.ts';
import { withRememberedPlace, isSupported } from '@kruise/kinds/persistentpodstate';
import { injectionTrace, persistentPodStateNeeds } from './pod-needs.ts';
import { byTarget, chosenFor, targetOfOwner, targetText } from '@kruise/workloads';

export function persistentPodStateStep({ caches, podNamespace }: Pick<HandlerDependencies, 'caches' | 'podNamespace'>): PodStep {
  const states = caches.of(persistentPodStates, byTarget);
  const whiteList = whiteListOf(caches, podNamespace, persistentPodStateWhiteListKey);
  const apply = async (pod: Pod, signal: AbortSignal): Promise<Pod> => {
    const owner = controllerOf(pod);
    if (owner === undefined) return pod;
    if (!states.store.synced) await states.reflector.waitForSync(signal);
    const target = targetOfOwner(owner);
    const targeting = states.store.byIndex(byTarget, targetText(target), { namespace: pod.metadata.namespace ?? '' });
    if (targeting.length === 0 || !isSupported(target, whiteList.reading())) return pod;
    const state = chosenFor(targeting);
    return state === undefined ? pod : withRememberedPlace(pod, state);
  };
  return {
    name: 'persistent-pod-state',
    needs: {
      trace: injectionTrace,
      isReady: () => states.store.synced,
      current: () => persistentPodStateNeeds(states.store.list()),
      watch: (changed) => void states.store.subscribe(changed),
    },
    apply: async (pod, _request, signal) => ({ kind: 'Pod', pod: await apply(pod, signal) }),
  };
}
