/** The nodes of a job, in the order in which they get work. Pure. @see spec/image-pulling.md 5.5 step 5 */
import {
  cloneSets,
  groups,
  sidecarSets,
  statefulSets,
  type CloneSet,
  type ImagePullJob,
  type NodeImage,
  type PriorityStrategy,
  type ScatterStrategy,
  type SidecarSet,
  type StatefulSet,
} from '@kruise/api';
import { compareUtf8, hasText, isPodActive, type KubeObject, type LabelMatcher, type Pod, type ResourceType } from '@kruise/objects';
import { rankForUpdate, type UpdateRanking } from '@kruise/pods';
import type { NodeChoice } from './terms.ts';

export interface NodesSeen {
  /** Every NodeImage, any order; not looked at for a job with a Pod selector. */
  readonly nodeImages: () => readonly NodeImage[];
  readonly nodeImageAt: (node: string) => NodeImage | undefined;
  /** Pods of the job's namespace, any order. */
  readonly pods: () => readonly Pod[];
  /** The workload that controls the job, if it is one whose order of update is known. */
  readonly workload: KubeObject | undefined;
}

const byName = (a: KubeObject, b: KubeObject): number => compareUtf8(a.metadata.name, b.metadata.name);

/** -1 for a name that does not end in a number. */
const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);

interface Strategies {
  readonly priorityStrategy?: PriorityStrategy;
  readonly scatterStrategy?: ScatterStrategy;
}

const rankingBy = ({ priorityStrategy, scatterStrategy }: Strategies, preparingFirst: boolean): UpdateRanking => ({
  ...(priorityStrategy === undefined ? {} : { priority: priorityStrategy }),
  ...(scatterStrategy === undefined ? {} : { scatter: scatterStrategy }),
  preparingFirst,
});

function rankingOf(workload: KubeObject): UpdateRanking | 'Ordinals' | undefined {
  switch (workload.kind) {
    case cloneSets.kind:
      return rankingBy((workload as CloneSet).spec.updateStrategy?.rollingUpdate ?? {}, true);
    case sidecarSets.kind:
      return rankingBy((workload as SidecarSet).spec.updateStrategy ?? {}, false);
    case statefulSets.kind: {
      const unordered = (workload as StatefulSet).spec.updateStrategy?.rollingUpdate?.unorderedUpdate;
      return unordered === undefined ? 'Ordinals' : rankingBy(unordered, false);
    }
    default:
      return undefined;
  }
}

/** The Pods that the workload updates first come first; without a workload the order of their names. */
function inUpdateOrder(pods: readonly Pod[], workload: KubeObject | undefined): readonly Pod[] {
  const sorted = pods.toSorted(byName);
  const ranking = workload === undefined ? undefined : rankingOf(workload);
  if (ranking === undefined) return sorted;
  return ranking === 'Ordinals' ? sorted.toSorted((a, b) => ordinalOf(b) - ordinalOf(a)) : rankForUpdate(sorted, sorted, ranking);
}

function ofPods(matcher: LabelMatcher, seen: NodesSeen): readonly NodeImage[] {
  const chosen = seen.pods().filter((pod) => isPodActive(pod) && (pod.spec.nodeName ?? '') !== '' && matcher.matches(pod.metadata.labels));
  const names = new Set(inUpdateOrder(chosen, seen.workload).map((pod) => pod.spec.nodeName ?? ''));
  return [...names].flatMap((name) => seen.nodeImageAt(name) ?? []);
}

/** Nodes without a NodeImage are omitted until they have one. */
export function nodesOfJob(choice: NodeChoice, seen: NodesSeen): readonly NodeImage[] {
  switch (choice.kind) {
    case 'All':
      return seen.nodeImages().toSorted(byName);
    case 'Names':
      return [...new Set(choice.names)].flatMap((name) => seen.nodeImageAt(name) ?? []);
    case 'Labels':
      return seen
        .nodeImages()
        .filter(({ metadata }) => choice.matcher.matches(metadata.labels))
        .toSorted(byName);
    case 'Pods':
      return ofPods(choice.matcher, seen);
  }
}

/** Whether a node belongs to the job, judged by its labels and name; undefined if Pods decide. */
export function choosesNode(choice: NodeChoice, { metadata }: NodeImage): boolean | undefined {
  if (choice.kind === 'Pods') return undefined;
  if (choice.kind === 'Names') return hasText(choice.names, metadata.name);
  return choice.kind === 'All' || choice.matcher.matches(metadata.labels);
}

/** Workloads whose order of update a job follows. */
export const orderedWorkloads: readonly ResourceType[] = [cloneSets, statefulSets, sidecarSets];

/** The controller of a job, if it is such a workload. */
export function workloadOf(job: ImagePullJob): { readonly kind: string; readonly name: string; readonly uid: string } | undefined {
  const owner = job.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || !owner.apiVersion.startsWith(`${groups.apps}/`)) return undefined;
  return orderedWorkloads.some(({ kind }) => kind === owner.kind) ? owner : undefined;
}
