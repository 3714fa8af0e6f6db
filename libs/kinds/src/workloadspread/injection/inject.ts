/** What a new Pod gets of its subset. Pure. @see spec/workloadspread.md 4.4 */
import { annotations, workloadSpreadAnnotations, type WorkloadSpread } from '@kruise/api';
import { applyStrategicMergePatch, canonicalJson, deepEqual, podPatchSchema, type Pod } from '@kruise/objects';
import { joinFault, narrowedTerms, requiredTermsOf, type NodeTerm } from '@kruise/pods';
import { isWellFormedPod } from '@kruise/workloads';
import { costWithin, hasDeletionCosts } from '../subsets/deletion-cost.ts';
import { formatMatched } from '../subsets/matched.ts';

type Subset = WorkloadSpread['spec']['subsets'][number];
type Affinity = NonNullable<Pod['spec']['affinity']>;
type NodeAffinity = NonNullable<Affinity['nodeAffinity']>;
type Preferences = NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>;
type Tolerations = NonNullable<Pod['spec']['tolerations']>;

export type Injected = { readonly kind: 'Injected'; readonly pod: Pod } | { readonly kind: 'Faulty'; readonly why: string };

/** What is there already is not added again: a Pod may come twice. */
function withAll<T>(held: readonly T[] | undefined | null, more: readonly T[]): readonly T[] {
  const list = held ?? [];
  const texts = new Set(list.map(canonicalJson));
  return [...list, ...more.filter((one) => !texts.has(canonicalJson(one)))];
}

function includes(held: readonly unknown[] | undefined | null, more: readonly unknown[] | undefined | null): boolean {
  if ((more ?? []).length > (held ?? []).length) return false;
  const texts = new Set((held ?? []).map(canonicalJson));
  return (more ?? []).every((one) => texts.has(canonicalJson(one)));
}

const isWithin = (held: NodeTerm, more: NodeTerm): boolean =>
  includes(held.matchExpressions, more.matchExpressions) && includes(held.matchFields, more.matchFields);

/** Every alternative, and what the subset requires besides. */
function requiredTerms(held: readonly NodeTerm[], more: NodeTerm): readonly NodeTerm[] {
  // A Pod that requires nothing gets the subset's term as it is, one that no node fulfils included: so says who writes it.
  if (held.length === 0) return [more];
  return held.every((term) => isWithin(term, more)) ? held : narrowedTerms(held, more);
}

function nodeAffinityOf(held: NodeAffinity | undefined, { preferredNodeSelector, requiredNodeSelector }: Subset): NodeAffinity {
  const preferred = preferredNodeSelector ?? [];
  const required = held?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms =
    requiredNodeSelector === undefined || requiredNodeSelector === null
      ? undefined
      : requiredTerms(required?.nodeSelectorTerms ?? [], requiredNodeSelector);
  return {
    ...held,
    ...(preferred.length === 0
      ? {}
      : {
          preferredDuringSchedulingIgnoredDuringExecution: withAll(
            held?.preferredDuringSchedulingIgnoredDuringExecution,
            preferred as Preferences,
          ),
        }),
    ...(terms === undefined ? {} : { requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms: terms } }),
  };
}

function placed(pod: Pod, subset: Subset): Pod {
  const { spec } = pod;
  const tolerations = subset.tolerations ?? [];
  const affinity = { ...spec.affinity, nodeAffinity: nodeAffinityOf(spec.affinity?.nodeAffinity, subset) };
  return {
    ...pod,
    spec: {
      ...spec,
      ...(tolerations.length === 0 ? {} : { tolerations: withAll(spec.tolerations, tolerations as Tolerations) }),
      affinity,
    },
  };
}

type Patched = { readonly kind: 'Patched'; readonly pod: Pod } | { readonly kind: 'Faulty'; readonly why: string };

function patched(pod: Pod, { patch, name }: Subset): Patched {
  if (patch === undefined || patch === null) return { kind: 'Patched', pod };
  const result = applyStrategicMergePatch({ ...pod }, patch, podPatchSchema);
  const faulty = (why: string): Patched => ({ kind: 'Faulty', why: `the patch of subset ${name} ${why}` });
  if (result.kind !== 'Patched') return faulty(`cannot be merged into the Pod: ${result.why}`);
  const merged = result.value as Pod;
  if (!isWellFormedPod(merged)) return faulty('makes something of the Pod that is none');
  const next: Pod = merged;
  if (next.spec.priorityClassName === pod.spec.priorityClassName) return { kind: 'Patched', pod: next };
  // The API server computes the priority again from the class.
  const { priority: _priority, ...spec } = next.spec;
  return { kind: 'Patched', pod: { ...next, spec } };
}

/** The cost of a Pod that got a place in its subset, so that the controller need not write it later. */
function costsOf(spread: WorkloadSpread, subset: Subset): Readonly<Record<string, string>> {
  if (!hasDeletionCosts(spread)) return {};
  const { subsets } = spread.spec;
  return {
    [annotations.podDeletionCost]: String(
      costWithin(
        subsets.findIndex(({ name }) => name === subset.name),
        subsets.length,
      ),
    ),
  };
}

/**
 * The Pod as it is in the subset; the very Pod that was given when it is so already.
 *
 * @param uid under which it is counted, when it has no name yet
 */
export function injectSubset(
  pod: Pod,
  { spread, subset, uid }: { readonly spread: WorkloadSpread; readonly subset: Subset; readonly uid: string | undefined },
): Injected {
  const fault = joinFault(requiredTermsOf(pod.spec.affinity), subset.requiredNodeSelector ?? {});
  if (fault !== undefined) return { kind: 'Faulty', why: `subset ${subset.name}: ${fault}` };
  const result = patched(placed(pod, subset), subset);
  if (result.kind === 'Faulty') return result;
  const { metadata, ...rest } = result.pod;
  const matched = formatMatched({ name: spread.metadata.name, subset: subset.name, uid });
  const next: Pod = {
    ...rest,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations, [workloadSpreadAnnotations.matched]: matched, ...costsOf(spread, subset) },
    },
  };
  return { kind: 'Injected', pod: deepEqual(next, pod) ? pod : next };
}
