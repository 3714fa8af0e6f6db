/** What the rules read of each node in every pass: computed once for each node whose Pods have changed. Pure. */
import type { DaemonSet } from '@kruise/api';
import { memoizedList, type Pod } from '@kruise/objects';
import { podViewOf, type PodView } from '@kruise/workloads';
import { generationOf } from '../pods/new-pod.ts';
import { isFailed, isOfUpdate, isUpdateGateOpen } from '../pods/pod-facts.ts';
import type { Site } from './sites.ts';

/** A Pod with its view. */
export interface ViewedPod {
  readonly pod: Pod;
  readonly view: PodView;
}

/** A node as an update sees it: terminating Pods do not count. */
export interface UpdateSite {
  readonly site: Site;
  /** The Pod of the update revision that counts first. */
  readonly fresh?: ViewedPod;
  /** The Pod of another revision that counts first. */
  readonly old?: ViewedPod;
  /** More than one of either: placement puts that right. */
  readonly isCrowded: boolean;
}

/** A node as all rules see it. */
export interface SiteFacts extends UpdateSite {
  /** The Pod that counts first, also when it is terminating. */
  readonly first?: ViewedPod & { readonly isUpdated: boolean; readonly isGateOpen: boolean };
  /** Whether the node keeps its only Pod, so that placement has nothing to do. */
  readonly isPlaced: boolean;
}

const viewed = (pod: Pod): ViewedPod => ({ pod, view: podViewOf(pod) });

function isPlaced({ fit, pods: [pod, ...others] }: Site): boolean {
  if (pod === undefined || others.length > 0 || !fit.shouldContinueRunning) return false;
  const { isTerminating, state } = podViewOf(pod);
  return !isTerminating && !isFailed(pod) && state !== 'PreparingDelete';
}

const factsOf = memoizedList((site: Site, hash: string, generation: string | undefined): SiteFacts => {
  const isUpdated = ({ pod }: ViewedPod): boolean => isOfUpdate(pod, hash, generation);
  const all = site.pods.map(viewed);
  const staying = all.filter(({ view }) => !view.isTerminating);
  const [fresh, old] = [staying.filter(isUpdated), staying.filter((one) => !isUpdated(one))];
  const [first] = all;
  return {
    site,
    ...(fresh[0] === undefined ? {} : { fresh: fresh[0] }),
    ...(old[0] === undefined ? {} : { old: old[0] }),
    isCrowded: fresh.length > 1 || old.length > 1,
    ...(first === undefined ? {} : { first: { ...first, isUpdated: isUpdated(first), isGateOpen: isUpdateGateOpen(first.pod) } }),
    isPlaced: isPlaced(site),
  };
});

/** Returns the facts of the nodes, in the order of the list. @param hash of the update revision */
export const siteFactsOf = (set: DaemonSet, sites: readonly Site[], hash: string): readonly SiteFacts[] =>
  factsOf(set.metadata, sites, hash, generationOf(set));
