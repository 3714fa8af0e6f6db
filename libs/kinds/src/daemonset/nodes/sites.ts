/** Which Pods are on which node, and which nodes are to have one. Pure. @see spec/daemonset.md 5.3, 5.5 */
import type { DaemonSet } from '@kruise/api';
import { compareUtf8, equalEnds, memoized, type Node, type Pod } from '@kruise/objects';
import { nodeOf, type DaemonFit } from '@kruise/pods';
import { fitOf } from './fit-memory.ts';
import { compareOnNode } from '../pods/pod-facts.ts';

/** One node, or the name of a deleted node. */
export interface Site {
  readonly name: string;
  /** Absent: Pods are on it, or wait for it, and it is no longer there. */
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
  /** By name; only nodes that exist. */
  readonly nodeNamed: ReadonlyMap<string, Node>;
}

/** What the sites of a DaemonSet were computed of last. */
interface Held {
  readonly fit: (node: Node) => DaemonFit;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly sites: Sites;
}

const memoryOf = memoized((_metadata: DaemonSet['metadata']): { held?: Held } => ({}));
const namedOf = memoized((nodes: readonly Node[]) => new Map(nodes.map((node) => [node.metadata.name, node])));
const indexOf = memoized((nodes: readonly Node[]) => new Map(nodes.map(({ metadata }, index) => [metadata.name, index])));

const nodeless: DaemonFit = { shouldRun: false, shouldContinueRunning: false };
const none: readonly Pod[] = [];

/** Pods that are for no node in particular are omitted: none of a DaemonSet is made like that. */
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

/** The sites after some Pods have changed; undefined when a node appears or vanishes. Only the nodes of these Pods are looked at. */
function changedSites({ nodes, pods: past, sites }: Held, pods: readonly Pod[]): Sites | undefined {
  if (sites.all.length !== nodes.length) return undefined;
  const { start, end } = equalEnds(past, pods);
  const removed = new Set(past.slice(start, past.length - end));
  const added = podsByNode(pods.slice(start, pods.length - end));
  const all = [...sites.all];
  for (const name of new Set([...[...removed].map(nodeOf), ...added.keys()])) {
    const index = name === undefined ? undefined : indexOf(nodes).get(name);
    const site = index === undefined ? undefined : all[index];
    if (name === undefined) continue;
    if (site === undefined || index === undefined) return undefined;
    const held = [...site.pods.filter((pod) => !removed.has(pod)), ...(added.get(name) ?? none)];
    all[index] = { ...site, pods: held.sort(compareOnNode) };
  }
  return { ...sites, all };
}

function allSites({ fit, nodes, pods }: Omit<Held, 'sites'>): Sites {
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
  const nodeNamed = namedOf(nodes);
  if (byNode.size === 0) return { all, desired, nodeNamed };
  const abandoned = [...byNode].map(([name, held]): Site => ({ name, fit: nodeless, pods: held }));
  return { all: [...all, ...abandoned].sort((a, b) => compareUtf8(a.name, b.name)), desired, nodeNamed };
}

/**
 * Returns the nodes with their Pods. A node whose Pods are the same as in the last pass is the same object.
 *
 * @param pods claimed
 * @param nodes in the order of names
 */
export function sitesOf({ metadata, spec }: DaemonSet, pods: readonly Pod[], nodes: readonly Node[]): Sites {
  const fit = fitOf(spec.template.spec ?? { containers: [] });
  const memory = memoryOf(metadata);
  const held = memory.held?.fit === fit && memory.held.nodes === nodes ? memory.held : undefined;
  const seen = { fit, nodes, pods };
  const sites = (held === undefined ? undefined : changedSites(held, pods)) ?? allSites(seen);
  memory.held = { ...seen, sites };
  return sites;
}
