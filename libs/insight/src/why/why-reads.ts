/** What an explanation reads besides the tree: warnings, autoscalers and Rollouts of the namespace, and nodes of Pods that are not ready. */
import { isPodReady, type Pod } from '@kruise/objects';
import { treeReads, type Read } from '../reads.ts';
import type { AnyObject } from '../seen.ts';

/** Nodes of more Pods would show the same. */
const mostNodes = 5;

/** Returns what the explanation of an object needs. @see treeReads */
export function whyReads(root: AnyObject, objects: readonly AnyObject[]): readonly Read[] {
  const { namespace } = root.metadata;
  const at = namespace === undefined ? {} : { namespace };
  const pods = [root, ...objects].filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[];
  const lost = pods
    .filter((pod) => !isPodReady(pod) || pod.metadata.deletionTimestamp !== undefined)
    .map(({ spec }) => spec.nodeName ?? '');
  const nodes = [...new Set(lost)].filter((name) => name !== '').toSorted();
  return [
    ...treeReads(root, objects),
    ...(namespace === undefined ? [] : [{ group: '', kind: 'Event', ...at, fieldSelector: 'type=Warning' }]),
    ...(namespace === undefined || root.kind === 'Pod'
      ? []
      : [
          { group: 'autoscaling', kind: 'HorizontalPodAutoscaler', ...at },
          { group: 'rollouts.kruise.io', kind: 'Rollout', ...at },
        ]),
    ...nodes.slice(0, mostNodes).map((name) => ({ group: '', kind: 'Node', fieldSelector: `metadata.name=${name}` })),
  ];
}
