/**
 * Reports into each Pod's annotation which instances of its containers run and what they were created from, and requests the restart of those whose
 * environment an in-place update changed.
 *
 *   Pod event -> (1 s) -> list the Pod's containers -> read unknown environments -> annotation -> restarts requested
 *
 * Every step may run twice: the report is written only when it differs, and a restart is decided again before it is done.
 *
 * @see spec/daemon.md 5.6, spec/inplace-update.md 14
 */
import { isCriFailure } from '@kruise/cri';
import {
  isFailure,
  requeue,
  retry,
  settled,
  watchInformer,
  type Client,
  type ControllerDefinition,
  type Informer,
  type Logger,
  type Outcome,
} from '@kruise/kube';
import { formatKey, keyOf, pods, type ObjectKey, type Pod } from '@kruise/objects';
import { observeContainers, runtimeNameOf } from '../containers/observe-containers.ts';
import { workersForEveryPod } from '../node-part.ts';
import type { CriRuntime, Runtimes } from '../runtime/runtimes.ts';
import type { ContainerMetaMetrics } from './metrics.ts';
import { isReadFailure, observeEnvHash } from './observe-environment.ts';
import { planUnread, type Unread } from './plan-environment.ts';
import { planMeta, planReport, withEnvHashes, withoutEnvHash, type Containers } from './plan-meta.ts';
import { planRestarts, type Restart } from './plan-restart.ts';
import { isReportable, requestsOfPod } from './plan-triggers.ts';

export interface ContainerMetaParts {
  readonly pods: Informer<Pod>;
  /** Its answers are put into the store immediately. */
  readonly client: Pick<Client, 'patch'>;
  readonly runtimes: Pick<Runtimes, 'named' | 'missed'>;
  readonly logger: Logger;
  readonly metrics: ContainerMetaMetrics;
  /** The gate InPlaceUpdateEnvFromMetadata. */
  readonly withEnv: boolean;
  /** Requests a restart, which is decided again when its time comes. */
  readonly restart: (restart: Restart) => void;
}

const controllerName = 'runtime_container_meta';

export class ContainerMetaController {
  readonly #parts: ContainerMetaParts;
  /** By Pod, whose next pass is scheduled. An entry is removed when everything could be read, or nothing is reported of the Pod any more. */
  readonly #unread = new Map<string, Unread>();

  constructor(parts: ContainerMetaParts) {
    this.#parts = { ...parts, logger: parts.logger.child({ controller: controllerName }) };
  }

  definition(): ControllerDefinition {
    const { pods: informer, withEnv } = this.#parts;
    return {
      name: controllerName,
      workers: workersForEveryPod,
      watches: [watchInformer(informer, (event) => requestsOfPod(event, withEnv))],
      reconcile: (key, signal) => this.reconcile(key, signal),
    };
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { runtimes } = this.#parts;
    const pod = this.#parts.pods.store.get(key);
    const runtimeName = pod === undefined ? undefined : runtimeNameOf(pod);
    // Without any container id yet, the status with the first one enqueues the Pod again.
    if (pod === undefined || runtimeName === undefined || !isReportable(pod)) return this.#tryAgain(formatKey(key), []);
    const runtime = runtimes.named(runtimeName);
    if (runtime === undefined) {
      runtimes.missed();
      return retry(new Error(`no runtime ${runtimeName} on this node`));
    }
    try {
      return await this.#sync(pod, runtime, signal);
    } catch (error) {
      if (isCriFailure(error, 'Unavailable', 'DeadlineExceeded', 'InvalidAnswer')) runtimes.missed();
      // Deleted, or recreated with its name: the watch reports the new one.
      if (isFailure(error, 'NotFound')) return this.#tryAgain(formatKey(key), []);
      throw error;
    }
  }

  async #sync(pod: Pod, runtime: CriRuntime, signal: AbortSignal): Promise<Outcome> {
    const { client, withEnv, metrics, logger } = this.#parts;
    const containers = await observeContainers(runtime, pod, signal);
    const drafted = planMeta(pod, containers);
    const unread = withEnv ? withoutEnvHash(drafted, containers) : [];
    const hashes = await this.#readEnvironments(
      { pod, runtime, containers },
      unread.map(({ name }) => name),
      signal,
    );
    const metas = withEnvHashes(drafted, hashes);
    const report = planReport(pod, metas);
    if (report !== undefined) {
      await client.patch(pods, keyOf(pod), report.patch, { type: 'strategic', subresource: 'status', signal });
      metrics.reported();
      logger.debug(
        { pod: keyOf(pod), containers: metas.map(({ name, containerID }) => `${name}=${containerID}`) },
        'Reported container meta',
      );
    }
    if (withEnv) for (const restart of planRestarts(pod, metas, containers)) this.#parts.restart(restart);
    const ids = unread.filter(({ name }) => !hashes.has(name)).map(({ containerID }) => containerID);
    return this.#tryAgain(formatKey(keyOf(pod)), ids);
  }

  /** Retries later. @param containerIDs that could not be read; none to forget the Pod */
  #tryAgain(pod: string, containerIDs: readonly string[]): Outcome {
    if (containerIDs.length === 0) {
      this.#unread.delete(pod);
      return settled;
    }
    const { next, after } = planUnread(this.#unread.get(pod), containerIDs);
    this.#unread.set(pod, next);
    return requeue(after);
  }

  /** Reads environments one after the other: a Pod has few, and most need no call. Unreadable ones are omitted. */
  async #readEnvironments(
    { pod, runtime, containers }: { readonly pod: Pod; readonly runtime: CriRuntime; readonly containers: Containers },
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const { logger, metrics } = this.#parts;
    const hashes = new Map<string, number>();
    for (const name of names) {
      const container = pod.spec.containers.find((declared) => declared.name === name);
      const running = containers.get(name);
      if (container === undefined || running === undefined) continue;
      try {
        hashes.set(name, await observeEnvHash({ runtime, pod, container }, running, signal));
      } catch (error) {
        if (!isReadFailure(error) || signal.aborted) throw error;
        metrics.environmentUnread();
        const isKnown = this.#unread.get(formatKey(keyOf(pod)))?.containerIDs.includes(running.containerID) === true;
        const fields = { pod: keyOf(pod), container: name, containerID: running.containerID, error };
        if (isKnown) logger.debug(fields, 'Failed again to read the environment of a container');
        else logger.warn(fields, 'Failed to read the environment of a container, retrying with increasing pauses');
      }
    }
    return hashes;
  }
}
