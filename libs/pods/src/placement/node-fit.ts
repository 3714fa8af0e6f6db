/**
 * Whether a node is one for a Pod of a kind that runs once per node. Pure; made once for a template, and asked for every node.
 *
 * The two kinds differ on purpose: a daemon serves a node whatever the node's state, a job needs room to run.
 *
 * | asked of a node                              | DaemonSet                                        | BroadcastJob           |
 * | -------------------------------------------- | ------------------------------------------------ | ---------------------- |
 * | `nodeName` of the template                   | must be this node                                | is overwritten         |
 * | `nodeSelector`, required node affinity       | must match                                       | must match             |
 * | taints                                       | tolerated, or NoSchedule for a Pod that is there | tolerated              |
 * | tolerations                                  | the template's and those of daemons              | the template's         |
 * | `unschedulable`                              | no matter (its taint is tolerated)               | refuses, if untolerated |
 * | allocatable resources                        | no matter                                        | hold the Pod's requests |
 *
 * Other Pods of the node, host ports and readiness are left to scheduler and kubelet by both.
 * @see spec/daemonset.md 5.3 and spec/broadcastjob.md 5.2
 */
import { parseQuantity, type Node, type Pod, type PodSpec } from '@kruise/objects';
import { daemonTolerations } from './daemon-tolerations.ts';
import { nodeSelection } from './node-selection.ts';
import { podRequests } from './pod-requests.ts';
import { toleranceOf, untolerated } from './tolerations.ts';

/** What a node is for a daemon. */
export interface DaemonFit {
  /** A Pod is created where there is none. */
  readonly shouldRun: boolean;
  /** A Pod that is there stays. */
  readonly shouldContinueRunning: boolean;
}

const fits: DaemonFit = { shouldRun: true, shouldContinueRunning: true };
const fitsIfThere: DaemonFit = { shouldRun: false, shouldContinueRunning: true };
const unfit: DaemonFit = { shouldRun: false, shouldContinueRunning: false };

/** @param spec of the DaemonSet's template, without the tolerations of daemons */
export function daemonFit(spec: PodSpec): (node: Node) => DaemonFit {
  const isSelected = nodeSelection(spec);
  const tolerates = toleranceOf(daemonTolerations(spec));
  const nodeName = spec.nodeName ?? '';
  return (node) => {
    if ((nodeName !== '' && nodeName !== node.metadata.name) || !isSelected(node)) return unfit;
    const against = untolerated(node, tolerates, ['NoSchedule', 'NoExecute']);
    if (against.length === 0) return fits;
    return against.some(({ effect }) => effect === 'NoExecute') ? unfit : fitsIfThere;
  };
}

const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** @param spec of the BroadcastJob's template, whose `nodeName` does not count */
export function jobFit(spec: PodSpec): (node: Node) => boolean {
  const isSelected = nodeSelection(spec);
  const tolerates = toleranceOf(spec.tolerations);
  const isCordonTolerated = tolerates(cordon);
  const requests = [...podRequests(spec)].filter(([, amount]) => amount > 0n);
  return (node) =>
    isSelected(node) &&
    untolerated(node, tolerates, ['NoSchedule', 'NoExecute']).length === 0 &&
    (node.spec?.unschedulable !== true || isCordonTolerated) &&
    hasRoom(node, requests);
}

/**
 * The same of a Pod that is there, which is on one node or for one.
 *
 * @param fitOf remembers what was made for a spec
 */
export const isFitFor = ({ spec }: Pick<Pod, 'spec'>, node: Node, fitOf: (spec: PodSpec) => (node: Node) => boolean = jobFit): boolean =>
  ((spec.nodeName ?? '') === '' || spec.nodeName === node.metadata.name) && fitOf(spec)(node);

/** Of an empty node: what others use is not subtracted. */
function hasRoom({ status }: Node, requests: readonly (readonly [string, bigint])[]): boolean {
  const allocatable = (name: string): bigint => parseQuantity(status?.allocatable?.[name])?.nanos ?? 0n;
  return allocatable('pods') >= 1_000_000_000n && requests.every(([name, amount]) => amount <= allocatable(name));
}
