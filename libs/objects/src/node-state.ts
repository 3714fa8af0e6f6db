/** What a Node says about itself. */
import type { Node } from './pod.ts';

const hasReady = ({ status }: Node, wanted: string): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === wanted) === true;

/** Whether the node controller has not heard of the kubelet for so long that its Pods are given up for now: condition Ready is Unknown. */
export const isNodeLost = (node: Node): boolean => hasReady(node, 'Unknown');

/** Whether the kubelet reports that it takes Pods: condition Ready is True. */
export const isNodeReady = (node: Node): boolean => hasReady(node, 'True');
