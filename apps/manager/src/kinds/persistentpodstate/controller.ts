/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/persistentpodstate.md 5 */
import {
  groups,
  persistentPodStateDeclaration,
  persistentPodStates,
  persistentPodStateWhiteListKey as listKey,
  statefulSets,
  type PersistentPodState,
} from '@kruise/api';
import { nextLook, outcomeOf, retry, runPlan, settled, watchInformer, writeStatus, type Outcome, type StoreReader } from '@kruise/kube';
import { formatKey, nodes, pods, type Node, type ObjectKey, type ResourceType } from '@kruise/objects';
import { byOwner } from '../../caches/by-owner.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import {
  builtInStatefulSets,
  configurationOf,
  KindMapper,
  WhiteListedKinds,
  WorkloadFinder,
  type WorkloadReference,
} from '../../workloads/finder/index.ts';
import { execute } from './execute.ts';
import { observeNodes } from './observe-nodes.ts';
import { planGenerate, type GenerateAction } from './plan-generate.ts';
import { nodesToDoubt, nodesToRead, planRecord } from './plan-record.ts';
import { byTarget, targetOf, targetText, type Target } from '../../workloads/target.ts';
import { byRecordedNode, isSupported } from './target.ts';
import { generateTargetOf, requestsOfListed, requestsOfNode, requestsOfPod, requestsOfState, requestsOfWorkload } from './triggers.ts';

interface Parts {
  readonly states: StoreReader<PersistentPodState>;
  readonly nodes: StoreReader<Node>;
  readonly listed: WhiteListedKinds;
  readonly finder: WorkloadFinder;
}

/** Only the group counts where the kind is known. */
const referenceTo = ({ group, kind, name }: Target, namespace: string): WorkloadReference => ({
  apiVersion: `${group}/v1`,
  kind,
  name,
  namespace,
});

async function record(key: ObjectKey, parts: Parts, dependencies: ControllerDependencies, signal: AbortSignal): Promise<Outcome> {
  const state = parts.states.get(key);
  const target = state === undefined ? undefined : targetOf(state);
  // What was remembered of a kind that was taken off the white list stays as it is.
  if (state === undefined || target === undefined || !isSupported(target, parts.listed.reading)) return settled;
  const found = await parts.finder.find(referenceTo(target, key.namespace), signal);
  const workload = found === undefined || found.isBeingDeleted ? undefined : { ...found, replicas: found.replicas ?? 0 };
  const active = found === undefined ? [] : (await parts.finder.podsOfFound(found, { active: true }, signal)).pods;
  const seen = { state, workload, pods: active };
  const { client, gates } = dependencies;
  const doubted = gates.PersistentPodStateAutoCleanup ? nodesToDoubt(state) : [];
  const nodesSeen = await observeNodes(parts.nodes, client, { names: nodesToRead(seen), doubted }, signal);
  const lostNodes = new Set(doubted.filter((name) => nodesSeen.lost.has(name)));
  const status = planRecord({ ...seen, nodeLabels: nodesSeen.labels, lostNodes });
  await writeStatus(client, persistentPodStates, { object: state, status, how: 'Merge' }, signal);
  return nodesSeen.failure === undefined ? settled : retry(nodesSeen.failure);
}

async function generate(key: ObjectKey, parts: Parts, dependencies: ControllerDependencies, signal: AbortSignal): Promise<Outcome> {
  const target = generateTargetOf(key);
  if (target === undefined || !isSupported(target, parts.listed.reading)) return settled;
  const { namespace } = key;
  const { states, finder } = parts;
  const { client, logger } = dependencies;
  const workload = await finder.find(referenceTo(target, namespace), signal);
  const targeting = states.byIndex(byTarget, targetText(target), { namespace });
  const { actions, lookAgainAfter } = planGenerate({ workload, held: states.get({ namespace, name: target.name }), targeting });
  const about = { workload: `${target.kind} ${formatKey({ namespace, name: target.name })}` };
  const tools = { execute: (action: GenerateAction) => execute(action, client, signal), logger, about };
  const result = await runPlan([{ name: 'generate', actions, onFailure: 'Stop' }], tools, signal);
  return outcomeOf(result, nextLook(lookAgainAfter));
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, client, clock, logger, gates, installed, podNamespace } = dependencies;
  const states = caches.of(persistentPodStates, byTarget, byRecordedNode);
  const allNodes = caches.of(nodes);
  const mapper = new KindMapper(client, clock);
  const { namespace } = caches.scope;
  const list = configurationOf(caches, podNamespace);
  const listed = new WhiteListedKinds({ client, clock, logger, list, listKey, namespace }, mapper);
  const finder = new WorkloadFinder({ client, caches, clock, installed, gates, listed, mapper });
  const parts: Parts = { states: states.store, nodes: allNodes.store, listed, finder };
  const ours = installed(groups.apps, statefulSets.version, statefulSets.kind) ? [statefulSets as ResourceType] : [];
  return {
    watches: [
      watchInformer(states, requestsOfState),
      watchInformer(caches.of(pods, byOwner), (event) => requestsOfPod(event, states.store)),
      ...[builtInStatefulSets as ResourceType, ...ours].map((type) =>
        watchInformer(caches.of(type), (event) => requestsOfWorkload(event, type, states.store)),
      ),
      listed.watch((event) => requestsOfListed(event, states.store)),
      ...(gates.PersistentPodStateAutoCleanup ? [watchInformer(allNodes, (event) => requestsOfNode(event, states.store))] : []),
    ],
    caches: [allNodes],
    reconcile: (key, signal) =>
      generateTargetOf(key) === undefined ? record(key, parts, dependencies, signal) : generate(key, parts, dependencies, signal),
  };
}

export const persistentPodStateController: ControllerModule = {
  name: persistentPodStateDeclaration.controllerName,
  workers: 'persistentpodstate-workers',
  define,
};
