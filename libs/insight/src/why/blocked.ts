/** The condition `Blocked` as a cause: the manager names the cause, this table the next step. */
import type { BlockingReason } from '@kruise/workloads';
import { objectsAt, stringAt } from '@kruise/objects';
import type { AnyObject } from '../seen.ts';
import { nameOf, type Cause, type Severity } from './cause.ts';
import { refusalOf } from './refusal.ts';

const steps: Readonly<Record<BlockingReason, readonly [Severity, string]>> = {
  InvalidSpec: ['Fault', 'Correct the field that the message names.'],
  ConfigUnavailable: [
    'Fault',
    'Create the ConfigMap or Secret that the message names, let the manager read it (installation.configRolloutSecrets), or correct the annotation apps.kruise.io/config-rollout.',
  ],
  QuotaExceeded: ['Fault', 'Raise the ResourceQuota that the message names, or delete what is not needed in the namespace.'],
  BudgetRefuses: ['Fault', 'Wait until more Pods are available, or raise maxUnavailable of the PodUnavailableBudget.'],
  AdmissionRefuses: ['Fault', 'Change the template as the webhook or policy in the message requires.'],
  WebhookFails: ['Fault', 'Check the Service and Pods of the webhook that the message names.'],
  ScalingFails: ['Fault', 'Remove the cause in the message; the controller retries automatically.'],
  UpdatingFails: ['Fault', 'Remove the cause in the message, or choose an update strategy that may recreate Pods.'],
  ImageCannotBePulled: ['Fault', 'Check the name of the image and the pull secret of the Pod.'],
  ContainerCannotStart: ['Fault', 'Create or correct what the message names, such as a ConfigMap, a Secret or a command.'],
  ContainerCrashes: ['Fault', 'Read the log of the last run: kubectl logs POD -c CONTAINER --previous.'],
  Unschedulable: ['Fault', 'Free or add nodes that satisfy what the message lists, or relax the requests of the template.'],
  NodeLost: ['Fault', 'Restore the node, or delete its Node object after it is shut down.'],
  ResizePending: ['Fault', 'Free resources on the node, or delete the Pod so that it is scheduled on another one.'],
  WaitingForHook: ['Held', 'The owner of the hook must remove the finalizer or label that the message names.'],
  WaitingForNames: ['Held', 'Wait until the terminating Pods are deleted, or find out which finalizer they have.'],
  ScaleLimited: ['Held', 'Wait until Pods are available, or raise scaleStrategy.maxUnavailable.'],
  PodFails: ['Fault', 'Read the status of the failed Pod; the controller replaces it with increasing delays.'],
  ClockSkew: ['Fault', 'Synchronize the clocks of the nodes.'],
  NotReady: ['Fault', 'Read the readiness probe, readiness gates and log of the Pod that the message names.'],
  Paused: ['Held', 'Resume the update: kubectl kruise rollout resume.'],
  OnDelete: ['Held', 'Delete the old Pods, or change the update strategy.'],
  PartitionReached: ['Held', 'Lower the partition to update more Pods.'],
  UpdateLimited: ['Held', 'Raise maxUnavailable or maxSurge.'],
};

/** Reasons whose message may be a refusal of the API server, which has a more precise reason. */
const refusing: ReadonlySet<string> = new Set<BlockingReason>(['AdmissionRefuses', 'ScalingFails', 'UpdatingFails']);

/** Returns the cause that the condition `Blocked` of the object names; undefined without the condition. */
export function blockedCause(object: AnyObject): Cause | undefined {
  const condition = objectsAt(object, 'status', 'conditions').find((one) => one['type'] === 'Blocked' && one['status'] === 'True');
  if (condition === undefined) return undefined;
  const reason = stringAt(condition, 'reason') ?? 'Blocked';
  const message = stringAt(condition, 'message') ?? '';
  const [severity, step] = Object.hasOwn(steps, reason)
    ? steps[reason as BlockingReason]
    : (['Fault', 'Remove the cause in the message.'] as const);
  const time = stringAt(condition, 'lastTransitionTime');
  const evidence = { object: nameOf(object), field: 'status.conditions[Blocked]', text: reason, ...(time === undefined ? {} : { time }) };
  // The manager has read the object itself, and the API server has refused nothing.
  const refusal = reason === 'InvalidSpec' ? undefined : refusalOf(message);
  return {
    reason: refusal !== undefined && refusing.has(reason) ? refusal.reason : reason,
    severity,
    message,
    next: refusal?.next ?? step,
    evidence: [evidence],
  };
}
