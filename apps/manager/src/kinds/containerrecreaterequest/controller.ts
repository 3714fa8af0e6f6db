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
  labels,
  type ContainerRecreateRequest,
} from '@kruise/api';
import {
  enqueueSelf,
  isFailure,
  nextLook,
  outcomeOf,
  runPlan,
  settled,
  watchInformer,
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
  type KubeObject,
  type Node,
  type ObjectKey,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { execute } from './execute.ts';
import { isCompleted, plan, type Action, type Seen } from './plan.ts';
import type { Index } from '../../caches/caches.ts';

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

  constructor(dependencies: ControllerDependencies) {
    const { caches } = dependencies;
    this.#dependencies = {
      ...dependencies,
      logger: dependencies.logger.child({ controller: containerRecreateRequestDeclaration.controllerName }),
    };
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
    const result = await runPlan([{ name: 'request', actions, onFailure: 'Stop' }], tools, signal);
    // Deleted, or made anew under its name: the watch is about to tell.
    return isFailure(result.error, 'NotFound') ? settled : outcomeOf(result, nextLook(lookAgainAfter));
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
