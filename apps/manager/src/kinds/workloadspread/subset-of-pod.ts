/** Which subset each Pod of one version belongs to. Pure. @see spec/workloadspread.md 5.4 */
import type { WorkloadSpread } from '@kruise/api';
import {
  applyStrategicMergePatch,
  byName,
  deepEqual,
  isPodActive,
  parseTime,
  podPatchSchema,
  seconds,
  type Instant,
  type JsonObject,
  type Milliseconds,
  type Node,
  type Pod,
} from '@kruise/objects';
import { isEmptyTerm, nodeSelection, tolerates, type NodeTerm } from '@kruise/pods';
import { matchedOf } from './matched.ts';
import { unlimited, unlimitedRoom } from './replicas.ts';

type Subset = WorkloadSpread['spec']['subsets'][number];

export interface PodsSeen {
  readonly spread: WorkloadSpread;
  /** Of one version, any order. */
  readonly pods: readonly Pod[];
  /** In the order of the subsets; -1 without a limit. */
  readonly limits: readonly number[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly now: Instant;
}

export interface GroupedPods {
  /** In the order of the spec, Pods by name; those that are taken in are among them. */
  readonly subsets: readonly (readonly Pod[])[];
  /** In no subset of the spec. */
  readonly outside: readonly Pod[];
  /** Pods that were there before the WorkloadSpread, or came past it: they get the annotation now. */
  readonly adopted: readonly { readonly pod: Pod; readonly subset: Subset }[];
  /** When Pods that came a moment ago are looked at, should a subset have room for them; undefined without any. */
  readonly leftAloneFor: Milliseconds | undefined;
}

/**
 * A Pod that found no room when it was created is left as it is for a moment: what its siblings' creation wakes is no reason to take it in, and
 * tells nothing of it (spec/workloadspread.md 5.1).
 */
const leftAloneFor = seconds(10);

function isLeftAlone({ metadata }: Pod, { metadata: of }: WorkloadSpread, now: Instant): boolean {
  const [created, since] = [parseTime(metadata.creationTimestamp), parseTime(of.creationTimestamp)];
  return created !== undefined && since !== undefined && created > since && now - created < leftAloneFor;
}

const matches = (terms: readonly NodeTerm[], node: Node): boolean =>
  nodeSelection({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  })(node);

/** What the Pod requires already narrows the subset's own nodes, so those alone count; a subset that names none takes the Pod's. */
function isRequirementMet({ requiredNodeSelector: required }: Subset, pod: Pod, node: Node): boolean {
  if (required === undefined || required === null) return true;
  const held = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return matches(isEmptyTerm(required) ? held : [required], node);
}

function areTaintsTolerated({ tolerations = [] }: Subset, pod: Pod, node: Node): boolean {
  const all = [...(pod.spec.tolerations ?? []), ...tolerations];
  return (node.spec?.taints ?? []).every((taint) => tolerates(all, taint));
}

const withoutAnnotations = (pod: JsonObject): JsonObject => {
  const { annotations: _annotations, ...metadata } = (pod['metadata'] ?? {}) as JsonObject;
  return { ...pod, metadata };
};

/** Whether the Pod is as the patch would have it; undefined for a patch that does not fit. */
function hasPatch({ patch }: Subset, pod: Pod): boolean | undefined {
  if (patch === undefined || patch === null) return true;
  const original = { ...pod } as JsonObject;
  const result = applyStrategicMergePatch(original, patch, podPatchSchema);
  if (result.kind !== 'Patched') return undefined;
  return deepEqual(withoutAnnotations(result.value as JsonObject), withoutAnnotations(original));
}

const preferenceOf = ({ preferredNodeSelector = [] }: Subset, node: Node): number =>
  (preferredNodeSelector ?? []).reduce((sum, { weight, preference }) => sum + (matches([preference], node) ? weight : 0), 0);

/** How well the Pod fits where it is; undefined when it could not have come there by way of the subset. */
export function scoreOf(subset: Subset, pod: Pod, node: Node, hasRoom: boolean): number | undefined {
  if (!areTaintsTolerated(subset, pod, node) || !isRequirementMet(subset, pod, node)) return undefined;
  const isPatched = hasPatch(subset, pod);
  if (isPatched === undefined) return undefined;
  return 100 * preferenceOf(subset, node) + (isPatched ? 10 : 0) + (hasRoom ? 1 : 0);
}

/** The place of the subset that fits best, the earlier of equals. */
function bestSubset(subsets: readonly Subset[], pod: Pod, node: Node, room: readonly number[]): number | undefined {
  let best: { readonly index: number; readonly score: number } | undefined;
  for (const [index, subset] of subsets.entries()) {
    const score = scoreOf(subset, pod, node, (room[index] ?? 0) > 0);
    if (score !== undefined && (best === undefined || score > best.score)) best = { index, score };
  }
  return best?.index;
}

/** The place of the subset that the Pod's annotation names; -1 for one that the spec does not know. Undefined for a Pod of nobody here. */
function placeOf(pod: Pod, spread: WorkloadSpread): number | undefined {
  const matched = matchedOf(pod);
  if (matched === undefined || matched.name !== spread.metadata.name) return undefined;
  return spread.spec.subsets.findIndex(({ name }) => name === matched.subset);
}

/** Pods by what their annotation says: in the order of the subsets, in none of the spec, of nobody here. */
function sorted({ spread, pods }: PodsSeen): {
  readonly groups: readonly Pod[][];
  readonly outside: Pod[];
  readonly strangers: readonly Pod[];
} {
  const groups: Pod[][] = spread.spec.subsets.map(() => []);
  const outside: Pod[] = [];
  const strangers: Pod[] = [];
  for (const pod of [...pods].sort(byName)) {
    const place = placeOf(pod, spread);
    if (place === undefined) strangers.push(pod);
    else (groups[place] ?? outside).push(pod);
  }
  return { groups, outside, strangers };
}

const nodeNameOf = ({ spec }: Pod): string => spec.nodeName ?? '';

/** Sorts the Pods into subsets. Those that are finished and were never in one are left out, as are those that came a moment ago. */
export function groupPods(seen: PodsSeen): GroupedPods {
  const { spread, limits, nodeOf, now } = seen;
  const { subsets } = spread.spec;
  const { groups, outside, strangers } = sorted(seen);
  const room = groups.map((group, index) => roomIn(limits[index] ?? 0) - group.filter(isPodActive).length);
  const adopted: { pod: Pod; subset: Subset }[] = [];
  for (const pod of strangers.filter((one) => isPodActive(one) && !isLeftAlone(one, spread, now))) {
    const node = nodeNameOf(pod) === '' ? undefined : nodeOf(nodeNameOf(pod));
    const best = node === undefined ? undefined : bestSubset(subsets, pod, node, room);
    const subset = subsets[best ?? -1];
    const group = groups[best ?? -1];
    if (best === undefined || subset === undefined || group === undefined) {
      outside.push(pod);
      continue;
    }
    group.push(pod);
    room[best] = (room[best] ?? 0) - 1;
    adopted.push({ pod, subset });
  }
  const isYoung = (pod: Pod): boolean => isPodActive(pod) && isLeftAlone(pod, spread, now);
  return {
    subsets: groups.map((group) => group.sort(byName)),
    outside: outside.sort(byName),
    adopted,
    leftAloneFor: strangers.some(isYoung) ? leftAloneFor : undefined,
  };
}

const roomIn = (limit: number): number => (limit === unlimited ? unlimitedRoom : limit);
