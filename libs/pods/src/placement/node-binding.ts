/** Finds the node that a Pod is for, before the scheduler assigns it. Pure. @see spec/daemonset.md 5.5, spec/broadcastjob.md 3 */
import type { Pod, PodSpec } from '@kruise/objects';

const nameField = 'metadata.name';

/**
 * Returns the node that a Pod is on, or is for by required node affinity. Undefined for a Pod that is for no particular node.
 *
 * Terms are alternatives: the first one that names a node counts, because Pods that are created for a node have only one.
 */
export function nodeOf({ spec }: Pick<Pod, 'spec'>): string | undefined {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator, values = [] }) => key === nameField && operator === 'In' && values.length === 1);
  return named?.values?.[0];
}

/** Returns the Pod's spec for one node to which the scheduler binds it: required node affinity is replaced, everything else stays. */
export function boundByScheduler(spec: PodSpec, node: string): PodSpec {
  const term = { matchFields: [{ key: nameField, operator: 'In', values: [node] }] };
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}
