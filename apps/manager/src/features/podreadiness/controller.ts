/**
 * Gives every Pod with the readiness gate `KruisePodReady` its first condition, True; without it the kubelet never reports the Pod ready. The
 * initial list brings those that were created while no manager ran. Others turn the condition off and on afterwards; here it is turned on again only
 * for a Pod that no writer holds back: the condition names none, or a lifecycle hook in whose state the Pod is not.
 * @see spec/podreadiness.md 4, 8
 */
import { containerRecreateRequests, controllerNames, eventReasons, labels } from '@kruise/api';
import { afterFailure, isFailure, isRefusal, requeue, settled, watchInformer, type EventRecorder, type Outcome } from '@kruise/kube';
import { keyOf, milliseconds, pods, type ObjectKey, type Pod } from '@kruise/objects';
import { lacksKruisePodReady } from '@kruise/pods';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { triedAgainWithin } from '../../workloads/refusals/refused-objects.ts';
import { leftBehindOf, planFirstCondition, planReset, type ConditionPatch } from '@kruise/kinds/podreadiness';

/** The end of a request that holds a Pod causes no event here. */
const whileRecreating = requeue(milliseconds(30_000));

type Parts = Pick<ControllerDependencies, 'client' | 'clock' | 'installed'> & {
  readonly podAt: (key: ObjectKey) => Pod | undefined;
  readonly recorder: EventRecorder;
};

/** Read at the API server: such Pods are rare, and a cache of requests for them alone would not be worth its memory. */
async function isBeingRecreated(pod: Pod, { client, installed }: Parts, signal: AbortSignal): Promise<boolean> {
  const { group, version, kind } = containerRecreateRequests;
  if (!installed(group, version, kind)) return false;
  const labelSelector = `${labels.recreatePodUid}=${pod.metadata.uid},${labels.recreateActive}=true`;
  const { items } = await client.list(containerRecreateRequests, {
    namespace: pod.metadata.namespace ?? '',
    labelSelector,
    limit: 1,
    signal,
  });
  return items.length > 0;
}

async function write(pod: Pod, patch: ConditionPatch, { client }: Parts, signal: AbortSignal): Promise<Outcome> {
  await client.patch(pods, keyOf(pod), patch, { type: 'strategic', subresource: 'status', signal });
  return settled;
}

async function look(pod: Pod, parts: Parts, signal: AbortSignal): Promise<Outcome> {
  const now = parts.clock.now();
  const first = planFirstCondition(pod, now);
  if (first !== undefined) return write(pod, first, parts, signal);
  const left = leftBehindOf(pod);
  if (left === undefined) return settled;
  const isHeld = left === 'NamesNoWriter' && (await isBeingRecreated(pod, parts, signal));
  return isHeld ? whileRecreating : write(pod, planReset(pod, now), parts, signal);
}

/** Nothing else says why such a Pod does not become ready. */
function reportRefusal(pod: Pod, error: unknown, { recorder }: Parts): void {
  if (!isRefusal(error)) return;
  const message = `the Pod is not ready as its condition KruisePodReady cannot be written: ${error.message}`;
  recorder.event(pod, 'Warning', eventReasons.failedPodReadiness, message);
}

async function reconcile(key: ObjectKey, parts: Parts, signal: AbortSignal): Promise<Outcome> {
  const pod = parts.podAt(key);
  if (pod === undefined) return settled;
  try {
    return await look(pod, parts, signal);
  } catch (error) {
    if (isFailure(error, 'NotFound')) return settled;
    reportRefusal(pod, error, parts);
    return afterFailure(error, triedAgainWithin);
  }
}

function define({ client, clock, caches, installed, recorderFor }: ControllerDependencies): ControllerWork {
  const source = caches.of(pods);
  const recorder = recorderFor(controllerNames.podReadiness);
  const parts: Parts = { client, clock, installed, recorder, podAt: (key) => source.store.get(key) };
  return {
    watches: [
      watchInformer(source, ({ kind, object }) =>
        kind !== 'Deleted' && (lacksKruisePodReady(object) || leftBehindOf(object) !== undefined) ? [keyOf(object)] : [],
      ),
    ],
    reconcile: (key, signal) => reconcile(key, parts, signal),
  };
}

export const podReadinessController: ControllerModule = {
  name: controllerNames.podReadiness,
  workers: 10,
  define,
};
