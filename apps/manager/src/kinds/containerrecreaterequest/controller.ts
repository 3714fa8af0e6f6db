/**
 * The manager's half of a ContainerRecreateRequest: it takes the Pod out of service where that is asked for, tells the node agent how the
 * kubelet sees the new containers, and ends requests that nobody answers, that take too long or whose Pod is gone. The containers are
 * stopped by the node agent.
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
import {
  afterFailure,
  enqueueSelf,
  isFailure,
  isRefusal,
  nextLook,
  runPlan,
  settled,
  watchInformer,
  type EventRecorder,
  type Informer,
  type Outcome,
  type StoreEvent,
} from '@kruise/kube';
import {
  deepEqual,
  formatKey,
  hasFinalizer,
  keyOf,
  nodes,
  pods,
  shortest,
  type KubeObject,
  type Node,
  type ObjectKey,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { execute } from './execute.ts';
import { isCompleted, plan, untilEnd, type Action, type Seen } from './plan.ts';
import type { Index } from '../../caches/caches.ts';
import { triedAgainWithin } from '../../workloads/refused-objects.ts';

const labelOf = (request: ContainerRecreateRequest, label: string): readonly string[] => {
  const value = request.metadata.labels?.[label];
  return value === undefined ? [] : [value];
};

const byPodUid: Index<ContainerRecreateRequest> = { name: 'podUid', valuesOf: (request) => labelOf(request, labels.recreatePodUid) };
const byNode: Index<ContainerRecreateRequest> = { name: 'node', valuesOf: (request) => labelOf(request, labels.recreateNodeName) };

/** Whether requests for the Pod may have to be looked at. */
function concernsRequests(event: StoreEvent<Pod>): boolean {
  if (event.kind !== 'Updated') return true;
  const { object, previous } = event;
  return (
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    !deepEqual(object.status?.containerStatuses, previous.status?.containerStatuses)
  );
}

interface Sources {
  readonly requests: Informer<ContainerRecreateRequest>;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
}

class RecreateRequestController {
  readonly #dependencies: ControllerDependencies;
  readonly #sources: Sources;
  readonly #recorder: EventRecorder;

  constructor(dependencies: ControllerDependencies) {
    const { caches } = dependencies;
    this.#dependencies = {
      ...dependencies,
      logger: dependencies.logger.child({ controller: containerRecreateRequestDeclaration.controllerName }),
    };
    this.#recorder = dependencies.recorderFor(containerRecreateRequestDeclaration.controllerName);
    this.#sources = {
      requests: caches.of(containerRecreateRequests, byPodUid, byNode),
      pods: caches.of(pods),
      nodes: caches.of(nodes),
    };
  }

  work(): ControllerWork {
    const { requests, pods: podSource, nodes: nodeSource } = this.#sources;
    return {
      watches: [
        watchInformer(requests, enqueueSelf),
        watchInformer(podSource, (event) => (concernsRequests(event) ? this.#unfinished(byPodUid, event.object.metadata.uid ?? '') : [])),
        watchInformer(nodeSource, ({ kind, object }) => (kind === 'Deleted' ? this.#unfinished(byNode, object.metadata.name) : [])),
      ],
      reconcile: (key, signal) => this.#reconcile(key, signal),
    };
  }

  #unfinished(index: Index<ContainerRecreateRequest>, value: string): readonly ObjectKey[] {
    const found = this.#sources.requests.store.byIndex(index, value);
    return found.filter((request) => !isCompleted(request)).map(keyOf);
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { clock, client, logger } = this.#dependencies;
    const request = this.#sources.requests.store.get(key);
    if (request === undefined) return settled;
    const { actions, lookAgainAfter } = plan(await this.#observe(request, signal), clock.now());
    const tools = {
      execute: (action: Action) => execute(action, request, { client, clock }, signal),
      logger,
      about: { containerRecreateRequest: formatKey(key) },
    };
    // Each action needs those before it.
    const { stages, error } = await runPlan([{ name: 'request', actions, onFailure: 'Stop' }], tools, signal);
    if (error === undefined) return nextLook(lookAgainAfter);
    // Deleted, or recreated under its name: the watch reports it.
    if (isFailure(error, 'NotFound')) return settled;
    for (const { action } of stages.get('request')?.failures ?? []) this.#reportRefusal(request, action, error);
    return afterFailure(error, shortest([untilEnd(request, clock.now()), triedAgainWithin]));
  }

  /** Nothing else says why the containers are not stopped, or why the Pod is still out of service. */
  #reportRefusal(request: ContainerRecreateRequest, action: Action, error: Error): void {
    if (!isRefusal(error) || (action.kind !== 'HoldPod' && action.kind !== 'ReleasePod')) return;
    const what = action.kind === 'HoldPod' ? 'taken out of' : 'put back into';
    const message = `Pod ${action.pod.metadata.name} cannot be ${what} service: ${error.message}`;
    this.#recorder.event(request, 'Warning', eventReasons.failedPodReadiness, message);
  }

  /**
   * What seems to be gone is asked for: a Pod may be younger in the cache than the request that names it. A finished request that holds no
   * Pod needs neither Pod nor Node.
   */
  async #observe(request: ContainerRecreateRequest, signal: AbortSignal): Promise<Seen> {
    const isFinished = isCompleted(request) || request.metadata.deletionTimestamp !== undefined;
    if (isFinished && !hasFinalizer(request, containerRecreateRequestFinalizer)) return { request, pod: undefined, isNodeGone: false };
    const pod = await this.#observePod(request, signal);
    return { request, pod, isNodeGone: !isFinished && (await this.#isNodeGone(request, signal)) };
  }

  async #observePod(request: ContainerRecreateRequest, signal: AbortSignal): Promise<Pod | undefined> {
    const key = { namespace: request.metadata.namespace ?? '', name: request.spec.podName };
    const held = this.#sources.pods.store.get(key);
    const isIt = held !== undefined && held.metadata.uid === request.metadata.labels?.[labels.recreatePodUid];
    return isIt ? held : this.#ask(pods, key, signal);
  }

  async #isNodeGone(request: ContainerRecreateRequest, signal: AbortSignal): Promise<boolean> {
    const key = { namespace: '', name: request.metadata.labels?.[labels.recreateNodeName] ?? '' };
    if (key.name === '' || this.#sources.nodes.store.get(key) !== undefined) return false;
    return (await this.#ask(nodes, key, signal)) === undefined;
  }

  async #ask<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await this.#dependencies.client.get(type, key, { signal });
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

export const containerRecreateRequestController: ControllerModule = {
  name: containerRecreateRequestDeclaration.controllerName,
  workers: 'crr-workers',
  gates: ['KruiseDaemon'],
  define: (dependencies) => new RecreateRequestController(dependencies).work(),
};
