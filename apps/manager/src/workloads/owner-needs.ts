/** Requests about Pods that workloads of certain kinds and names control, as the API server can tell them. Pure. */
import type { RequestNeed } from '@kruise/admission';
import { checkDns1123Subdomain, sortUtf8 } from '@kruise/objects';
import type { GroupKind } from './finder/index.ts';

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

/** Workloads of one kind and as many namespaces are told apart by name; more of them are asked about more widely. */
const most = { names: 50, namespaces: 50 };
const namespaceLabel = 'kubernetes.io/metadata.name';
const kindPattern = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

const isName = (text: string): boolean => checkDns1123Subdomain(text).length === 0;

/** Any other names no workload, and would have to be quoted. */
const isOrderly = ({ group, kind, name = 'x' }: OwnedPods): boolean =>
  kindPattern.test(kind) && isName(name) && (group === '' || isName(group));

const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ');

const nameCondition = ({ names, isAnyName }: OfKind): string =>
  isAnyName || names.size > most.names ? '' : ` && o.name in [${quoted(sortUtf8([...names]))}]`;

/** Whether a controller of which `condition` holds, written about `o`, has the Pod. */
export const controllerCondition = (condition: string): string =>
  'has(object.metadata.ownerReferences) && ' + `object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller${condition})`;

function conditionOf(ofKind: OfKind): string {
  const { group, kind } = ofKind.kind;
  const ofGroup = group === '' ? '!o.apiVersion.contains("/")' : `o.apiVersion.startsWith("${group}/")`;
  return controllerCondition(` && o.kind == "${kind}" && ${ofGroup}${nameCondition(ofKind)}`);
}

/** Of so few namespaces that they can be named; of any when they are too many. */
export function inNamespaces(namespaces: readonly string[]): Pick<RequestNeed, 'namespaceSelector'> {
  const values = sortUtf8([...new Set(namespaces)]);
  return values.length > most.namespaces
    ? {}
    : { namespaceSelector: { matchExpressions: [{ key: namespaceLabel, operator: 'In', values }] } };
}

/**
 * One need for each kind of controller, in their order.
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
  return sortUtf8([...byKind.keys()]).flatMap((text) => {
    const known = byKind.get(text);
    return known === undefined ? [] : [{ reason, condition: conditionOf(known), ...inNamespaces([...known.namespaces]) }];
  });
}
