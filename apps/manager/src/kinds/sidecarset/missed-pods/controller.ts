/**
 * Finds Pods that were created past the Pod webhook: while it was removed or its failure policy lowered, or in the moment before a new SidecarSet
 * was in force. It changes nothing, for containers cannot be added to a Pod: it says so by an event and a metric. Each Pod is looked at once, and
 * those that are there at the start as well. Labels may have come later than the Pod: before anything is said, the server is asked who wrote them.
 */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import {
  afterFailure,
  gathered,
  isFailure,
  onEvent,
  settled,
  urlPath,
  watchInformer,
  type EventRecorder,
  type Outcome,
} from '@kruise/kube';
import {
  keyOf,
  milliseconds,
  mutatingWebhookConfigurations,
  namespaces,
  pods,
  type KubeObject,
  type LabelSelector,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import { mutatingConfigurationName, standingFor } from '@kruise/admission';
import type { ControllerDependencies } from '../../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../../module/kind-module.ts';
import { mutatePodWebhook } from '../../../pod-admission/mutate-pod.ts';
import { fieldWritersOf } from '@kruise/kinds/sidecarset';
import { KnownSidecarSets } from './known-sidecar-sets.ts';
import { planMissed, type Seen } from './plan.ts';

const name = 'pod-webhook-controller';
/** By then a SidecarSet that was created shortly before is in the cache. */
const lookAfter = milliseconds(1000);

const eventReason = 'PodWebhookMissed';

interface Configuration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly namespaceSelector?: LabelSelector;
    readonly objectSelector?: LabelSelector;
    readonly matchConditions?: readonly object[];
  }[];
}

const sourcesOf = (caches: ControllerDependencies['caches']) => ({
  pods: caches.of(pods),
  namespaces: caches.of(namespaces),
  sidecarSets: caches.of<SidecarSet>(sidecarSets),
  configuration: caches.part<Configuration>(mutatingWebhookConfigurations, { fieldSelector: `metadata.name=${mutatingConfigurationName}` }),
});

class MissedPods {
  readonly #dependencies: ControllerDependencies;
  readonly #recorder: EventRecorder;
  readonly #sources: ReturnType<typeof sourcesOf>;
  readonly #known: KnownSidecarSets;
  /** Uids, until the Pod is deleted. */
  readonly #reported = new Set<string>();

  constructor(dependencies: ControllerDependencies) {
    const { caches, clock, recorderFor } = dependencies;
    this.#dependencies = dependencies;
    this.#recorder = recorderFor(name);
    this.#sources = sourcesOf(caches);
    this.#known = new KnownSidecarSets(() => clock.now());
  }

  get work(): ControllerWork {
    const { pods: podSource, sidecarSets: sidecarSetSource, namespaces: namespaceSource, configuration } = this.#sources;
    return {
      watches: [
        onEvent(sidecarSetSource, (event) => this.#known.take(event)),
        onEvent(podSource, ({ kind, object }) => {
          if (kind === 'Deleted') this.#reported.delete(object.metadata.uid ?? '');
        }),
        watchInformer(podSource, ({ kind, object }) => (kind === 'Added' ? gathered([keyOf(object)], lookAfter) : [])),
      ],
      caches: [namespaceSource, configuration],
      reconcile: (key, signal) => this.#reconcile(key, signal),
    };
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const pod = this.#sources.pods.store.get(key);
    try {
      if (pod !== undefined) await this.#look(pod, signal);
      return settled;
    } catch (error) {
      return isFailure(error, 'NotFound') ? settled : afterFailure(error);
    }
  }

  async #look(pod: Pod, signal: AbortSignal): Promise<void> {
    const { uid = '' } = pod.metadata;
    const seen = this.#seenFor(pod);
    if (this.#reported.has(uid) || planMissed(pod, seen).length === 0) return;
    for (const { reason, lacks } of planMissed(pod, { ...seen, writers: await this.#writersOf(pod, signal) })) {
      this.#reported.add(uid);
      const message = `The Pod was created past webhook ${reason}.${mutatePodWebhook} and lacks ${lacks}; delete it to have it created again`;
      this.#recorder.event(pod, 'Warning', eventReason, message);
      this.#dependencies.onMissedPod?.(reason);
    }
  }

  #seenFor(pod: Pod): Seen {
    const { namespaces: namespaceSource, configuration } = this.#sources;
    const { webhooks = [] } = configuration.store.get({ namespace: '', name: mutatingConfigurationName }) ?? {};
    return {
      namespaceLabels: namespaceSource.store.get({ namespace: '', name: pod.metadata.namespace ?? '' })?.metadata.labels,
      webhook: standingFor(mutatePodWebhook, webhooks),
      sidecarSets: this.#known.injecting(),
    };
  }

  /** The Pod and its namespace with what caches do not hold. Pods that lack something are few. */
  async #writersOf({ metadata }: Pod, signal: AbortSignal): Promise<NonNullable<Seen['writers']>> {
    const { client } = this.#dependencies;
    const { name: podName, namespace = '' } = metadata;
    const [pod, its] = await Promise.all([
      client.raw(urlPath`/api/v1/namespaces/${namespace}/pods/${podName}`, { signal }),
      client.raw(urlPath`/api/v1/namespaces/${namespace}`, { signal }),
    ]);
    return { pod: fieldWritersOf(pod), namespace: fieldWritersOf(its) };
  }
}

export const missedPodsController: ControllerModule = {
  name,
  workers: 2,
  gates: ['PodWebhook'],
  define: (dependencies) => new MissedPods(dependencies).work,
};
