/** Ends the sidecars of Pods whose main containers have ended. @see spec/sidecarterminator.md 5 */
import {
  containerRecreateRequestDeclaration,
  containerRecreateRequests,
  labels,
  virtualKubelet,
  type ContainerRecreateRequest,
} from '@kruise/api';
import {
  afterFailure,
  isFailure,
  isRefusal,
  requeue,
  requeueOrSettle,
  onEvent,
  retry,
  runPlan,
  settled,
  watchInformer,
  type Logger,
  type Outcome,
  type StoreEvent,
  type StoreReader,
} from '@kruise/kube';
import { formatKey, keyOf, nodes, pods, type Node, type ObjectKey, type Pod, type Failed } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { triedAgainWithin } from '../../workloads/refusals/refused-objects.ts';
import { eventSource, SidecarEvents } from './events.ts';
import { execute, type Io } from './execute.ts';
import { isRefusedForLong, plan, retryWait, type Action, isTermination, requestName, isDue } from '@kruise/kinds/sidecarterminator';

interface Stores {
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
  readonly requests: StoreReader<ContainerRecreateRequest>;
}

function outcomeOf({ action, error }: Failed<Action>, pod: Pod, io: Io): Outcome {
  if (isFailure(error, 'NotFound')) return settled;
  if (isRefusal(error) && (action.kind !== 'CreateRequest' || isRefusedForLong(pod, io.clock.now())))
    io.events.warn(pod, { topic: 'refused', message: `sidecars cannot be ended: ${error.message}` });
  // Refused by admission, as a rule because a container has not been started yet.
  if (action.kind === 'CreateRequest' && isRefusal(error)) return requeue(retryWait(pod, io.clock.now()));
  return afterFailure(error, triedAgainWithin);
}

async function reconcile(key: ObjectKey, stores: Stores, io: Io & { readonly logger: Logger }, signal: AbortSignal): Promise<Outcome> {
  const pod = stores.pods.get(key);
  if (pod === undefined || !isDue(pod)) return settled;
  const node = stores.nodes.get({ namespace: '', name: pod.spec.nodeName ?? '' });
  if (node === undefined)
    return retry(new Error(`node ${pod.spec.nodeName ?? ''} of Pod ${key.namespace}/${key.name} is not known`), triedAgainWithin);
  const request = stores.requests.get({ namespace: key.namespace, name: requestName(pod.metadata.uid ?? '') });
  const isVirtualNode = node.metadata.labels?.[labels.nodeType] === virtualKubelet;
  const next = plan({ pod, isVirtualNode, request }, io.clock.now());
  for (const warning of next.warnings) io.events.warn(pod, warning);
  const tools = { execute: (action: Action) => execute(action, pod, io, signal), logger: io.logger, about: { pod: formatKey(key) } };
  const { stages } = await runPlan([{ name: 'terminate', actions: next.actions, onFailure: 'Stop' }], tools, signal);
  const [failed] = stages.get('terminate')?.failures ?? [];
  if (failed !== undefined) return outcomeOf(failed, pod, io);
  return requeueOrSettle(next.requeueAfter);
}

/** The Pod of a request of ours that changed or went. */
const podOf = (event: StoreEvent<ContainerRecreateRequest>): readonly ObjectKey[] =>
  isTermination(event.object) ? [{ namespace: event.object.metadata.namespace ?? '', name: event.object.spec.podName }] : [];

function define({ client, clock, caches, logger, recorderFor }: ControllerDependencies): ControllerWork {
  const sources = {
    pods: caches.of(pods),
    nodes: caches.of(nodes),
    requests: caches.of(containerRecreateRequests),
  };
  const stores: Stores = { pods: sources.pods.store, nodes: sources.nodes.store, requests: sources.requests.store };
  const io = { client, clock, logger, events: new SidecarEvents(recorderFor(eventSource)) };
  return {
    watches: [
      onEvent(sources.pods, ({ kind, object }) => {
        if (kind === 'Deleted') io.events.forget(object);
      }),
      watchInformer(sources.pods, ({ kind, object }) => (kind !== 'Deleted' && isDue(object) ? [keyOf(object)] : [])),
      watchInformer(sources.requests, podOf),
    ],
    caches: [sources.nodes],
    reconcile: (key, signal) => reconcile(key, stores, io, signal),
  };
}

export const sidecarTerminatorController: ControllerModule = {
  name: eventSource,
  workers: 'sidecarterminator-workers',
  needs: containerRecreateRequestDeclaration,
  gates: ['KruiseDaemon', 'SidecarTerminator'],
  define,
};
