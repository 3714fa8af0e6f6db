/** What a pass sees of a PersistentPodState, or of a workload that may request one. @see spec/persistentpodstate.md 5.2, 6 */
import type { PersistentPodState } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import type { Node } from '@kruise/objects';
import { isSupported, nodesToDoubt, nodesToRead, type Snapshot } from '@kruise/kinds/persistentpodstate';
import { byTarget, targetOf, targetText, type Target, type WorkloadReference } from '@kruise/workloads';
import type { WhiteListedKinds, WorkloadFinder } from '../../workloads/finder/index.ts';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { observeNodes } from './observe-nodes.ts';
import { generateTargetOf } from './triggers.ts';

/** What a pass reads. */
export interface Known {
  readonly states: StoreReader<PersistentPodState>;
  readonly nodes: StoreReader<Node>;
  readonly listed: WhiteListedKinds;
  readonly finder: WorkloadFinder;
  /** Gate PersistentPodStateAutoCleanup. */
  readonly cleansUp: boolean;
}

/** Only the group counts where the kind is known. */
const referenceTo = ({ group, kind, name }: Target, namespace: string): WorkloadReference => ({
  apiVersion: `${group}/v1`,
  kind,
  name,
  namespace,
});

async function observeRecord(known: Known, { key, client, signal }: PassView): Promise<Snapshot> {
  const state = known.states.get(key);
  const target = state === undefined ? undefined : targetOf(state);
  if (state === undefined || target === undefined || !isSupported(target, known.listed.reading)) return { kind: 'Unsupported' };
  const found = await known.finder.find(referenceTo(target, key.namespace), signal);
  const workload = found === undefined || found.isBeingDeleted ? undefined : { ...found, replicas: found.replicas ?? 0 };
  const active = found === undefined ? [] : (await known.finder.podsOfFound(found, { active: true }, signal)).pods;
  const seen = { state, workload, pods: active };
  const doubted = known.cleansUp ? nodesToDoubt(state) : [];
  const nodesSeen = await observeNodes(known.nodes, client, { names: nodesToRead(seen), doubted }, signal);
  const lostNodes = new Set(doubted.filter((name) => nodesSeen.lost.has(name)));
  return { kind: 'Record', seen: { ...seen, nodeLabels: nodesSeen.labels, lostNodes }, failure: nodesSeen.failure };
}

async function observeGenerate(known: Known, target: Target, { key: { namespace }, signal }: PassView): Promise<Snapshot> {
  if (!isSupported(target, known.listed.reading)) return { kind: 'Unsupported' };
  const workload = await known.finder.find(referenceTo(target, namespace), signal);
  const targeting = known.states.byIndex(byTarget, targetText(target), { namespace });
  return { kind: 'Generate', seen: { workload, held: known.states.get({ namespace, name: target.name }), targeting } };
}

/** @throws what keeps the workload or its Pods from being read just now */
export function observe(known: Known, _object: unknown, view: PassView): Promise<Snapshot> {
  const target = generateTargetOf(view.key);
  return target === undefined ? observeRecord(known, view) : observeGenerate(known, target, view);
}
