/** Which Pods are on which node, and which nodes are to have one. Pure. @see spec/daemonset.md 5.3, 5.5 */
import type { DaemonSet } from '@kruise/api';
import { compareUtf8, type Node, type Pod } from '@kruise/objects';
import { nodeOf, type DaemonFit } from '@kruise/pods';
import { fitOf } from './fit-memory.ts';
import { compareOnNode } from '../pods/pod-facts.ts';

/** One node, or the name of a deleted node. */
export interface Site {
  readonly name: string;
  /** Absent: Pods are on it, or wait for it, and it is not there any more. */
  readonly node?: Node;
  readonly fit: DaemonFit;
  /** Claimed, terminating ones included, the one that counts first. */
  readonly pods: readonly Pod[];
}

export interface Sites {
  /** In the order of names. */
  readonly all: readonly Site[];
  /** How many nodes should run the Pod. */
  readonly desired: number;
}

const nodeless: DaemonFit = { shouldRun: false, shouldContinueRunning: false };
const none: readonly Pod[] = [];

/** Pods that are for no node in particular are left out: none of a DaemonSet is made like that. */
function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    const held = node === undefined ? undefined : byNode.get(node);
    if (held !== undefined) held.push(pod);
    else if (node !== undefined) byNode.set(node, [pod]);
  }
  for (const held of byNode.values()) if (held.length > 1) held.sort(compareOnNode);
  return byNode;
}

/**
 * @param pods claimed
 * @param nodes in the order of names
 */
export function sitesOf({ spec }: DaemonSet, pods: readonly Pod[], nodes: readonly Node[]): Sites {
  const fit = fitOf(spec.template.spec ?? { containers: [] });
  const byNode = new Map(podsByNode(pods));
  let desired = 0;
  const all = nodes.map((node): Site => {
    const { name } = node.metadata;
    const fitness = fit(node);
    const held = byNode.get(name) ?? none;
    byNode.delete(name);
    if (fitness.shouldRun) desired++;
    return { name, node, fit: fitness, pods: held };
  });
  if (byNode.size === 0) return { all, desired };
  const abandoned = [...byNode].map(([name, held]): Site => ({ name, fit: nodeless, pods: held }));
  return { all: [...all, ...abandoned].sort((a, b) => compareUtf8(a.name, b.name)), desired };
}
