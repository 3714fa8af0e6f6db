/** What a pass does about one marker. Pure. @see spec/podprobemarker.md 5.1 */
import { podProbeMarkerFinalizer, type NodePodProbe, type PodProbeMarker } from '@kruise/api';
import { compareUtf8, hasFinalizer, type Pod, type Stage } from '@kruise/objects';
import { countTargets, type Targets } from '../probes/plan-targets.ts';
import type { Action } from './action.ts';
import { planNodeProbes, type NodeProbesPlan } from './plan-node-probes.ts';
import { planServerlessMarks } from './plan-serverless.ts';

export interface Snapshot {
  readonly marker: PodProbeMarker;
  /** The Pods that it selects, by where they run. */
  readonly targets: Targets;
  /** Lists of the nodes that have one of these Pods, and of those that have a share of the marker; any order. */
  readonly lists: readonly NodePodProbe[];
  /** Gate EnablePodProbeMarkerOnServerless. */
  readonly marksServerless: boolean;
}

export interface Plan {
  /** Before the first list. */
  readonly begin: readonly Action[];
  readonly lists: readonly Action[];
  readonly serverless: readonly Action[];
  /** Once no list has a share of the marker. */
  readonly end: readonly Action[];
  /** Pods that the marker selects; absent for a marker that is being deleted. */
  readonly matchedPods?: number;
  /** Probes that cannot run, as their container has no port of that name. */
  readonly unresolved: NodeProbesPlan['unresolved'];
  /** Nodes whose lists have no room for probes of the marker, in ascending order. */
  readonly fullNodes: readonly string[];
}

/** What fails on one node delays neither the others nor the status; the marker is deleted once no list has a share of it. */
export const stagesOf = ({ begin, lists, serverless, end }: Plan): readonly Stage<Action>[] => [
  { name: 'begin', actions: begin, onFailure: 'Stop' },
  { name: 'lists', actions: lists, onFailure: 'Collect', pace: 'AtOnce' },
  { name: 'serverless', actions: serverless, onFailure: 'Collect' },
  { name: 'end', actions: end, onFailure: 'Stop', needs: ['lists', 'serverless'] },
];

/** What waits once an action is refused; the rest is done to Pods, or to the marker. */
export const objectOf = (action: Action): string | undefined => (action.kind === 'UpdateList' ? action.list.metadata.name : undefined);

/** The status for the generation that was acted on; none where it does not differ, and for a marker that is being deleted. */
export function statusOf(
  { metadata: { generation: observedGeneration = 0 }, status }: PodProbeMarker,
  matchedPods: number | undefined,
): { readonly status?: NonNullable<PodProbeMarker['status']> } {
  const isShown = status?.observedGeneration === observedGeneration && (status.matchedPods ?? 0) === matchedPods;
  return matchedPods === undefined || isShown ? {} : { status: { ...status, observedGeneration, matchedPods } };
}

const nothing: Plan = { begin: [], lists: [], serverless: [], end: [], unresolved: [], fullNodes: [] };

function planLists({ marker, lists }: Snapshot, wanted: Targets['byNode'], why: string): Pick<Plan, 'lists' | 'unresolved' | 'fullNodes'> {
  const planned = lists.map((list) => {
    const here: readonly Pod[] = wanted.get(list.metadata.name) ?? [];
    const held = list.spec?.podProbes ?? [];
    const { podProbes, unresolved, refused } = planNodeProbes(held, marker, here);
    const because = `${here.length} Pods of node ${list.metadata.name} ${why}`;
    const actions: readonly Action[] = podProbes === held ? [] : [{ kind: 'UpdateList', list, pods: here, because }];
    return { actions, unresolved, fullNodes: refused.length > 0 ? [list.metadata.name] : [] };
  });
  return {
    lists: planned.flatMap(({ actions }) => actions),
    unresolved: planned.flatMap(({ unresolved }) => unresolved),
    fullNodes: planned.flatMap(({ fullNodes }) => fullNodes).toSorted(compareUtf8),
  };
}

/** What is its own in the lists is taken away first, then it may go. */
function planEnd(seen: Snapshot): Plan {
  if (!hasFinalizer(seen.marker, podProbeMarkerFinalizer)) return nothing;
  const removed = planLists(seen, new Map(), 'are probed for the marker, which is being deleted');
  return { ...nothing, lists: removed.lists, end: [{ kind: 'RemoveFinalizer', because: 'no list contains probes of the marker' }] };
}

export function plan(seen: Snapshot): Plan {
  const { marker, targets, marksServerless } = seen;
  if (marker.metadata.deletionTimestamp !== undefined) return planEnd(seen);
  const isHeld = hasFinalizer(marker, podProbeMarkerFinalizer);
  const marks = (pod: Pod): readonly Action[] => {
    const patch = planServerlessMarks(marker, pod);
    return patch === undefined
      ? []
      : [{ kind: 'MarkServerlessPod', pod, patch, because: 'its labels and annotations do not match the results of its probes' }];
  };
  return {
    ...nothing,
    begin: isHeld ? [] : [{ kind: 'AddFinalizer', because: 'its probes must be removed from the lists before it is deleted' }],
    ...planLists(seen, targets.byNode, 'match the marker'),
    serverless: marksServerless ? targets.serverless.flatMap(marks) : [],
    matchedPods: countTargets(targets),
  };
}
