/**
 * Bounds the required node affinity of a template, for kinds that match it against all nodes. Terms are alternatives, so a node for which no term
 * holds is compared with all of them. Values do not matter: those of one requirement are looked up.
 * @see spec/daemonset.md 4.2, spec/broadcastjob.md 4.2
 */
import { fieldPath, fieldTooMany, listAt, memberAt, workloadLimits, type FieldError } from '@kruise/objects';

const place = ['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'] as const;
const bound = workloadLimits.nodeRequirements.value;

/**
 * Returns the requirements of a term that count. A node is looked up in all terms that only require one label or its name with `In`: there may be one
 * for each node.
 */
function requirementsOf(term: unknown): number {
  const requirements = [...listAt(term, 'matchExpressions'), ...listAt(term, 'matchFields')];
  const isPlain = requirements.length === 1 && memberAt(requirements[0], 'operator') === 'In';
  return isPlain ? 0 : requirements.length;
}

const countIn = (template: unknown): number => {
  const terms = memberAt(template, ...place);
  return Array.isArray(terms) ? terms.reduce((sum: number, term) => sum + requirementsOf(term), 0) : 0;
};

const faultOf = (count: number, path: string): FieldError => ({
  ...fieldTooMany(fieldPath(path, ...place), count, bound),
  detail: `must have at most ${bound} requirements in all terms together; label the nodes and require that label`,
});

/** Returns why the terms require too many comparisons for every node; undefined when they do not. @param template of any shape, at `path` */
export function nodeTermsFault(template: unknown, path: string): FieldError | undefined {
  const count = countIn(template);
  return count > bound ? faultOf(count, path) : undefined;
}

/** Returns the fault of {@link nodeTermsFault}; an update passes that adds nothing to what was stored before the bound. */
export function validateNodeTerms(template: unknown, oldTemplate: unknown, path: string): readonly FieldError[] {
  const count = countIn(template);
  return count > bound && count > countIn(oldTemplate) ? [faultOf(count, path)] : [];
}
