/** Fitness, worked out once for a spec and a node: stores share objects, so that the same ones are seen pass after pass. */
import type { Node, PodSpec } from '@kruise/objects';
import { daemonFit, type DaemonFit } from '@kruise/pods';

const known = new WeakMap<PodSpec, (node: Node) => DaemonFit>();

function remembered(fit: (node: Node) => DaemonFit): (node: Node) => DaemonFit {
  const held = new WeakMap<Node, DaemonFit>();
  return (node) => {
    const before = held.get(node);
    if (before !== undefined) return before;
    const found = fit(node);
    held.set(node, found);
    return found;
  };
}

/** What a node is for the Pods of this template. */
export function fitOf(spec: PodSpec): (node: Node) => DaemonFit {
  const held = known.get(spec);
  if (held !== undefined) return held;
  const fit = remembered(daemonFit(spec));
  known.set(spec, fit);
  return fit;
}
