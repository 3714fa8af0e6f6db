/** Pods that are for one node: how they say so, before the scheduler does. Pure. @see spec/daemonset.md 5.5, spec/broadcastjob.md 3 */
import type { Pod, PodSpec } from '@kruise/objects';

const nameField = 'metadata.name';

/**
 * The node that a Pod is on, or is for by required node affinity. Undefined for a Pod that is for no node in particular.
 *
 * Terms are alternatives: the first that names a node counts, as there is one only in Pods that were made for a node.
 */
export function nodeOf({ spec }: Pick<Pod, 'spec'>): string | undefined {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator, values = [] }) => key === nameField && operator === 'In' && values.length === 1);
  return named?.values?.[0];
}

/** The Pod's spec for one node, where the scheduler binds it: required node affinity is replaced, all else stays. */
export function boundByScheduler(spec: PodSpec, node: string): PodSpec {
  const term = { matchFields: [{ key: nameField, operator: 'In', values: [node] }] };
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}
