/**
 * Restarts containers whose environment an in-place update changed. Each restart is decided again right before: in the meantime the kubelet may have
 * created a newer instance, the update may have ended, or another change may have left the container to the kubelet.
 *
 * Keyed by container id, so that a newer instance is never stopped because of an older one.
 *
 * @see spec/daemon.md 5.6
 */
import { isCriFailure, listContainers } from '@kruise/cri';
import {
  retry,
  settled,
  type Clock,
  type ControllerDefinition,
  type EventRecorder,
  type Logger,
  type Outcome,
  type Request,
  type StoreReader,
} from '@kruise/kube';
import { keyOf, seconds, type ObjectKey, type Pod } from '@kruise/objects';
import { containerNameOf, podKeyOf, podUidOf } from '../containers/kubelet-metadata.ts';
import { isContainerOf, observeContainers, parseContainerId, type RunningContainer } from '../containers/observe-containers.ts';
import { PreStopRuns } from '../containers/pre-stop-runs.ts';
import { stopPodContainer } from '../containers/stop-pod-container.ts';
import { workersForEveryPod } from '../node-part.ts';
import type { CriRuntime, Runtimes } from '../runtime/runtimes.ts';
import type { ContainerMetaMetrics } from './metrics.ts';
import { observeEnvHash } from './observe-environment.ts';
import { planMeta, withEnvHashes, withoutEnvHash, type Containers } from './plan-meta.ts';
import { planRestarts, type Restart } from './plan-restart.ts';

export interface RestarterParts {
  readonly pods: Pick<StoreReader<Pod>, 'get'>;
  readonly runtimes: Pick<Runtimes, 'named' | 'missed'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly metrics: ContainerMetaMetrics;
}

/** Time for the kubelet to restart it for a reason of its own. */
const firstRunAfter = seconds(3);

/** Returns the queue's key of a container: its runtime and its id. */
export function restartRequest({ containerID }: Restart): Request | undefined {
  const parsed = parseContainerId(containerID);
  return parsed === undefined ? undefined : { key: { namespace: parsed.runtime, name: parsed.id }, after: firstRunAfter };
}

interface Target {
  readonly pod: Pod;
  readonly running: RunningContainer;
  readonly containers: Containers;
}

export class Restarter {
  readonly #parts: RestarterParts;
  readonly #preStops: PreStopRuns;

  constructor(parts: RestarterParts) {
    this.#parts = parts;
    this.#preStops = new PreStopRuns(parts.clock);
  }

  definition(): ControllerDefinition {
    return {
      name: 'runtime_container_meta_restarter',
      workers: workersForEveryPod,
      watches: [],
      reconcile: (key, signal) => this.reconcile(key, signal),
    };
  }

  async reconcile({ namespace: runtimeName, name: id }: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { runtimes, metrics } = this.#parts;
    const runtime = runtimes.named(runtimeName);
    if (runtime === undefined) {
      runtimes.missed();
      return retry(new Error(`no runtime ${runtimeName} on this node`));
    }
    try {
      await this.#restart(runtime, id, signal);
      return settled;
    } catch (error) {
      if (isCriFailure(error, 'Unavailable', 'DeadlineExceeded', 'InvalidAnswer')) runtimes.missed();
      metrics.restarted('error');
      throw error;
    }
  }

  async #restart(runtime: CriRuntime, id: string, signal: AbortSignal): Promise<void> {
    const { logger, metrics } = this.#parts;
    const target = await this.#observe(runtime, id, signal);
    if (target === undefined) return;
    const { pod, running } = target;
    const wanted = (await this.#plan(runtime, target, signal)).find(({ containerID }) => containerID === running.containerID);
    if (wanted === undefined || !(await isContainerOf(runtime, pod, running.container, signal))) return;
    logger.info(
      { pod: keyOf(pod), container: running.name, containerID: running.containerID, because: wanted.because },
      'Restarting a container',
    );
    const message = `Stopping containerID ${running.containerID} by container meta restarter`;
    await stopPodContainer({ pod, container: running.container, message }, { ...this.#parts, runtime, preStops: this.#preStops }, signal);
    metrics.restarted('success');
  }

  /** Returns the container with its Pod as the API server has it; undefined when either no longer exists or it is not the newest instance. */
  async #observe(runtime: CriRuntime, id: string, signal: AbortSignal): Promise<Target | undefined> {
    const [container] = await listContainers(runtime.connection, { id }, { signal });
    if (container === undefined || container.id !== id) return undefined;
    const pod = this.#parts.pods.get(podKeyOf(container));
    if (pod === undefined || pod.metadata.uid !== podUidOf(container)) return undefined;
    const containers = await observeContainers(runtime, pod, signal);
    const running = containers.get(containerNameOf(container));
    return running?.container.id === id ? { pod, running, containers } : undefined;
  }

  async #plan(runtime: CriRuntime, { pod, running, containers }: Target, signal: AbortSignal): Promise<readonly Restart[]> {
    const metas = planMeta(pod, containers).filter(({ name }) => name === running.name);
    const container = pod.spec.containers.find(({ name }) => name === running.name);
    const hashes = new Map<string, number>();
    if (container !== undefined && withoutEnvHash(metas, containers).length > 0)
      hashes.set(running.name, await observeEnvHash({ runtime, pod, container }, running, signal));
    return planRestarts(pod, withEnvHashes(metas, hashes), containers);
  }
}
