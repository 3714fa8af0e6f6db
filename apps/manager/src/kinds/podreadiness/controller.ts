/**
 * Gives every Pod with the readiness gate `KruisePodReady` its first condition, True; without it the kubelet never reports the Pod ready. The
 * initial list brings those that were created while no manager ran. What is done once is never done again: others turn the condition off and
 * on afterwards.
 * @see spec/podreadiness.md 4
 */
import { controllerNames } from '@kruise/api';
import { isFailure, lookAgain, retry, settled, watchInformer, type ControllerDefinition, type Outcome } from '@kruise/kube';
import { keyOf, milliseconds, pods, type ObjectKey, type Pod } from '@kruise/objects';
import { lacksKruisePodReady } from '@kruise/pods';
import type { ControllerDependencies } from '../controllers.ts';
import { planFirstCondition } from './plan.ts';

const workers = 3;

/** Somebody else wrote first: what they wrote is on its way. */
const afterConflict = lookAgain(milliseconds(20));

type Parts = Pick<ControllerDependencies, 'client' | 'clock'> & { readonly podAt: (key: ObjectKey) => Pod | undefined };

async function reconcile(key: ObjectKey, { client, clock, podAt }: Parts, signal: AbortSignal): Promise<Outcome> {
  const pod = podAt(key);
  const patch = pod === undefined ? undefined : planFirstCondition(pod, clock.now());
  if (patch === undefined) return settled;
  try {
    await client.patch(pods, key, patch, { type: 'strategic', subresource: 'status', signal });
    return settled;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return settled;
    if (isFailure(error, 'Conflict')) return afterConflict;
    return retry(error instanceof Error ? error : new Error(String(error)));
  }
}

export function podReadinessController({ client, clock, informers, flags }: ControllerDependencies): ControllerDefinition {
  const source = informers.informer(pods, flags.namespace === '' ? {} : { namespace: flags.namespace });
  const parts: Parts = { client, clock, podAt: (key) => source.store.get(key) };
  return {
    name: controllerNames.podReadiness,
    workers,
    watches: [
      watchInformer(source, (event) => (event.kind !== 'Deleted' && lacksKruisePodReady(event.object) ? [keyOf(event.object)] : [])),
    ],
    reconcile: (key, signal) => reconcile(key, parts, signal),
  };
}
