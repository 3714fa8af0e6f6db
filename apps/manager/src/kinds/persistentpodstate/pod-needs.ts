/** Which Pods the injection has to see: those whose workload some PersistentPodState is for. Pure. */
import type { RequestNeed } from '@kruise/admission';
import { persistentPodStateAnnotations, type PersistentPodState } from '@kruise/api';
import { checkDns1123Subdomain, sortUtf8 } from '@kruise/objects';
import { targetOf, type Target } from './target.ts';

/** What injection leaves in a Pod. */
export const injectionTrace = `has(object.metadata.annotations) && "${persistentPodStateAnnotations.injected}" in object.metadata.annotations`;

/** In webhook names. */
const reason = 'persistentpodstate';
/** Workloads of one kind and as many namespaces are told apart by name; more of them are asked about more widely. */
const most = { names: 50, namespaces: 50 };
const namespaceLabel = 'kubernetes.io/metadata.name';
const kindPattern = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

/** Any other names no workload, and would have to be quoted. */
const isOrderly = ({ group, kind, name }: Target): boolean =>
  kindPattern.test(kind) && checkDns1123Subdomain(name).length === 0 && (group === '' || checkDns1123Subdomain(group).length === 0);

const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ');

/** Whether a workload of this kind, with one of these names, controls the Pod. */
function conditionFor({ group, kind }: Target, names: readonly string[]): string {
  const ofGroup = group === '' ? '!o.apiVersion.contains("/")' : `o.apiVersion.startsWith("${group}/")`;
  const named = names.length > most.names ? '' : ` && o.name in [${quoted(names)}]`;
  return (
    'has(object.metadata.ownerReferences) && ' +
    `object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller && o.kind == "${kind}" && ${ofGroup}${named})`
  );
}

/** One for each kind of workload, in their order. */
export function persistentPodStateNeeds(states: readonly Pick<PersistentPodState, 'metadata' | 'spec'>[]): readonly RequestNeed[] {
  const byKind = new Map<string, { readonly target: Target; readonly names: Set<string>; readonly namespaces: Set<string> }>();
  for (const state of states) {
    const target = targetOf(state);
    if (target === undefined || !isOrderly(target)) continue;
    const kind = `${target.group}/${target.kind}`;
    const known = byKind.get(kind) ?? { target, names: new Set<string>(), namespaces: new Set<string>() };
    byKind.set(kind, known);
    known.names.add(target.name);
    known.namespaces.add(state.metadata.namespace ?? 'default');
  }
  return sortUtf8([...byKind.keys()]).flatMap((kind): readonly RequestNeed[] => {
    const known = byKind.get(kind);
    if (known === undefined) return [];
    const { target, names, namespaces } = known;
    const values = sortUtf8([...namespaces]);
    const namespaceSelector = { matchExpressions: [{ key: namespaceLabel, operator: 'In', values }] };
    return [
      { reason, condition: conditionFor(target, sortUtf8([...names])), ...(values.length > most.namespaces ? {} : { namespaceSelector }) },
    ];
  });
}
