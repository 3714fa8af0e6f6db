/** Which nodes a job is for, and which of its Pods have no place any more. Pure. @see spec/broadcastjob.md 5.3 (6, 8) and 8 */
import type { BroadcastJob } from '@kruise/api';
import { isPodActive, type Node, type Pod } from '@kruise/objects';
import { isFitFor, nodeOf } from '@kruise/pods';
import type { OnPod } from '@kruise/workloads';
import type { Note } from './action.ts';
import { fitOf } from './fit-memory.ts';

export interface NodePlan {
  /** Nodes that run the Pod, have run it, or should, in the order of names. */
  readonly desired: readonly string[];
  /** Those of `desired` without a Pod. */
  readonly rest: readonly string[];
  /** Active Pods, each with why it has to go. */
  readonly misplaced: readonly OnPod[];
  /** Whether every node of `desired` has a Pod that is no longer active. */
  readonly isDone: boolean;
  readonly notes: readonly Note[];
}

interface Placed {
  readonly byNode: ReadonlyMap<string, Pod>;
  readonly notes: readonly Note[];
}

/** Of two Pods for one node the later counts. */
function placed(pods: readonly Pod[]): Placed {
  const byNode = new Map<string, Pod>();
  const notes: Note[] = [];
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node === undefined) continue;
    if (byNode.has(node)) notes.push({ kind: 'DuplicatePod', pod: pod.metadata.name, node });
    byNode.set(node, pod);
  }
  return { byNode, notes };
}

/** Whether the Pod that is there may stay, or one could be made. */
const isWanted = (node: Node, pod: Pod | undefined, fits: (node: Node) => boolean): boolean =>
  pod === undefined ? fits(node) : !isPodActive(pod) || isFitFor(pod, node, fitOf);

/** Pods that wait for a deleted node; the garbage collector deletes Pods that were bound to it. */
const waitingFor = (node: string, pod: Pod): readonly OnPod[] =>
  (pod.spec.nodeName ?? '') === '' && isPodActive(pod) ? [{ pod, because: `node ${node}, which it waits for, no longer exists` }] : [];

/**
 * A finished Pod stays, and its node stays desired: the work is done there, whatever happens to the node. A Pod that waits for a deleted node
 * would wait indefinitely.
 *
 * @param pods of the job, in the order of names
 * @param nodes all, in the order of names
 */
export function planNodes(job: BroadcastJob, pods: readonly Pod[], nodes: readonly Node[]): NodePlan {
  const { byNode, notes } = placed(pods);
  const fits = fitOf(job.spec.template.spec ?? { containers: [] });
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const desired: string[] = [];
  const misplaced: OnPod[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    const pod = byNode.get(name);
    if (isWanted(node, pod, fits)) desired.push(name);
    else if (pod !== undefined) misplaced.push({ pod, because: `node ${name} is no longer eligible` });
  }
  const isOver = (name: string): boolean => {
    const pod = byNode.get(name);
    return pod !== undefined && !isPodActive(pod);
  };
  return {
    desired,
    rest: desired.filter((name) => !byNode.has(name)),
    misplaced: [...misplaced, ...[...byNode].flatMap(([name, pod]) => (names.has(name) ? [] : waitingFor(name, pod)))],
    isDone: desired.length > 0 && desired.every(isOver),
    notes,
  };
}
