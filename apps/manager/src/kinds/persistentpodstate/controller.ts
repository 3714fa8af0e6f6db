/** What the controller of PersistentPodStates reads, and which rules it follows. @see spec/persistentpodstate.md 5 */
import {
  groups,
  persistentPodStateDeclaration,
  persistentPodStates,
  persistentPodStateWhiteListKey as listKey,
  statefulSets,
} from '@kruise/api';
import { watchInformer, type WithStatus } from '@kruise/kube';
import { formatKey, nodes, pods, type ObjectKey, type ResourceType } from '@kruise/objects';
import { byRecordedNode, plan, type GenerateAction, type Plan, type Snapshot } from '@kruise/kinds/persistentpodstate';
import { builtInStatefulSets, byOwner, byTarget } from '@kruise/workloads';
import { configurationOf, KindMapper, WhiteListedKinds, WorkloadFinder } from '../../workloads/finder/index.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import { execute } from './execute.ts';
import { observe, type Known } from './observe.ts';
import { generateTargetOf, requestsOfListed, requestsOfNode, requestsOfPod, requestsOfState, requestsOfWorkload } from './triggers.ts';

interface Types {
  /** A PersistentPodState, or an object that represents the workload if the key names a workload. */
  readonly object: WithStatus;
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly action: GenerateAction;
  readonly plan: Plan;
}

/** What was refused for a workload is remembered under its key, which is no uid. */
const standIn = (key: ObjectKey): WithStatus => ({ metadata: { ...key, uid: formatKey(key) } });

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
      known: { states: states.store, nodes: allNodes.store, listed, finder, cleansUp },
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
  rules: { observe, plan },
  status: 'Merge',
  stages: ({ actions }) => ({ before: [{ name: 'generate', actions, onFailure: 'Stop' }] }),
  execute: (action, { client }, signal) => execute(action, client, signal),
  // No deletion of an object has what was refused for a workload forgotten.
  announce: ({ object, snapshot, plan: { actions }, refusals }) => {
    if (snapshot.kind === 'Generate' && actions.length === 0) refusals.forget(object.metadata.uid ?? '');
  },
});
