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
  stringifyLossless,
  workloadLimits,
  type Instant,
  type JsonObject,
  type KubeObject,
  type Milliseconds,
  type Node,
  type Pod,
  memoized,
} from '@kruise/objects';
import { isEmptyTerm, nodeSelection, toleranceOf, type NodeTerm, type Tolerance } from '@kruise/pods';
import { matchedOf } from '../subsets/matched.ts';
import { unlimited, unlimitedRoom } from '../subsets/replicas.ts';

type Subset = WorkloadSpread['spec']['subsets'][number];

export interface PodsSeen {
  readonly spread: WorkloadSpread;
  /** Of one version, any order. */
  readonly pods: readonly Pod[];
  /** In the order of the subsets; -1 without a limit. */
  readonly limits: readonly number[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly now: Instant;
  /** Places of each subset that admission has given to Pods that are not seen yet. */
  readonly promised: readonly number[];
  /** Of the pass, which versions share. */
  readonly trials?: Trials;
}

export interface GroupedPods {
  /** In the order of the spec, Pods by name; those that are taken in are among them. */
  readonly subsets: readonly (readonly Pod[])[];
  /** In no subset of the spec. */
  readonly outside: readonly Pod[];
  /** Pods that were there before the WorkloadSpread, or came past it: they get the annotation now. */
  readonly adopted: readonly { readonly pod: Pod; readonly subset: Subset }[];
  /** Pods that came after the WorkloadSpread, in no subset, and left as they are. */
  readonly leftAlone: readonly Pod[];
  /** When to requeue for the Pods that were created just now, in case a place becomes free. */
  readonly requeueAfter?: Milliseconds;
}

/**
 * A Pod that came after the WorkloadSpread and has no subset found no room, or came past admission. It is left as it is for a moment, since what its
 * siblings' creation enqueues is no reason to look at it (spec/workloadspread.md 5.1), and gets a subset later only where there is room by then.
 */
const leftAloneFor = seconds(10);

const createdAt = ({ metadata }: KubeObject): Instant | undefined => parseTime(metadata.creationTimestamp);

/**
 * Times have seconds only: what came in the second of the WorkloadSpread itself came after it where admission has marked another Pod of that second,
 * and before it where none is marked.
 */
function lateComers(spread: WorkloadSpread, marked: readonly Pod[]): (pod: Pod) => boolean {
  const since = createdAt(spread) ?? Infinity;
  const isMarkedSince = marked.some((pod) => createdAt(pod) === since);
  return (pod) => {
    const created = createdAt(pod) ?? -Infinity;
    return created > since || (created === since && isMarkedSince);
  };
}

const isYoung = (pod: Pod, now: Instant): boolean => now - (createdAt(pod) ?? -Infinity) < leftAloneFor;

const selectionOf = (nodeSelectorTerms: readonly NodeTerm[]): ((node: Node) => boolean) =>
  nodeSelection({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } });

/** Terms of subsets are asked about every Pod without a word, those of a Pod by every subset. */
const selectionOfTerm = memoized((term: NodeTerm) => selectionOf([term]));
const selectionOfTerms = memoized(selectionOf);
const toleranceFrom = memoized((tolerations: NonNullable<Parameters<typeof toleranceOf>[0]>): Tolerance => toleranceOf(tolerations));

const matchesTerm = (term: NodeTerm, node: Node): boolean => selectionOfTerm(term)(node);

/** What the Pod requires already narrows the subset's own nodes, so those alone count; a subset that names none takes the Pod's. */
function isRequirementMet({ requiredNodeSelector: required }: Subset, pod: Pod, node: Node): boolean {
  if (required === undefined || required === null) return true;
  const held = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return isEmptyTerm(required) ? selectionOfTerms(held)(node) : matchesTerm(required, node);
}

function areTaintsTolerated({ tolerations }: Subset, pod: Pod, node: Node): boolean {
  const lists = [pod.spec.tolerations, tolerations].filter((list) => list !== undefined && list !== null);
  return (node.spec?.taints ?? []).every((taint) => lists.some((list) => toleranceFrom(list)(taint)));
}

const withoutAnnotations = (pod: JsonObject): JsonObject => {
  const { annotations: _annotations, ...metadata } = (pod['metadata'] ?? {}) as JsonObject;
  return { ...pod, metadata };
};

/** What one pass compares and merges with patches: many Pods without a word times many subsets would stop the manager. */
export class Trials {
  #left: number = workloadLimits.patchedBytesOfPass.value;
  #comparisons: number = workloadLimits.comparisonsOfPass.value;
  /** Of the Pod in hand. */
  #bytes = 0;

  begin(pod: Pod): void {
    this.#bytes = this.#left <= 0 ? Infinity : Math.max(stringifyLossless(pod).length, leastTrial);
  }

  /** Whether one more Pod may be compared with all subsets. */
  mayCompare(subsets: readonly Subset[]): boolean {
    this.#comparisons -= comparisonsWith(subsets);
    return this.#comparisons >= 0;
  }

  /** As {@link hasPatch}; false once nothing is left: then node and room decide alone. */
  try(subset: Subset, pod: Pod): boolean | undefined {
    if (isWithoutPatch(subset)) return true;
    if (this.#left < this.#bytes) return false;
    this.#left -= this.#bytes;
    return hasPatch(subset, pod);
  }
}

/** Of one Pod: each subset, and each term that it prefers. */
const comparisonsWith = memoized((subsets: readonly Subset[]): number =>
  subsets.reduce((sum, { preferredNodeSelector }) => sum + 1 + (preferredNodeSelector ?? []).length, 0),
);

/** What the merge of the smallest Pod costs, as bytes of a large one. */
const leastTrial = 4096;

const isWithoutPatch = ({ patch }: Subset): boolean => patch === undefined || patch === null;

/** Whether the Pod is as the patch would have it; undefined for a patch that does not fit. */
function hasPatch({ patch }: Subset, pod: Pod): boolean | undefined {
  if (patch === undefined || patch === null) return true;
  const original = { ...pod } as JsonObject;
  const result = applyStrategicMergePatch(original, patch, podPatchSchema);
  if (result.kind !== 'Patched') return undefined;
  return deepEqual(withoutAnnotations(result.value as JsonObject), withoutAnnotations(original));
}

const preferenceOf = ({ preferredNodeSelector = [] }: Subset, node: Node): number =>
  (preferredNodeSelector ?? []).reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0);

