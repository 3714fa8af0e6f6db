/** Fitness, worked out once for a spec: stores share objects, so that the same spec is seen pass after pass. */
import type { Node, PodSpec } from '@kruise/objects';
import { jobFit } from '@kruise/pods';

const known = new WeakMap<PodSpec, (node: Node) => boolean>();

/** Whether a Pod of this template could be created for a node. */
export function fitOf(spec: PodSpec): (node: Node) => boolean {
  const held = known.get(spec);
  if (held !== undefined) return held;
  const fit = jobFit(spec);
  known.set(spec, fit);
  return fit;
}
