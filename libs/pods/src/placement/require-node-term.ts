/** Narrows the nodes that a Pod may run on. Pure. @see spec/uniteddeployment.md 5.6, spec/workloadspread.md 4.4 */
import { stringifyLossless, workloadLimits, type DeepReadonly, type PodSpec } from '@kruise/objects';

type Requirement = DeepReadonly<{ key: string; operator: string; values?: string[] }>;
/** The requirements of a node, on labels and fields; all must be met. */
export type NodeTerm = DeepReadonly<{ matchExpressions?: Requirement[]; matchFields?: Requirement[] }>;
type Affinity = NonNullable<PodSpec['affinity']>;

const both = (held: readonly Requirement[] | undefined, more: readonly Requirement[] | undefined) => {
  const all = [...(held ?? []), ...(more ?? [])];
  return all.length === 0 ? undefined : all;
};
/** Joins two terms. Empty members are omitted, because an explicit empty list is another template to programs that compare. */
function joined(held: NodeTerm, more: NodeTerm): NodeTerm {
  const matchExpressions = both(held.matchExpressions, more.matchExpressions);
  const matchFields = both(held.matchFields, more.matchFields);
  return { ...(matchExpressions === undefined ? {} : { matchExpressions }), ...(matchFields === undefined ? {} : { matchFields }) };
}

/** Returns whether the term is empty: Kubernetes treats such a term as one that no node fulfils. */
export const isEmptyTerm = ({ matchExpressions, matchFields }: NodeTerm): boolean =>
  (matchExpressions ?? []).length === 0 && (matchFields ?? []).length === 0;

const sizeOf = ({ matchExpressions, matchFields }: NodeTerm): number => (matchExpressions ?? []).length + (matchFields ?? []).length;

/** Returns about how many bytes of JSON result from adding `more` to every one of `held`. */
function joinedBytes(held: readonly NodeTerm[], more: NodeTerm): number {
  const isSame = held.length === 0 || isEmptyTerm(more);
  return isSame ? 0 : stringifyLossless(held).length + held.length * stringifyLossless(more).length;
}

/**
 * Returns why `more` cannot be added to every one of `held`; undefined when it can. Both may be long, and the resulting terms are as long as both
 * together.
 */
export function joinFault(held: readonly NodeTerm[], more: NodeTerm): string | undefined {
  const { joinedRequirements, joinedBytes: mostBytes } = workloadLimits;
  const fault = (joined: string, most: string): string =>
    `the terms of required node affinity, combined with those of the subset, result in ${joined}, more than ${most}; use fewer terms`;
  const joined = held.reduce((sum, term) => sum + sizeOf(term), held.length * sizeOf(more));
  if (joined > joinedRequirements.value) return fault(`${joined} requirements`, `${joinedRequirements.value}`);
  const bytes = joinedBytes(held, more);
  return bytes > mostBytes.value ? fault(`${bytes} bytes`, `${mostBytes.value}`) : undefined;
}

/** Returns the terms of required node affinity. */
export const requiredTermsOf = (affinity: Affinity | undefined): readonly NodeTerm[] =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];

/**
 * Returns the terms that hold when each of `held` (alternatives) holds together with `more`; only `more` when there are none. An empty `more` changes
 * nothing. An empty term among `held`, which no node fulfils, becomes `more`, as in the original.
 */
export function narrowedTerms(held: readonly NodeTerm[], more: NodeTerm): readonly NodeTerm[] {
  if (isEmptyTerm(more)) return held;
  return held.length === 0 ? [joined({}, more)] : held.map((term) => joined(term, more));
}

/** Returns the affinity with `term` required of the node in addition to the present requirements; the same affinity when the term is empty. */
export function requireNodeTerm(affinity: Affinity | undefined, term: NodeTerm): Affinity | undefined {
  if (isEmptyTerm(term)) return affinity;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const nodeSelectorTerms = narrowedTerms(required?.nodeSelectorTerms ?? [], term);
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms } },
  };
}
