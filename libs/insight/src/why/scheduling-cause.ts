/**
 * What a message of the scheduler means. It counts the nodes by the first filter that each has failed, in the order node name and taints, affinity,
 * ports, resources, volumes. A node that failed a late filter is the nearest to run the Pod, so the signs of late filters come first.
 */

/** Why no node fits, and what to do about it. */
interface SchedulingCause {
  readonly reason: string;
  readonly next: string;
}

const signs: readonly (readonly [RegExp, SchedulingCause])[] = [
  [
    /scheduling gate|SchedulingGated/i,
    { reason: 'SchedulingGated', next: 'The owner of the scheduling gate must remove it from spec.schedulingGates.' },
  ],
  [
    /persistentvolumeclaim|volume node affinity|unbound immediate|persistent volumes to bind|max volume count/i,
    { reason: 'VolumeNotBound', next: 'Check the PersistentVolumeClaim of the Pod and its StorageClass.' },
  ],
  [/Insufficient /i, { reason: 'InsufficientResources', next: 'Add nodes, free resources, or lower the requests of the template.' }],
  [/Too many pods/i, { reason: 'NodesFull', next: 'Add nodes: the existing ones run as many Pods as they may.' }],
  [/free ports/i, { reason: 'HostPortTaken', next: 'Remove hostPort from the template, or add nodes on which the port is free.' }],
  [
    /untolerated taint(?:\(s\)|s)? \{node\.kubernetes\.io\/(?:unreachable|not-ready)/i,
    { reason: 'NodesNotReady', next: 'Bring the nodes back that are not ready: kubectl get nodes.' },
  ],
  [
    /taint/i,
    {
      reason: 'NodeTainted',
      next: 'Add a toleration to the template, or remove the taint from nodes; nodes that are cordoned or not ready have one as well.',
    },
  ],
  [
    /affinity|selector|topology spread/i,
    { reason: 'NoMatchingNode', next: 'Label nodes as nodeSelector and affinity of the template require, or relax them.' },
  ],
  [/were unschedulable/i, { reason: 'NodesCordoned', next: 'Allow Pods on the cordoned nodes again: kubectl uncordon NODE.' }],
];

/** Nodes that no workload is meant for. Since 1.34, Kubernetes does not name the taint. */
const controlPlane = /\d+ node\(s\) had untolerated taint(?:\(s\)|s)? \{node-role\.kubernetes\.io\/(?:control-plane|master)[^}]*\}[,.]? ?/g;
/** What preemption would do repeats the words of the filters. */
const preemption = /preemption: .*$/is;

const unknown: SchedulingCause = { reason: 'Unschedulable', next: 'Read the message of the scheduler.' };

const findSign = (text: string): readonly [RegExp, SchedulingCause] | undefined => signs.find(([pattern]) => pattern.test(text));

/** Returns what the reason and message of the condition `PodScheduled` mean. */
export function schedulingCause(text: string): SchedulingCause {
  const filters = text.replace(preemption, '');
  const [, cause] = findSign(filters.replaceAll(controlPlane, '')) ?? findSign(filters) ?? [];
  if (cause?.reason !== 'NodeTainted' || !/affinity|selector/i.test(filters)) return cause ?? unknown;
  // The tainted nodes may be those that the template requests, or have nothing to do with it.
  return {
    ...cause,
    next: 'If the Pod should run on the tainted nodes, add a toleration to the template; if not, label nodes as its nodeSelector and affinity require.',
  };
}
