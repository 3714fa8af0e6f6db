/**
 * Restarts the containers that ContainerRecreateRequests name: stops them as the kubelet would, which recreates them.
 *
 *   (empty) -> Pending (another request of the Pod is processed) -> Recreating -> grace -> states -> stop -> states … -> Completed
 *
 * Keyed by Pod, so that its requests are processed one after the other. A request stops at most one instance of each of its containers: without force
 * only the one that ran when it was created, with force the one that it recorded before.
 *
 * @see spec/containerrecreaterequest.md 5.3
 */
import { labels, type ContainerRecreateRequest } from '@kruise/api';
import { CriError, isCriFailure } from '@kruise/cri';
import {
  isFailure,
  requeue,
  requeueOrSettle,
  retry,
  settled,
  watchInformer,
  type Clock,
  type ControllerDefinition,
  type EventRecorder,
  type Informer,
  type Logger,
  type Outcome,
} from '@kruise/kube';
import { formatKey, keyOf, milliseconds, unreachable, type ObjectKey, type Pod } from '@kruise/objects';
import { isContainerOf } from '../containers/observe-containers.ts';
import { kubeletTerms } from '../containers/plan-stop.ts';
import { PreStopRuns } from '../containers/pre-stop-runs.ts';
import { stopPodContainer } from '../containers/stop-pod-container.ts';
import { workersForEveryPod } from '../node-part.ts';
import type { CriRuntime, Runtimes } from '../runtime/runtimes.ts';
import type { RecreateMetrics } from './metrics.ts';
import { GraceWatch } from './grace-watch.ts';
import { observeInstances, type Observed } from './observe-instances.ts';
import { planQueue } from './plan-queue.ts';
import { newState } from './plan-states.ts';
import { planGrace, planStep, withState, type Step } from './plan-step.ts';
import { runtimeOfRequest, termsOfRequest } from './plan-terms.ts';
import type { RequestWriter } from './requests.ts';

/** Name of the index by Pod. */
export const byPod = 'pod';
export const podKeyOfRequest = ({ metadata, spec }: ContainerRecreateRequest): ObjectKey => ({
  namespace: metadata.namespace ?? '',
  name: spec.podName,
});

export interface RecreateParts {
  /** The active requests of this node, with the index {@link byPod}. */
  readonly requests: Informer<ContainerRecreateRequest>;
  readonly writer: RequestWriter;
  readonly runtimes: Pick<Runtimes, 'named' | 'missed' | 'trouble'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly metrics: RecreateMetrics;
}

/** Another client wrote first. The watch will report it; this is for the case that it already has. */
const afterConflict = requeue(milliseconds(200));

/** Namespace, name and UID are all that is known of the Pod, and all that is needed. */
const podOf = (request: ContainerRecreateRequest): Pick<Pod, 'metadata'> => ({
  metadata: { ...podKeyOfRequest(request), uid: request.metadata.labels?.[labels.recreatePodUid] ?? '' },
});

export class RecreateController {
  readonly #parts: RecreateParts;
  readonly #preStops: PreStopRuns;
  readonly #graces: GraceWatch;

  constructor(parts: RecreateParts) {
    this.#parts = parts;
    this.#preStops = new PreStopRuns(parts.clock);
    this.#graces = new GraceWatch(parts.clock);
  }

