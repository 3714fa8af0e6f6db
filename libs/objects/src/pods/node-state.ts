/** What a Node reports about itself. */
import type { Node } from './pod.ts';

const hasReady = ({ status }: Node, wanted: string): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === wanted) === true;

/** Returns whether the node controller has not heard from the kubelet for so long that its Pods are given up for now: condition Ready is Unknown. */
export const isNodeLost = (node: Node): boolean => hasReady(node, 'Unknown');

/** Returns whether the kubelet reports that it accepts Pods: condition Ready is True. */
export const isNodeReady = (node: Node): boolean => hasReady(node, 'True');
