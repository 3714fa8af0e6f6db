/** The objects that an event enqueues. Pure. @see spec/persistentpodstate.md 5.1 */
import type { PersistentPodState } from '@kruise/api';
import type { Request, StoreEvent, StoreReader } from '@kruise/kube';
import {
  controllerOf,
  deepEqual,
  groupOf,
  isPodReady,
  keyOf,
  milliseconds,
  type KubeObject,
  type Node,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import { type GroupKind, byTarget, targetOf, targetOfOwner, targetText, type Target } from '@kruise/workloads';
import { asksForOtherState, asksForState, byRecordedNode } from '@kruise/kinds/persistentpodstate';

type States = StoreReader<PersistentPodState>;

/** Pods become ready in swarms; one status answers those of this long. */
const gathering = milliseconds(50);
/** No name of an object has this sign. */
const mark = '#';

/** Requests the PersistentPodState of a workload to be made, changed or deleted; beside the names of PersistentPodStates in the queue. */
export const generateKey = (namespace: string, { group, kind, name }: Target): ObjectKey => ({
  namespace,
  name: ['generate', group, kind, name].join(mark),
});

/** The workload that a key requests; undefined for the key of a PersistentPodState. */
export function generateTargetOf({ name: text }: ObjectKey): Target | undefined {
  const [, group, kind, name] = text.split(mark);
  return group === undefined || kind === undefined || name === undefined ? undefined : { group, kind, name };
}

const statesFor = (states: States, target: Target, namespace: string): readonly ObjectKey[] =>
  states.byIndex(byTarget, targetText(target), { namespace }).map(keyOf);

/** Whether its owner made it by annotations; and, one that was made, whether it is still requested, must be looked at after a restart. */
function generatedFor(state: PersistentPodState): Target | undefined {
  const owner = controllerOf(state);
  return owner?.name === state.metadata.name ? targetOfOwner(owner) : undefined;
}

/**
 * The object itself. The workload of a deleted one may request another, and its annotations may have changed while no manager watched.
 * @see spec/persistentpodstate.md 6
 */
export function requestsOfState(event: StoreEvent<PersistentPodState>): readonly Request[] {
  const { object } = event;
  const { namespace = '' } = object.metadata;
  if (event.kind === 'Updated') return [keyOf(object)];
  const workload = event.kind === 'Deleted' ? targetOf(object) : generatedFor(object);
  const own = event.kind === 'Deleted' ? [] : [keyOf(object)];
  return workload === undefined ? own : [...own, generateKey(namespace, workload)];
}

/** Whether the event may change the record: the Pod is deleted, or is ready. */
function isTelling(event: StoreEvent<Pod>): boolean {
  if (event.kind === 'Deleted') return true;
  // A Pod whose creation was not seen, as after an interrupted watch; at the start every PersistentPodState is processed anyway.
  if (event.kind === 'Added') return !event.initial && isPodReady(event.object);
  const { previous, object } = event;
  if (previous.metadata.deletionTimestamp !== object.metadata.deletionTimestamp) return true;
  // What a ready Pod is annotated with may be remembered, too.
  return isPodReady(object) && (!isPodReady(previous) || !deepEqual(previous.metadata.annotations, object.metadata.annotations));
}

/**
 * Those for the Pod's controller, found by reference: they include the one that the injected annotation names, and if that is deleted, another may
 * have taken its place.
 */
export function requestsOfPod(event: StoreEvent<Pod>, states: States): readonly Request[] {
  const owner = controllerOf(event.object);
  if (owner === undefined || !isTelling(event)) return [];
  const { namespace = '' } = event.object.metadata;
  return statesFor(states, targetOfOwner(owner), namespace).map((key) => ({ key, after: gathering }));
}

/** A workload of this kind: requests a PersistentPodState, or ends what is remembered of it. */
export function requestsOfWorkload(event: StoreEvent<KubeObject>, kind: GroupKind, states: States): readonly Request[] {
  const { object } = event;
  const { namespace = '', name, deletionTimestamp } = object.metadata;
  const target = { ...kind, name };
  if (event.kind === 'Deleted') return statesFor(states, target, namespace);
  if (event.kind === 'Added') return asksForState(object) ? [generateKey(namespace, target)] : [];
  const generate = asksForOtherState(event.previous, object) ? [generateKey(namespace, target)] : [];
  const goes = deletionTimestamp !== undefined && event.previous.metadata.deletionTimestamp === undefined;
  return goes ? [...generate, ...statesFor(states, target, namespace)] : generate;
}

/** An object of a kind of the white list, which says itself what it is. */
export const requestsOfListed = (event: StoreEvent<KubeObject>, states: States): readonly Request[] => {
  const { apiVersion = '', kind = '' } = event.object;
  return requestsOfWorkload(event, { group: groupOf(apiVersion), kind }, states);
};

/** Those that remember the deleted node. */
export const requestsOfNode = (event: StoreEvent<Node>, states: States): readonly Request[] =>
  event.kind === 'Deleted' ? states.byIndex(byRecordedNode, event.object.metadata.name).map(keyOf) : [];
