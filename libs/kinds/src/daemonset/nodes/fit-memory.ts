/** Fitness, computed once for a spec and a node: stores share objects, so every pass sees the same ones. */
import { memoized, type Node, type PodSpec } from '@kruise/objects';
import { daemonFit, type DaemonFit } from '@kruise/pods';

/** What a node is for the Pods of this template. */
export const fitOf: (spec: PodSpec) => (node: Node) => DaemonFit = memoized((spec) => memoized(daemonFit(spec)));
