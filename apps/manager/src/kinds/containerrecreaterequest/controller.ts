/**
 * What the manager's controller of ContainerRecreateRequests reads, and which rules it follows. It takes the Pod out of service where that is requested,
 * shows the node agent how the kubelet sees the new containers, and ends requests that no agent answers, that take too long or whose Pod no longer
 * exists. The containers are stopped by the node agent.
 * @see spec/containerrecreaterequest.md 5.1, 5.2
 */
import {
  containerRecreateRequestDeclaration,
  containerRecreateRequestFinalizer,
  containerRecreateRequests,
  eventReasons,
  labels,
  type ContainerRecreateRequest,
} from '@kruise/api';
import { isRefusal, unlessDeleted, watchInformer, type StoreReader } from '@kruise/kube';
import { hasFinalizer, nodes, pods, type Node, type Pod } from '@kruise/objects';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { newFailureOf } from '../../workloads/passes/run-paced.ts';
import { execute } from './execute.ts';
import { isCompleted, plan, stagesOf, type Action, type Plan, type Seen } from '@kruise/kinds/containerrecreaterequest';
import { byNode, byPodUid, requestsOfNode, requestsOfPod } from './triggers.ts';

interface Known {
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
}

interface Types {
  readonly object: ContainerRecreateRequest;
  readonly known: Known;
  readonly snapshot: Seen;
  readonly action: Action;
  readonly plan: Plan;
}

/**
 * What the caches lack is read: a Pod may be younger in the cache than the request that names it. A finished request that holds no Pod needs neither Pod
 * nor Node.
 */
async function observe(known: Known, request: ContainerRecreateRequest, view: PassView): Promise<Seen> {
  const isFinished = isCompleted(request) || request.metadata.deletionTimestamp !== undefined;
  if (isFinished && !hasFinalizer(request, containerRecreateRequestFinalizer)) return { request, pod: undefined, isNodeDeleted: false };
  const isNodeDeleted = !isFinished && (await isNodeAbsent(known, request, view));
  return { request, pod: await observePod(known, request, view), isNodeDeleted };
}

async function observePod(
  known: Known,
  { metadata, spec }: ContainerRecreateRequest,
  { client, signal }: PassView,
): Promise<Pod | undefined> {
  const key = { namespace: metadata.namespace ?? '', name: spec.podName };
  const held = known.pods.get(key);
  const isIt = held !== undefined && held.metadata.uid === metadata.labels?.[labels.recreatePodUid];
  return isIt ? held : unlessDeleted(client.get(pods, key, { signal }));
}

async function isNodeAbsent(known: Known, { metadata }: ContainerRecreateRequest, { client, signal }: PassView): Promise<boolean> {
  const key = { namespace: '', name: metadata.labels?.[labels.recreateNodeName] ?? '' };
  if (key.name === '' || known.nodes.get(key) !== undefined) return false;
  return (await unlessDeleted(client.get(nodes, key, { signal }))) === undefined;
}

export const containerRecreateRequestController = planController<Types>({
  name: containerRecreateRequestDeclaration.controllerName,
  workers: 'crr-workers',
  gates: ['KruiseDaemon'],
  type: containerRecreateRequests,
  sources: ({ caches }) => {
    const requests = caches.of(containerRecreateRequests, byPodUid, byNode);
    const sources = { pods: caches.of(pods), nodes: caches.of(nodes) };
    return {
      objects: requests,
      known: { pods: sources.pods.store, nodes: sources.nodes.store },
      watches: [
        watchInformer(sources.pods, (event) => requestsOfPod(event, requests.store)),
        watchInformer(sources.nodes, (event) => requestsOfNode(event, requests.store)),
      ],
    };
  },
  rules: { observe, plan },
  stages: (next) => ({ before: stagesOf(next) }),
  execute: (action, { object, client, clock }, signal) => execute(action, object, { client, clock }, signal),
  // Nothing else says why the containers are not stopped, or why the Pod is still out of service.
  announce: ({ object, plan: { actions }, recorder }, result) => {
    for (const action of actions) {
      const error = newFailureOf(result, action.kind);
      if (!isRefusal(error) || (action.kind !== 'HoldPod' && action.kind !== 'ReleasePod')) continue;
      const what = action.kind === 'HoldPod' ? 'taken out of' : 'put back into';
      const message = `Pod ${action.pod.metadata.name} cannot be ${what} service: ${error.message}`;
      recorder.event(object, 'Warning', eventReasons.failedPodReadiness, message);
    }
  },
});
