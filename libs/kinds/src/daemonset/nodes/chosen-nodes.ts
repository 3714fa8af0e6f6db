/** Which nodes come to the update revision. Pure. @see spec/daemonset.md 5.6 step 3, 5.7 */
import type { DaemonSet } from '@kruise/api';
import { isTerminating, type LabelMatcher, type Pod } from '@kruise/objects';
import { isPreparingDelete } from '@kruise/workloads';
import { isUpdated } from '../pods/pod-facts.ts';
import type { Site, Sites } from './sites.ts';
import { partitionOf, updatedNodesOf } from '../snapshot/strategy.ts';

/** A node as an update sees it: Pods that go do not count. */
export interface UpdateSite {
  readonly site: Site;
  /** The one of the update revision that counts first. */
  readonly fresh?: Pod;
  /** The one of another revision that counts first. */
  readonly old?: Pod;
  /** More than one of either: placement puts that right. */
  readonly isCrowded: boolean;
}

/** The nodes that an update is about. */
export interface ChosenNodes {
  /** In the order in which they are updated. */
  readonly chosen: readonly UpdateSite[];
  /** Those that have no Pod of the update revision and keep what they have. */
  readonly left: readonly UpdateSite[];
  /** Nodes that are to run the Pod, have one of another revision, and keep it. */
  readonly kept: number;
}

function updateSiteOf(set: DaemonSet, site: Site, hash: string): UpdateSite {
  const staying = site.pods.filter((pod) => !isTerminating(pod));
  const fresh = staying.filter((pod) => isUpdated(set, pod, hash));
  const old = staying.filter((pod) => !isUpdated(set, pod, hash));
  return {
    site,
    ...(fresh[0] === undefined ? {} : { fresh: fresh[0] }),
    ...(old[0] === undefined ? {} : { old: old[0] }),
    isCrowded: fresh.length > 1 || old.length > 1,
  };
}

type Stage = 'Updated' | 'Updating' | 'Selected' | 'Rest';

function stageOf({ site, fresh, old, isCrowded }: UpdateSite, selected: LabelMatcher | undefined): Stage {
  if (isCrowded || fresh !== undefined) return 'Updated';
  if (old === undefined || isPreparingDelete(old)) return 'Updating';
  return selected?.matches(site.node?.metadata.labels) === true ? 'Selected' : 'Rest';
}

/**
 * @param hash of the update revision
 * @param prunesIneligible gate DaemonSetPruneIneligibleNodes: nodes that are not to have a Pod use up no budget
 */
export function chooseNodes(set: DaemonSet, { all, desired }: Sites, hash: string, prunesIneligible: boolean): ChosenNodes {
  const selected = updatedNodesOf(set);
  const stages: Record<Stage, UpdateSite[]> = { Updated: [], Updating: [], Selected: [], Rest: [] };
  let count = 0;
  for (const site of all.toReversed()) {
    const takesPart = site.node !== undefined && (site.fit.shouldRun || (!prunesIneligible && site.pods.length > 0));
    if (!takesPart) continue;
    count++;
    const update = updateSiteOf(set, site, hash);
    stages[stageOf(update, selected)].push(update);
  }
  const { Updated, Updating, Selected, Rest } = stages;
  const candidates = [...Updated, ...Updating, ...(selected === undefined ? Rest : Selected)];
  const chosen = candidates.slice(0, Math.max(count - partitionOf(set, desired), 0));
  const isOld = ({ site, old }: UpdateSite): boolean => site.fit.shouldRun && old !== undefined;
  const isChosen = new Set(chosen);
  const left = [...Updating, ...Selected, ...Rest].filter((update) => !isChosen.has(update));
  return { chosen, left, kept: left.filter(isOld).length };
}
