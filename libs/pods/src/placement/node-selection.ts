/** Determines which nodes a Pod selects with `nodeSelector` and required node affinity. Pure. @see spec/daemonset.md 5.3 */
import {
  checkLabelValue,
  checkQualifiedName,
  matchAll,
  requirement,
  type DeepReadonly,
  type LabelMatcher,
  type LabelOperator,
  type Node,
  type PodSpec,
} from '@kruise/objects';

type Requirement = DeepReadonly<{ key: string; operator: string; values?: string[] }>;
type Term = DeepReadonly<{ matchExpressions?: Requirement[]; matchFields?: Requirement[] }>;
type NodeMatcher = (node: Node) => boolean;

const operators: ReadonlyMap<string, LabelOperator> = new Map<string, LabelOperator>([
  ['In', 'In'],
  ['NotIn', 'NotIn'],
  ['Exists', 'Exists'],
  ['DoesNotExist', 'DoesNotExist'],
  ['Gt', 'GreaterThan'],
  ['Lt', 'LessThan'],
]);
/** Returns whether an operator accepts this many values. */
const takes = (operator: string, count: number): boolean => {
  if (operator === 'Gt' || operator === 'Lt') return count === 1;
  return operator === 'In' || operator === 'NotIn' ? count > 0 : count === 0;
};
const isInt64 = (text: string): boolean => /^[+-]?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
const isValue = (operator: string, value: string): boolean =>
  checkLabelValue(value).length === 0 && ((operator !== 'Gt' && operator !== 'Lt') || isInt64(value));

/** Returns a requirement of labels, undefined for an invalid one, which makes its whole term void. */
function ofLabels({ key, operator, values: given }: Requirement): ReturnType<typeof requirement> | undefined {
  const values = given ?? [];
  const known = operators.get(operator);
  if (known === undefined || checkQualifiedName(key).length > 0 || !takes(operator, values.length)) return undefined;
  return values.every((value) => isValue(operator, value)) ? requirement(key, known, values) : undefined;
}

/** Returns a requirement of fields: a node only has its name, and each takes one value. */
function ofFields({ key, operator, values }: Requirement): NodeMatcher | undefined {
  const [value, ...others] = values ?? [];
  if (value === undefined || others.length > 0 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  const wantsEqual = operator === 'In';
  return ({ metadata }) => ((key === 'metadata.name' ? metadata.name : '') === value) === wantsEqual;
}

/** Terms that only require one label or the name of a node with `In`: a node is looked up in all of them at once. */
class PlainTerms {
  readonly #names = new Set<string>();
  readonly #values = new Map<string, Set<string>>();

  /** Adds a term. @returns false for any other term */
  add({ matchExpressions, matchFields }: Term): boolean {
    const [expression, field] = [matchExpressions?.[0], matchFields?.[0]];
    if ((matchExpressions ?? []).length + (matchFields ?? []).length !== 1) return false;
    if (field !== undefined) return this.#addName(field);
    const wanted = expression?.operator === 'In' ? ofLabels(expression) : undefined;
    if (wanted === undefined) return false;
    const values = this.#values.get(wanted.key) ?? new Set<string>();
    this.#values.set(wanted.key, values);
    for (const value of wanted.values) values.add(value);
    return true;
  }

  #addName({ key, operator, values }: Requirement): boolean {
    const [name, ...others] = values ?? [];
    if (key !== 'metadata.name' || operator !== 'In' || name === undefined || others.length > 0) return false;
    this.#names.add(name);
    return true;
  }

  match({ metadata }: Node): boolean {
    if (this.#names.has(metadata.name)) return true;
    if (this.#values.size === 0) return false;
    return Object.entries(metadata.labels ?? {}).some(([key, value]) => this.#values.get(key)?.has(value) === true);
  }
}

/** Returns the matcher of a term. An empty or unreadable term matches nothing. */
function termMatcher(term: Term): NodeMatcher | undefined {
  const matchExpressions = term.matchExpressions ?? [];
  const matchFields = term.matchFields ?? [];
  if (matchExpressions.length === 0 && matchFields.length === 0) return undefined;
  const requirements = matchExpressions.flatMap((one) => ofLabels(one) ?? []);
  const fields = matchFields.flatMap((one) => ofFields(one) ?? []);
  if (requirements.length < matchExpressions.length || fields.length < matchFields.length) return undefined;
  const labels: LabelMatcher = matchAll(requirements);
  return (node) => labels.matches(node.metadata.labels) && fields.every((matches) => matches(node));
}

/** Returns a matcher of alternatives. */
function anyTerm(terms: readonly Term[]): NodeMatcher {
  const plain = new PlainTerms();
  const others = terms.filter((term) => !plain.add(term)).flatMap((term) => termMatcher(term) ?? []);
  return (node) => plain.match(node) || others.some((matches) => matches(node));
}

/**
 * Returns a matcher that is created once for a Pod and used for every node: all pairs of `nodeSelector`, and one of the terms of required node
 * affinity.
 *
 * @param spec also of a template as a user wrote it: null equals absent
 */
export function nodeSelection({ nodeSelector, affinity }: Pick<PodSpec, 'nodeSelector' | 'affinity'>): NodeMatcher {
  const pairs = matchAll(Object.entries(nodeSelector ?? {}).map(([key, value]) => requirement(key, 'Equals', [value])));
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? undefined;
  const isInTerms = required === undefined ? undefined : anyTerm(required.nodeSelectorTerms);
  return (node) => pairs.matches(node.metadata.labels) && (isInTerms === undefined || isInTerms(node));
}
