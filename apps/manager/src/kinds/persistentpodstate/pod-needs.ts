/** Which Pods the injection has to see: those whose workload some PersistentPodState is for. Pure. */
import type { RequestNeed } from '@kruise/admission';
import { persistentPodStateAnnotations, type PersistentPodState } from '@kruise/api';
import { ownerNeeds, type OwnedPods } from '../../workloads/owner-needs.ts';
import { targetOf } from '@kruise/workloads';

/** What injection leaves in a Pod. */
export const injectionTrace = `has(object.metadata.annotations) && "${persistentPodStateAnnotations.injected}" in object.metadata.annotations`;

/** One for each kind of workload, in their order. */
export const persistentPodStateNeeds = (states: readonly Pick<PersistentPodState, 'metadata' | 'spec'>[]): readonly RequestNeed[] =>
  ownerNeeds(
    'persistentpodstate',
    states.flatMap((state): readonly OwnedPods[] => {
      const target = targetOf(state);
      return target === undefined ? [] : [{ ...target, namespace: state.metadata.namespace ?? 'default' }];
    }),
  );
