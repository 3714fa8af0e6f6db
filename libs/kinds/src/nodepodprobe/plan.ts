/** What a pass does about the work list of one node. Pure. @see spec/podprobemarker.md 5.2 */
import type { NodePodProbe, PodProbeMarker } from '@kruise/api';
import { unreachable, type Node, type ObjectKey, type Pod, type Stage } from '@kruise/objects';
import { askedResults, planList, podOf, withoutEndedPods, type NodePods } from './plan-list.ts';
import { planPodResults, planResultsPatch, type PodResults } from './plan-results.ts';

export interface Snapshot {
  /** The name of the node, and of its list. */
  readonly name: string;
  readonly list: NodePodProbe | undefined;
  readonly node: Node | undefined;
  readonly podAt: NodePods['podAt'];
  readonly markerAt: (key: ObjectKey) => PodProbeMarker | undefined;
}

export type Action = { readonly because: string } & (
  | { readonly kind: 'CreateList'; readonly name: string }
  | { readonly kind: 'DeleteList'; readonly list: NodePodProbe }
  /** Takes Pods off the list that have ended. */
  | { readonly kind: 'DropEnded'; readonly list: NodePodProbe }
  | { readonly kind: 'WriteResults'; readonly pod: Pod; readonly results: PodResults }
);

export interface Plan {
  readonly list: readonly Action[];
  readonly results: readonly Action[];
}

/** What a refused write of one Pod means for the others: nothing. Results of a list with ended Pods wait until these are off it. */
export const stagesOf = ({ list, results }: Plan): readonly Stage<Action>[] => [
  { name: 'list', actions: list, onFailure: 'Stop' },
  { name: 'results', actions: results, onFailure: 'Collect' },
];

function planResults(list: NodePodProbe, pods: NodePods, markerAt: Snapshot['markerAt']): readonly Action[] {
  return askedResults(list).flatMap((status): readonly Action[] => {
    const pod = podOf(status, pods);
    if (pod === undefined) return [];
    const { namespace } = status;
    const results = planPodResults(status, (name) => markerAt({ namespace, name }));
    const because = `the Pod does not show the results of node ${pods.node}`;
    return planResultsPatch(pod, results) === undefined ? [] : [{ kind: 'WriteResults', pod, results, because }];
  });
}

export function plan({ name, list, node, podAt, markerAt }: Snapshot): Plan {
  const verdict = planList(list, node);
  switch (verdict) {
    case 'Create':
      return { list: [{ kind: 'CreateList', name, because: `node ${name} has no list` }], results: [] };
    case 'Delete':
      return { list: list === undefined ? [] : [{ kind: 'DeleteList', list, because: `node ${name} no longer exists` }], results: [] };
    case 'Keep': {
      if (list === undefined) return { list: [], results: [] };
      const pods = { node: name, podAt };
      const held = list.spec?.podProbes ?? [];
      const left = withoutEndedPods(held, pods);
      const because = `${held.length - left.length} of ${held.length} Pods have ended`;
      return { list: left === held ? [] : [{ kind: 'DropEnded', list, because }], results: planResults(list, pods, markerAt) };
    }
    default:
      return unreachable(verdict);
  }
}
