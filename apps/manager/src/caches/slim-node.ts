/** Nodes as the controllers of this process hold them: all share one store, so they share what it keeps. */
import type { Node } from '@kruise/objects';

/**
 * Keeps name, labels, deletion, taints, `unschedulable`, `allocatable` and readiness of a Node; the rest (images, heartbeats) would fill the memory. Such Nodes are never
 * written back.
 */
export function slimNode({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { name, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    ...slimSpec(spec),
    ...slimStatus(ready, status?.allocatable),
  };
}

function slimSpec({ taints, unschedulable }: NonNullable<Node['spec']> = {}): Pick<Node, 'spec'> {
  if (taints === undefined && unschedulable === undefined) return {};
  return { spec: { ...(taints === undefined ? {} : { taints }), ...(unschedulable === undefined ? {} : { unschedulable }) } };
}

function slimStatus(ready: NodeCondition | undefined, allocatable: NonNullable<Node['status']>['allocatable']): Pick<Node, 'status'> {
  if (ready === undefined && allocatable === undefined) return {};
  return {
    status: { ...(ready === undefined ? {} : { conditions: [slimReady(ready)] }), ...(allocatable === undefined ? {} : { allocatable }) },
  };
}

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

const slimReady = ({ type, status, lastTransitionTime }: NodeCondition): NodeCondition => ({
  type,
  status,
  ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
});
