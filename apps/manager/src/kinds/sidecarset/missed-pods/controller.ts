/**
 * Finds Pods that were created past the Pod webhook: while it was removed or its failure policy lowered, or in the moment before a new SidecarSet
 * was in force. It changes nothing, for containers cannot be added to a Pod: it says so by an event and a metric. Each Pod is looked at once, and
 * those that are there at the start as well. Labels may have come later than the Pod: before anything is said, the server is asked who wrote them.
 */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { afterFailure, gathered, isFailure, onEvent, settled, watchInformer, type Outcome, urlPath } from '@kruise/kube';
import {
  keyOf,
  milliseconds,
  mutatingWebhookConfigurations,
  namespaces,
  pods,
  type KubeObject,
  type LabelSelector,
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

function define({ client, caches, clock, recorderFor, onMissedPod }: ControllerDependencies): ControllerWork {
  const podSource = caches.of(pods);
  const namespaceSource = caches.of(namespaces);
  const sidecarSetSource = caches.of<SidecarSet>(sidecarSets);
  const fieldSelector = `metadata.name=${mutatingConfigurationName}`;
  const configurationSource = caches.part<Configuration>(mutatingWebhookConfigurations, { fieldSelector });
  const recorder = recorderFor(name);
  const known = new KnownSidecarSets(() => clock.now());
  /** Uids, until the Pod is deleted. */
  const reported = new Set<string>();

  const seenFor = (pod: Pod): Seen => {
    const { webhooks = [] } = configurationSource.store.get({ namespace: '', name: mutatingConfigurationName }) ?? {};
    return {
      namespaceLabels: namespaceSource.store.get({ namespace: '', name: pod.metadata.namespace ?? '' })?.metadata.labels,
      webhook: standingFor(mutatePodWebhook, webhooks),
      sidecarSets: known.injecting(),
    };
  };

  /** The Pod and its namespace with what caches do not hold. Pods that lack something are few. */
  const writersOf = async (
    { metadata: { name: podName, namespace = '' } }: Pod,
    signal: AbortSignal,
  ): Promise<NonNullable<Seen['writers']>> => {
    const [pod, its] = await Promise.all([
      client.raw(urlPath`/api/v1/namespaces/${namespace}/pods/${podName}`, { signal }),
      client.raw(urlPath`/api/v1/namespaces/${namespace}`, { signal }),
    ]);
    return { pod: fieldWritersOf(pod), namespace: fieldWritersOf(its) };
  };

  const look = async (pod: Pod, signal: AbortSignal): Promise<Outcome> => {
    const { uid = '' } = pod.metadata;
    const seen = seenFor(pod);
    if (reported.has(uid) || planMissed(pod, seen).length === 0) return settled;
    for (const { reason, lacks } of planMissed(pod, { ...seen, writers: await writersOf(pod, signal) })) {
      reported.add(uid);
      const message = `The Pod was created past webhook ${reason}.${mutatePodWebhook} and lacks ${lacks}; delete it to have it created again`;
      recorder.event(pod, 'Warning', eventReason, message);
      onMissedPod?.(reason);
    }
    return settled;
  };

  return {
    watches: [
      onEvent(sidecarSetSource, (event) => known.take(event)),
      onEvent(podSource, ({ kind, object }) => {
        if (kind === 'Deleted') reported.delete(object.metadata.uid ?? '');
      }),
      watchInformer(podSource, ({ kind, object }) => (kind === 'Added' ? gathered([keyOf(object)], lookAfter) : [])),
    ],
    caches: [namespaceSource, configurationSource],
    reconcile: async (key, signal) => {
      const pod = podSource.store.get(key);
      try {
        return pod === undefined ? settled : await look(pod, signal);
      } catch (error) {
        return isFailure(error, 'NotFound') ? settled : afterFailure(error);
      }
    },
  };
}

export const missedPodsController: ControllerModule = {
  name,
  workers: 2,
  gates: ['PodWebhook'],
  define,
};
