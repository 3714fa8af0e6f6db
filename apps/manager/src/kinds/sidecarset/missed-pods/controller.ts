/**
 * Finds Pods that were created past the Pod webhook: while it was removed or its failure policy lowered, or in the moment before a new SidecarSet
 * was in force. It changes nothing, for containers cannot be added to a Pod: it says so by an event and a metric. Each Pod is looked at once, and
 * those that are there at the start as well.
 */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { gathered, onEvent, settled, watchInformer, type Outcome } from '@kruise/kube';
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
import { mutatingConfigurationName } from '@kruise/admission';
import type { ControllerDependencies } from '../../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../../module/kind-module.ts';
import { mutatePodWebhook } from '../../../pod-admission/mutate-pod.ts';
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
  }[];
}

function define({ caches, clock, recorderFor, onMissedPod }: ControllerDependencies): ControllerWork {
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
      webhook: webhooks.find((webhook) => webhook.name === mutatePodWebhook),
      sidecarSets: known.injecting(),
    };
  };

  const look = (pod: Pod): Outcome => {
    const { uid = '' } = pod.metadata;
    if (reported.has(uid)) return settled;
    for (const { reason, lacks } of planMissed(pod, seenFor(pod))) {
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
    reconcile: (key) => {
      const pod = podSource.store.get(key);
      return Promise.resolve(pod === undefined ? settled : look(pod));
    },
  };
}

export const missedPodsController: ControllerModule = {
  name,
  workers: 2,
  gates: ['PodWebhook'],
  define,
};
