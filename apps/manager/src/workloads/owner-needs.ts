/** Requests about Pods that workloads of certain kinds and names control, in terms that the API server can evaluate. Pure. */
import type { RequestNeed } from '@kruise/admission';
import { admissionLimits, checkDns1123Subdomain, sortUtf8 } from '@kruise/objects';
import type { GroupKind } from '@kruise/workloads';

/** Pods of one namespace that are controlled by one workload, or by all of a kind. */
export interface OwnedPods extends GroupKind {
  readonly namespace: string;
  /** Of the controller; any when absent. */
  readonly name?: string;
}

interface OfKind {
  readonly kind: GroupKind;
  readonly names: Set<string>;
  readonly namespaces: Set<string>;
  isAnyName: boolean;
}

/**
 * Of one kind of workload; with more names any name is asked about. The kinds of more namespaces share one list of them, so that each name is written
 * once.
 */
const most = { names: 50, namespaces: 50 };
const namespaceLabel = 'kubernetes.io/metadata.name';
const kindPattern = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

const isName = (text: string): boolean => checkDns1123Subdomain(text).length === 0;

/** Any other names no workload, and would have to be quoted. */
const isOrderly = ({ group, kind, name = 'x' }: OwnedPods): boolean =>
  kindPattern.test(kind) && isName(name) && (group === '' || isName(group));

const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ');

const isInMany = ({ namespaces }: OfKind): boolean => namespaces.size > most.namespaces;

const nameCondition = ({ names, isAnyName }: OfKind): string =>
  isAnyName || names.size > most.names ? '' : ` && o.name in [${quoted(sortUtf8([...names]))}]`;

/** Whether a controller of which `condition` holds, written about `o`, has the Pod. */
export const controllerCondition = (condition: string): string =>
  'has(object.metadata.ownerReferences) && ' + `object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller${condition})`;

function conditionOf(ofKind: OfKind): string {
  const { group, kind } = ofKind.kind;
  const ofGroup = group === '' ? '!o.apiVersion.contains("/")' : `o.apiVersion.startsWith("${group}/")`;
  return `o.kind == "${kind}" && ${ofGroup}${nameCondition(ofKind)}`;
}

function needOf(reason: string, kinds: readonly OfKind[]): RequestNeed {
  const conditions = kinds.map(conditionOf);
  const any = conditions.length === 1 ? (conditions[0] ?? '') : `(${conditions.map((one) => `(${one})`).join(' || ')})`;
  return { reason, condition: controllerCondition(` && ${any}`), ...inNamespaces(kinds.flatMap(({ namespaces }) => [...namespaces])) };
}

/** Of namespaces by name; of any when they are more than `admissionLimits.narrowedNamespaces`. */
export function inNamespaces(namespaces: readonly string[]): Pick<RequestNeed, 'namespaceSelector'> {
  const values = sortUtf8([...new Set(namespaces)]);
  return values.length > admissionLimits.narrowedNamespaces.value
    ? {}
    : { namespaceSelector: { matchExpressions: [{ key: namespaceLabel, operator: 'In', values }] } };
}

/**
 * One need for each kind of controller, in their order; one for all that are in many namespaces.
 *
 * @param reason in webhook names
 */
export function ownerNeeds(reason: string, owned: readonly OwnedPods[]): readonly RequestNeed[] {
  const byKind = new Map<string, OfKind>();
  for (const one of owned.filter(isOrderly)) {
    const { group, kind, namespace, name } = one;
    const text = `${group}/${kind}`;
    const fresh = { kind: { group, kind }, names: new Set<string>(), namespaces: new Set<string>() };
    const known = byKind.get(text) ?? { ...fresh, isAnyName: false };
    byKind.set(text, known);
    known.namespaces.add(namespace);
    if (name !== undefined) known.names.add(name);
    else known.isAnyName = true;
  }
  const kinds = sortUtf8([...byKind.keys()]).flatMap((text) => byKind.get(text) ?? []);
  const [many, few] = [kinds.filter(isInMany), kinds.filter((one) => !isInMany(one))];
  return [...few.map((one) => needOf(reason, [one])), ...(many.length === 0 ? [] : [needOf(reason, many)])];
}
