/** Whom a PodProbeMarker concerns. Pure. @see spec/podprobemarker.md 5.1 */
import { labels, type PodProbeMarker } from '@kruise/api';
import { isPodActive, labelMatcherOrNothing, podCondition, type LabelMatcher, type Node, type Pod, memoized } from '@kruise/objects';

export interface Targets {
  /** By node, in the order of the Pods. */
  readonly byNode: ReadonlyMap<string, readonly Pod[]>;
  /** Pods on nodes without a daemon: their provider runs the probes. */
  readonly serverless: readonly Pod[];
}

/** What the marker selects; nothing when its selector cannot be read. */
export const matcherOf: (marker: PodProbeMarker) => LabelMatcher = memoized((marker) => labelMatcherOrNothing(marker.spec?.selector));

/** Nodes without a kubelet and a daemon of their own. */
export const isVirtual = (node: Node): boolean => node.metadata.labels?.[labels.nodeType] === 'virtual-kubelet';

/** Whether probes may run in it: initialized, not finished, not going. */
export const isProbable = (pod: Pod): boolean => isPodActive(pod) && podCondition(pod, 'Initialized')?.status === 'True';

/** @param pods of the marker's namespace, in a stable order */
export function planTargets(marker: PodProbeMarker, pods: readonly Pod[], nodeAt: (name: string) => Node | undefined): Targets {
  const matcher = matcherOf(marker);
  const byNode = new Map<string, Pod[]>();
  const serverless: Pod[] = [];
  for (const pod of pods) {
    const node = matcher.matches(pod.metadata.labels) && isProbable(pod) ? nodeAt(pod.spec.nodeName ?? '') : undefined;
    if (node === undefined) continue;
    if (isVirtual(node)) serverless.push(pod);
    else byNode.set(node.metadata.name, [...(byNode.get(node.metadata.name) ?? []), pod]);
  }
  return { byNode, serverless };
}

export const countTargets = ({ byNode, serverless }: Targets): number =>
  [...byNode.values()].reduce((sum, pods) => sum + pods.length, serverless.length);
