/**
 * Decides whether a node fits a Pod of a kind that runs once per node. Pure; created once for a template, and used for every node.
 *
 * The two kinds differ on purpose: a daemon serves a node whatever the node's state, a job needs room to run.
 *
 * | checked of a node                            | DaemonSet                                        | BroadcastJob           |
 * | -------------------------------------------- | ------------------------------------------------ | ---------------------- |
 * | `nodeName` of the template                   | must be this node                                | is overwritten         |
 * | `nodeSelector`, required node affinity       | must match                                       | must match             |
 * | taints                                       | tolerated, or NoSchedule for an existing Pod     | tolerated              |
 * | tolerations                                  | the template's and those of daemons              | the template's         |
 * | `unschedulable`                              | ignored (its taint is tolerated)                 | refuses, if untolerated |
 * | allocatable resources                        | ignored                                          | cover the Pod's requests |
 *
 * Both leave other Pods of the node, host ports and readiness to scheduler and kubelet.
 * @see spec/daemonset.md 5.3 and spec/broadcastjob.md 5.2
 */
import { parseQuantity, type Node, type Pod, type PodSpec } from '@kruise/objects';
import { daemonTolerations } from './daemon-tolerations.ts';
import { nodeSelection } from './node-selection.ts';
import { podRequests } from './pod-requests.ts';
import { toleranceOf, untolerated } from './tolerations.ts';

/** The suitability of a node for a daemon Pod. */
export interface DaemonFit {
  /** Whether a Pod is created when there is none. */
  readonly shouldRun: boolean;
  /** Whether an existing Pod stays. */
  readonly shouldContinueRunning: boolean;
}

const fits: DaemonFit = { shouldRun: true, shouldContinueRunning: true };
const fitsIfThere: DaemonFit = { shouldRun: false, shouldContinueRunning: true };
const unfit: DaemonFit = { shouldRun: false, shouldContinueRunning: false };

/** Returns the fit of nodes. @param spec of the DaemonSet's template, without the tolerations of daemons */
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

/** Returns the fit of nodes. @param spec of the BroadcastJob's template, whose `nodeName` is ignored */
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
 * Returns the fit of an existing Pod, which is on one node or for one.
 *
 * @param fitOf caches the result for a spec
 */
export const isFitFor = ({ spec }: Pick<Pod, 'spec'>, node: Node, fitOf: (spec: PodSpec) => (node: Node) => boolean = jobFit): boolean =>
  ((spec.nodeName ?? '') === '' || spec.nodeName === node.metadata.name) && fitOf(spec)(node);

/** Returns whether the empty node has enough resources: other Pods are not subtracted. */
function hasRoom({ status }: Node, requests: readonly (readonly [string, bigint])[]): boolean {
  const allocatable = (name: string): bigint => parseQuantity(status?.allocatable?.[name])?.nanos ?? 0n;
  return allocatable('pods') >= 1_000_000_000n && requests.every(([name, amount]) => amount <= allocatable(name));
}
