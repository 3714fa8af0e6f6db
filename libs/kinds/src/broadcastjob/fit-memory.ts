/** Fitness, computed once for a spec: stores share objects, so every pass sees the same spec. */
import { memoized, type Node, type PodSpec } from '@kruise/objects';
import { jobFit } from '@kruise/pods';

/** Whether a Pod of this template could be created for a node. */
export const fitOf: (spec: PodSpec) => (node: Node) => boolean = memoized(jobFit);