type Patched = (subset: Subset, pod: Pod) => boolean | undefined;

/**
 * How well the Pod fits where it is; undefined when it could not have come there by way of the subset.
 *
 * @param by `isPatched`: as {@link hasPatch} when absent
 */
export function scoreOf(
  subset: Subset,
  pod: Pod,
  node: Node,
  { hasRoom, isPatched: judge = hasPatch }: { readonly hasRoom: boolean; readonly isPatched?: Patched },
): number | undefined {
  if (!areTaintsTolerated(subset, pod, node) || !isRequirementMet(subset, pod, node)) return undefined;
  const isPatched = judge(subset, pod);
  if (isPatched === undefined) return undefined;
  return 100 * preferenceOf(subset, node) + (isPatched ? 10 : 0) + (hasRoom ? 1 : 0);
}

/** Where a Pod may go. */
interface Offer {
  /** In the order of the spec; undefined for one that is not to be had. */
  readonly subsets: readonly (Subset | undefined)[];
  readonly room: readonly number[];
  readonly trials: Trials;
}

/** The subset that fits best, the earlier of equals. */
function bestSubset(
  pod: Pod,
  node: Node,
  { subsets, room, trials }: Offer,
): { readonly index: number; readonly subset: Subset } | undefined {
  trials.begin(pod);
  const isPatched: Patched = (subset) => trials.try(subset, pod);
  let best: { readonly index: number; readonly subset: Subset; readonly score: number } | undefined;
  for (const [index, subset] of subsets.entries()) {
    const score = subset === undefined ? undefined : scoreOf(subset, pod, node, { hasRoom: (room[index] ?? 0) > 0, isPatched });
    if (subset !== undefined && score !== undefined && (best === undefined || score > best.score)) best = { index, subset, score };
  }
  return best;
}

/** The first subset with room. */
function firstWithRoom({ subsets, room }: Offer): { readonly index: number; readonly subset: Subset } | undefined {
  const index = subsets.findIndex((subset, at) => subset !== undefined && (room[at] ?? 0) > 0);
  const subset = subsets[index];
  return subset === undefined ? undefined : { index, subset };
}

/** By name, the first of equals. */
const placesOf = memoized(
  (subsets: readonly Subset[]): ReadonlyMap<string, number> => new Map(subsets.map(({ name }, at) => [name, at] as const).toReversed()),
);

/** The index of the subset that the Pod's annotation names; -1 if the spec has no such subset. Undefined for a Pod of another WorkloadSpread. */
function placeOf(pod: Pod, spread: WorkloadSpread): number | undefined {
  const matched = matchedOf(pod);
  if (matched === undefined || matched.name !== spread.metadata.name) return undefined;
  return placesOf(spread.spec.subsets).get(matched.subset) ?? -1;
}

/** Pods by their annotation: in the order of the subsets, of a subset that the spec does not have, or of another WorkloadSpread. */
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

/** The node by which a Pod without a word is judged; undefined when it has none that is known, or is not to be looked at yet. */
function nodeToJudge(pod: Pod, isLate: boolean, { nodeOf, now }: PodsSeen): Node | undefined {
  return isLate && isYoung(pod, now) ? undefined : nodeOf(pod.spec.nodeName ?? '');
}

/** Sorts the Pods into subsets. Those that are finished and were never in one are omitted. */
export function groupPods(seen: PodsSeen): GroupedPods {
  const { spread, limits, now, promised } = seen;
  const { groups, outside, strangers } = sorted(seen);
  const room = groups.map((group, index) => roomIn(limits[index] ?? 0) - group.filter(isPodActive).length);
  const isLateComer = lateComers(spread, [...groups.flat(), ...outside]);
  const adopted: { pod: Pod; subset: Subset }[] = [];
  const leftAlone: Pod[] = [];
  const trials = seen.trials ?? new Trials();
  const free = (index: number): number => (room[index] ?? 0) - (promised[index] ?? 0);
  for (const pod of strangers.filter(isPodActive)) {
    const isLate = isLateComer(pod);
    const node = nodeToJudge(pod, isLate, seen);
    const subsets = spread.spec.subsets.map((subset, index) => (!isLate || free(index) > 0 ? subset : undefined));
    const offer = { subsets, room, trials };
    const judged = (on: Node) => (trials.mayCompare(spread.spec.subsets) ? bestSubset(pod, on, offer) : firstWithRoom(offer));
    const best = node === undefined ? undefined : judged(node);
    if (best === undefined) {
      (isLate ? leftAlone : outside).push(pod);
      continue;
    }
    groups[best.index]?.push(pod);
    room[best.index] = (room[best.index] ?? 0) - 1;
    adopted.push({ pod, subset: best.subset });
  }
  return {
    subsets: groups.map((group) => group.sort(byName)),
    outside: outside.sort(byName),
    adopted,
    leftAlone,
    ...(leftAlone.some((pod) => isYoung(pod, now)) ? { requeueAfter: leftAloneFor } : {}),
  };
}

const roomIn = (limit: number): number => (limit === unlimited ? unlimitedRoom : limit);
