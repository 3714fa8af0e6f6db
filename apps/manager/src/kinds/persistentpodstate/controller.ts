/** What the controller of PersistentPodStates reads, and which rules it follows. @see spec/persistentpodstate.md 5 */
import {
  groups,
  persistentPodStateDeclaration,
  persistentPodStates,
  persistentPodStateWhiteListKey as listKey,
  statefulSets,
  type PersistentPodState,
} from '@kruise/api';
import { watchInformer, type Client, type StoreReader, type WithStatus } from '@kruise/kube';
import { formatKey, nodes, pods, type Node, type ObjectKey, type ResourceType } from '@kruise/objects';
import { byOwner, builtInStatefulSets, type WorkloadReference, byTarget, targetOf, targetText, type Target } from '@kruise/workloads';
import { configurationOf, KindMapper, WhiteListedKinds, WorkloadFinder } from '../../workloads/finder/index.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import { execute } from './execute.ts';
import { observeNodes } from './observe-nodes.ts';
import {
  type GenerateAction,
  nodesToDoubt,
  nodesToRead,
  plan,
  type Plan,
  type Snapshot,
  byRecordedNode,
  isSupported,
} from '@kruise/kinds/persistentpodstate';
import { generateTargetOf, requestsOfListed, requestsOfNode, requestsOfPod, requestsOfState, requestsOfWorkload } from './triggers.ts';

interface Known {
  readonly states: StoreReader<PersistentPodState>;
  readonly nodes: StoreReader<Node>;
  readonly listed: WhiteListedKinds;
  readonly finder: WorkloadFinder;
  readonly client: Client;
  /** Gate PersistentPodStateAutoCleanup. */
  readonly cleansUp: boolean;
}

interface Types {
  /** A PersistentPodState, or an object that represents the workload if the key names a workload. */
  readonly object: WithStatus;
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly action: GenerateAction;
  readonly plan: Plan;
}

/** Only the group counts where the kind is known. */
const referenceTo = ({ group, kind, name }: Target, namespace: string): WorkloadReference => ({
  apiVersion: `${group}/v1`,
  kind,
  name,
  namespace,
});

/** What was refused for a workload is remembered under its key, which is no uid. */
const standIn = (key: ObjectKey): WithStatus => ({ metadata: { ...key, uid: formatKey(key) } });

async function observeRecord(known: Known, key: ObjectKey, signal: AbortSignal): Promise<Snapshot> {
  const state = known.states.get(key);
  const target = state === undefined ? undefined : targetOf(state);
  if (state === undefined || target === undefined || !isSupported(target, known.listed.reading)) return { kind: 'Unsupported' };
  const found = await known.finder.find(referenceTo(target, key.namespace), signal);
  const workload = found === undefined || found.isBeingDeleted ? undefined : { ...found, replicas: found.replicas ?? 0 };
  const active = found === undefined ? [] : (await known.finder.podsOfFound(found, { active: true }, signal)).pods;
  const seen = { state, workload, pods: active };
  const doubted = known.cleansUp ? nodesToDoubt(state) : [];
  const nodesSeen = await observeNodes(known.nodes, known.client, { names: nodesToRead(seen), doubted }, signal);
  const lostNodes = new Set(doubted.filter((name) => nodesSeen.lost.has(name)));
  return { kind: 'Record', seen: { ...seen, nodeLabels: nodesSeen.labels, lostNodes }, failure: nodesSeen.failure };
}

async function observeGenerate(known: Known, target: Target, { namespace }: ObjectKey, signal: AbortSignal): Promise<Snapshot> {
  if (!isSupported(target, known.listed.reading)) return { kind: 'Unsupported' };
  const workload = await known.finder.find(referenceTo(target, namespace), signal);
  const targeting = known.states.byIndex(byTarget, targetText(target), { namespace });
  return { kind: 'Generate', seen: { workload, held: known.states.get({ namespace, name: target.name }), targeting } };
}

export const persistentPodStateController = planController<Types>({
  name: persistentPodStateDeclaration.controllerName,
  workers: 'persistentpodstate-workers',
  type: persistentPodStates,
  sources: ({ caches, client, clock, logger, gates, installed, podNamespace }) => {
    const states = caches.of(persistentPodStates, byTarget, byRecordedNode);
    const allNodes = caches.of(nodes);
    const mapper = new KindMapper(client, clock);
    const { namespace } = caches.scope;
    const list = configurationOf(caches, podNamespace);
    const listed = new WhiteListedKinds({ client, clock, logger, list, listKey, namespace }, mapper);
    const finder = new WorkloadFinder({ client, caches, clock, installed, gates, listed, mapper });
    const cleansUp = gates.PersistentPodStateAutoCleanup;
    const ours = installed(groups.apps, statefulSets.version, statefulSets.kind) ? [statefulSets as ResourceType] : [];
    return {
      objects: states,
      known: { states: states.store, nodes: allNodes.store, listed, finder, client, cleansUp },
      find: (key) => (generateTargetOf(key) === undefined ? states.store.get(key) : standIn(key)),
      requestsOf: (event) => requestsOfState(event as Parameters<typeof requestsOfState>[0]),
      watches: [
        watchInformer(caches.of(pods, byOwner), (event) => requestsOfPod(event, states.store)),
        ...[builtInStatefulSets as ResourceType, ...ours].map((type) =>
          watchInformer(caches.of(type), (event) => requestsOfWorkload(event, type, states.store)),
        ),
        listed.watch((event) => requestsOfListed(event, states.store)),
        ...(cleansUp ? [watchInformer(allNodes, (event) => requestsOfNode(event, states.store))] : []),
      ],
      caches: [allNodes],
    };
  },
  rules: {
    observe: (known, _object, { key, signal }) => {
      const target = generateTargetOf(key);
      return target === undefined ? observeRecord(known, key, signal) : observeGenerate(known, target, key, signal);
    },
    plan,
  },
  status: 'Merge',
  stages: ({ actions }) => ({ before: [{ name: 'generate', actions, onFailure: 'Stop' }] }),
  execute: (action, { client }, signal) => execute(action, client, signal),
  // No deletion of an object has what was refused for a workload forgotten.
  announce: ({ object, snapshot, plan: { actions }, refusals }) => {
    if (snapshot.kind === 'Generate' && actions.length === 0) refusals.forget(object.metadata.uid ?? '');
  },
});
