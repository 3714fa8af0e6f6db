/** What a PersistentPodState remembers: entries come with Pods that are ready, and go with ordinals that are not wanted. Pure. */
import { ordinalSlots, parsePodOrdinal, type OrdinalRange, type PersistentPodState, type PodState } from '@kruise/api';
import { deepEqual, isPodReady, memberAt, ownMember, semanticEqual, type Pod, memoized } from '@kruise/objects';

type Spec = PersistentPodState['spec'];
type Status = NonNullable<PersistentPodState['status']>;
type Labels = Readonly<Record<string, string>>;

/** What is asked of the workload. */
export interface RecordedWorkload {
  readonly replicas: number;
  readonly startOrdinal: number;
  readonly reserveOrdinals: readonly OrdinalRange[];
}

export interface RecordSnapshot {
  readonly state: PersistentPodState;
  /** Undefined if it is deleted or being deleted. */
  readonly workload: RecordedWorkload | undefined;
  /** The active ones of the workload, in any order. */
  readonly pods: readonly Pod[];
  /** Labels of the nodes that could be read, by name. */
  readonly nodeLabels: ReadonlyMap<string, Labels>;
  /** Names of nodes that the API server said do not exist; empty unless forgotten nodes are cleaned up. */
  readonly lostNodes: ReadonlySet<string>;
}

type Keys = ReadonlySet<string>;

/** Of each spec once: there may be as many keys as fit into an object, and they are asked of every Pod. */
const keysOf = memoized((spec: Spec): { readonly topology: Keys; readonly annotations: Keys } => {
  const { requiredPersistentTopology, preferredPersistentTopology = [], persistentPodAnnotations = [] } = spec;
  return {
    topology: new Set([
      ...(requiredPersistentTopology?.keys ?? []),
      ...preferredPersistentTopology.flatMap(({ preference }) => preference.keys),
    ]),
    annotations: new Set(persistentPodAnnotations.map(({ key }) => key)),
  };
});

/** The members of these keys, as far as they are there. Few keys are looked up in the members, and else the members in the keys. */
function picked(from: Labels | undefined, keys: Keys): Labels {
  const members = from ?? {};
  const found =
    keys.size <= fewKeys
      ? [...keys].map((key) => [key, ownMember(members, key)] as const)
      : Object.entries(members).filter(([key]) => keys.has(key));
  return Object.fromEntries(found.filter((member): member is readonly [string, string] => typeof member[1] === 'string'));
}

const fewKeys = 16;

const hasExactly = (labels: Labels, keys: Keys): boolean =>
  Object.keys(labels).length === keys.size && [...keys].every((key) => Object.hasOwn(labels, key));

/** Whether the entry of the Pod equals the one that would be written now, judged without its node. */
function isCurrent(entry: PodState | undefined, { metadata, spec }: Pod, state: PersistentPodState): boolean {
  if (entry === undefined || entry.nodeName !== spec.nodeName) return false;
  const annotations = picked(metadata.annotations, keysOf(state.spec).annotations);
  return hasExactly(entry.nodeTopologyLabels ?? {}, keysOf(state.spec).topology) && deepEqual(entry.annotations ?? {}, annotations);
}

const isPlaced = (pod: Pod): boolean => isPodReady(pod) && (pod.spec.nodeName ?? '') !== '';
const entriesOf = ({ status }: PersistentPodState): Readonly<Record<string, PodState>> => status?.podStates ?? {};
const entryOf = (state: PersistentPodState, name: string): PodState | undefined =>
  ownMember(entriesOf(state), name) as PodState | undefined;

/** The ready Pods with new state to record. */
const changedPods = (state: PersistentPodState, pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => isPlaced(pod) && !isCurrent(entryOf(state, pod.metadata.name), pod, state));

/** Names of the nodes whose labels the record needs: only of Pods of which something changed. */
export const nodesToRead = ({ state, workload, pods }: Pick<RecordSnapshot, 'state' | 'workload' | 'pods'>): readonly string[] =>
  workload === undefined ? [] : [...new Set(changedPods(state, pods).flatMap(({ spec }) => spec.nodeName ?? []))];

/** Names of the nodes that required topology binds Pods to. */
export const nodesToDoubt = (state: PersistentPodState): readonly string[] =>
  (state.spec.requiredPersistentTopology?.keys ?? []).length === 0
    ? []
    : [...new Set(Object.values(entriesOf(state)).flatMap(({ nodeName }) => nodeName ?? []))];

function newEntry({ metadata, spec }: Pod, labels: Labels, state: PersistentPodState): PodState {
  const nodeTopologyLabels = picked(labels, keysOf(state.spec).topology);
  const annotations = picked(metadata.annotations, keysOf(state.spec).annotations);
  return {
    nodeName: spec.nodeName ?? '',
    ...(Object.keys(nodeTopologyLabels).length === 0 ? {} : { nodeTopologyLabels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** The entries that stay, whether their Pods are there or not. @see spec/persistentpodstate.md 5.2 */
function keptEntries({ state, workload, pods, lostNodes }: RecordSnapshot): readonly (readonly [string, PodState])[] {
  if (workload === undefined) return [];
  const entries = Object.entries(entriesOf(state)).filter(([, { nodeName = '' }]) => !lostNodes.has(nodeName));
  if (state.spec.persistentPodStateRetentionPolicy === 'WhenDeleted') return entries;
  const { replicas, startOrdinal: start, reserveOrdinals: reserved } = workload;
  const slots = ordinalSlots({ start, replicas, reserved });
  const activePods = new Set(pods.map(({ metadata }) => metadata.name));
  return entries.filter(([name]) => {
    const ordinal = parsePodOrdinal(name)?.ordinal;
    return ordinal === undefined || slots.has(ordinal) || activePods.has(name);
  });
}

/**
 * The status after this pass. Returns the same object if nothing must be written.
 *
 * @remarks An entry is kept when its Pod is deleted or not ready: that is its purpose.
 * @see spec/persistentpodstate.md 5.2
 */
export function planRecord(seen: RecordSnapshot): Status {
  const { state, workload, pods, nodeLabels, lostNodes } = seen;
  const entries = new Map(keptEntries(seen));
  for (const pod of workload === undefined ? [] : changedPods(state, pods)) {
    const { nodeName = '' } = pod.spec;
    const labels = nodeLabels.get(nodeName);
    // A node that cannot be read now says nothing against what was remembered.
    if (labels !== undefined && !lostNodes.has(nodeName)) entries.set(pod.metadata.name, newEntry(pod, labels, state));
  }
  const observedGeneration = state.metadata.generation ?? 0;
  const next: Status = entries.size === 0 ? { observedGeneration } : { observedGeneration, podStates: Object.fromEntries(entries) };
  const isSame =
    memberAt(state.status, 'observedGeneration') === observedGeneration && semanticEqual(state.status?.podStates, next.podStates);
  return isSame && state.status !== undefined ? state.status : next;
}