  definition(): ControllerDefinition {
    return {
      name: 'crr',
      workers: workersForEveryPod,
      // Also when a request ends or is deleted: the next one of its Pod waits for that.
      watches: [watchInformer(this.#parts.requests, ({ object }) => [podKeyOfRequest(object)])],
      reconcile: (key, signal) => this.reconcile(key, signal),
    };
  }

  /** Processes the requests of a Pod. @param key of the Pod */
  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { picked, unaware } = planQueue(this.#parts.requests.store.byIndex(byPod, formatKey(key)));
    if (picked === undefined) this.#graces.forget(formatKey(key));
    try {
      for (const request of unaware) await this.#parts.writer.setPhase(request, 'Pending', signal);
      return picked === undefined ? settled : await this.#work(picked, signal);
    } catch (error) {
      if (isCriFailure(error, 'Unavailable', 'DeadlineExceeded', 'InvalidAnswer')) this.#parts.runtimes.missed();
      if (isFailure(error, 'Conflict')) return afterConflict;
      // Deleted: the watch will report it.
      if (isFailure(error, 'NotFound')) return settled;
      throw error;
    }
  }

  async #work(request: ContainerRecreateRequest, signal: AbortSignal): Promise<Outcome> {
    const { writer, clock } = this.#parts;
    const waited = this.#graces.observe(formatKey(podKeyOfRequest(request)), request);
    if (request.status?.phase !== 'Recreating') {
      await writer.setPhase(request, 'Recreating', signal);
      return settled;
    }
    const grace = planGrace(request, clock.now(), waited);
    if (grace !== 'Over') return requeueOrSettle(grace.after);
    const found = runtimeOfRequest(request);
    if (found.kind === 'Unclear') return this.#fail(request, found.why, signal);
    const runtime = this.#parts.runtimes.named(found.name);
    return runtime === undefined ? this.#withoutRuntime(request, found.name, signal) : this.#step(request, runtime, signal);
  }

  /** Handles a missing runtime: one that is unreachable is waited for, one that this node does not have is not. */
  async #withoutRuntime(request: ContainerRecreateRequest, name: string, signal: AbortSignal): Promise<Outcome> {
    const { runtimes } = this.#parts;
    const { trouble } = runtimes;
    if (trouble === undefined) return this.#fail(request, `no runtime ${name} on this node`, signal);
    runtimes.missed();
    return retry(new Error(trouble));
  }

  async #fail(request: ContainerRecreateRequest, why: string, signal: AbortSignal): Promise<Outcome> {
    const { writer, clock, logger } = this.#parts;
    logger.warn({ request: keyOf(request), why }, 'Cannot recreate containers');
    await writer.complete(request, `failed to find runtime service: ${why}`, clock.now(), signal);
    return settled;
  }

  /** Runs one step; the write at its end enqueues the next. */
  async #step(request: ContainerRecreateRequest, runtime: CriRuntime, signal: AbortSignal): Promise<Outcome> {
    const { writer, clock } = this.#parts;
    const names = request.spec.containers.map(({ name }) => name);
    const observed = await observeInstances(runtime, podOf(request), names, signal);
    const step = planStep(request, observed.instances, clock.now());
    switch (step.kind) {
      case 'Record':
        await writer.recordStates(request, step.states, signal);
        return settled;
      case 'Stop':
        await this.#stop(request, step, { runtime, observed }, signal);
        return settled;
      case 'Complete':
        await writer.complete(request, '', clock.now(), signal);
        return settled;
      case 'Wait':
        return requeueOrSettle(step.after);
      default:
        return unreachable(step);
    }
  }

  async #stop(
    request: ContainerRecreateRequest,
    { container: name, states }: Step & { kind: 'Stop' },
    at: { readonly runtime: CriRuntime; readonly observed: Observed },
    signal: AbortSignal,
  ): Promise<void> {
    const { writer, metrics, logger } = this.#parts;
    const failure = await this.#stopContainer(request, name, at, signal);
    metrics.stopped(failure === undefined ? 'success' : 'error');
    if (failure !== undefined) logger.warn({ request: keyOf(request), container: name, error: failure }, 'Failed to stop a container');
    const next =
      failure === undefined
        ? newState(name, 'Recreating', { isKilled: true })
        : newState(name, 'Failed', { message: `kill container error: ${failure.message}` });
    await writer.recordStop(request, withState(states, next), signal);
  }

  /** Stops a container. @returns why it could not be stopped @throws CriError when there was no answer: the stop is then retried */
  async #stopContainer(
    request: ContainerRecreateRequest,
    name: string,
    { runtime, observed }: { readonly runtime: CriRuntime; readonly observed: Observed },
    signal: AbortSignal,
  ): Promise<Error | undefined> {
    const { clock, events, logger } = this.#parts;
    const pod = podOf(request);
    const container = observed.containers.get(name)?.container;
    if (container === undefined) return undefined;
    if (!(await isContainerOf(runtime, pod, container, signal))) return new Error('its sandbox is of another Pod');
    logger.info({ request: keyOf(request), container: name, containerID: container.id }, 'Stopping a container');
    const message = `Stopping container ${name} by ContainerRecreateRequest ${request.metadata.name}`;
    const terms = termsOfRequest(request, name, kubeletTerms(container));
    try {
      await stopPodContainer({ pod, container, message, terms }, { runtime, clock, events, preStops: this.#preStops }, signal);
      return undefined;
    } catch (error) {
      if (signal.aborted || !(error instanceof CriError) || isCriFailure(error, 'Unavailable')) throw error;
      return error;
    }
  }
}
