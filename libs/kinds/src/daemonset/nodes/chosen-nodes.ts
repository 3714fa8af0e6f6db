/** Which nodes come to the update revision. Pure. @see spec/daemonset.md 5.6 step 3, 5.7 */
import type { DaemonSet } from '@kruise/api';
import type { LabelMatcher } from '@kruise/objects';
import { siteFactsOf, type UpdateSite } from './site-facts.ts';
import type { Sites } from './sites.ts';
import { partitionOf, updatedNodesOf } from '../snapshot/strategy.ts';

/** The nodes that an update is about. */
export interface ChosenNodes {
  /** In the order in which they are updated. */
  readonly chosen: readonly UpdateSite[];
  /** Those that have no Pod of the update revision and keep what they have. */
  readonly left: readonly UpdateSite[];
  /** Nodes that are to run the Pod, have one of another revision, and keep it. */
  readonly kept: number;
}

type Stage = 'Updated' | 'Updating' | 'Selected' | 'Rest';

function stageOf({ site, fresh, old, isCrowded }: UpdateSite, selected: LabelMatcher | undefined): Stage {
  if (isCrowded || fresh !== undefined) return 'Updated';
  if (old === undefined || old.view.state === 'PreparingDelete') return 'Updating';
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
  for (const update of siteFactsOf(set, all, hash).toReversed()) {
    const { site } = update;
    const takesPart = site.node !== undefined && (site.fit.shouldRun || (!prunesIneligible && site.pods.length > 0));
    if (!takesPart) continue;
    count++;
    stages[stageOf(update, selected)].push(update);
  }
  const { Updated, Updating, Selected, Rest } = stages;
  const candidates = [...Updated, ...Updating, ...(selected === undefined ? Rest : Selected)];
  const chosen = candidates.slice(0, Math.max(count - partitionOf(set, desired), 0));
  const isOld = ({ site, old }: UpdateSite): boolean => site.fit.shouldRun && old !== undefined;
  const isChosen = new Set(chosen.length < count ? chosen : []);
  const left = chosen.length < count ? [...Updating, ...Selected, ...Rest].filter((update) => !isChosen.has(update)) : [];
  return { chosen, left, kept: left.filter(isOld).length };
}
