/** Causes that a Pod, its containers, its node and its events show. Each rule returns the cause for one Pod, or nothing. */
import { isNodeLost, isPodFinished, memberAt, objectsAt, podCondition, stringAt, type Pod } from '@kruise/objects';
import { waitingForHook } from '@kruise/workloads';
import type { Lifecycle } from '@kruise/api';
import type { Seen } from '../seen.ts';
import { evidenceAt, fault, held, keptByFinalizers, nameOf, type Cause } from './cause.ts';
import { cannotPull, cannotStart, crashes } from './container-rules.ts';
import { recentEvents } from './events.ts';
import { isLongAgo, joined, type PodRule } from './pod-rule.ts';
import { schedulingCause } from './scheduling-cause.ts';

const unschedulable: PodRule = (pod) => {
  const scheduled = podCondition(pod, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  const text = joined(scheduled.reason, scheduled.message);
  const { reason, next } = schedulingCause(text);
  return fault(
    reason,
    `${nameOf(pod)} cannot be scheduled`,
    next,
    evidenceAt(pod, 'status.conditions[PodScheduled]', text, scheduled.lastTransitionTime),
  );
};

const nodeLost: PodRule = (pod, seen) => {
  const node = seen.nodes.get(pod.spec.nodeName ?? '');
  const isLost = node !== undefined && isNodeLost(node);
  if (!isLost && pod.status?.reason !== 'NodeLost') return undefined;
  const name = pod.spec.nodeName ?? '';
  return fault(
    'NodeLost',
    `node ${name} of ${nameOf(pod)} does not report`,
    'Restore the node, or delete its Node object after it is shut down.',
    {
      object: `Node ${name}`,
      field: 'status.conditions[Ready]',
      text:
        stringAt(
          objectsAt(node, 'status', 'conditions').find((one) => one['type'] === 'Ready'),
          'message',
        ) ?? 'Unknown',
    },
  );
};

/** Events of a Pod that say why it does not start, with what to do. */
const startEvents: readonly (readonly [reason: string, cause: string, message: string, next: string])[] = [
  [
    'FailedMount',
    'VolumeNotMounted',
    'a volume cannot be mounted',
    'Create the ConfigMap, Secret or claim that the event names, or check the storage driver on the node.',
  ],
  [
    'FailedAttachVolume',
    'VolumeNotAttached',
    'a volume cannot be attached',
    'Check where the volume is attached; another node may still have it.',
  ],
  [
    'FailedCreatePodSandBox',
    'SandboxFails',
    'the network or sandbox of the Pod cannot be created',
    'Check the network plugin (CNI) and the container runtime on the node.',
  ],
  ['FailedPostStartHook', 'PostStartHookFails', 'the postStart hook fails', 'Correct lifecycle.postStart of the container.'],
  ['FailedPreStopHook', 'PreStopHookFails', 'the preStop hook fails', 'Correct lifecycle.preStop of the container.'],
];

const eventsOfStart: PodRule = (pod, seen) => {
  if (podCondition(pod, 'Ready')?.status === 'True' || isPodFinished(pod)) return undefined;
  for (const event of recentEvents(seen, { kind: 'Pod', name: pod.metadata.name })) {
    const found = startEvents.find(([reason]) => reason === event.reason);
    if (found !== undefined) return fault(found[1], `${nameOf(pod)}: ${found[2]}`, found[3], event.evidence);
  }
  return undefined;
};

const failed: PodRule = (pod) => {
  if (pod.status?.phase !== 'Failed' || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const reason = pod.status.reason ?? 'PodFails';
  const text = stringAt(pod, 'status', 'message') ?? reason;
  if (reason === 'Evicted')
    return fault(
      'Evicted',
      `${nameOf(pod)} was evicted by its node`,
      'Free the resource that the message names on the node, or set requests that match the use.',
      evidenceAt(pod, 'status.message', text),
    );
  return fault(reason, `${nameOf(pod)} has failed`, 'Read the log of the Pod, then delete it.', evidenceAt(pod, 'status.reason', text));
};

const terminating: PodRule = (pod, seen) => {
  const { deletionTimestamp, finalizers = [] } = pod.metadata;
  if (deletionTimestamp === undefined || !isLongAgo(deletionTimestamp, seen)) return undefined;
  return finalizers.length > 0
    ? keptByFinalizers(pod, finalizers, deletionTimestamp)
    : fault(
        'PodNotStopped',
        `${nameOf(pod)} should have ended but its node does not report that it has`,
        'Check the kubelet and the container runtime of the node.',
        evidenceAt(pod, 'metadata.deletionTimestamp', deletionTimestamp, deletionTimestamp),
      );
};

const hook: PodRule = (pod, seen) => {
  const lifecycle = memberAt(seen.root, 'spec', 'lifecycle') as Lifecycle | undefined;
  const found = waitingForHook(pod, lifecycle);
  if (found === undefined) return undefined;
  return held(
    'WaitingForHook',
    found.message,
    'The owner of the hook must change the finalizer or label that the message names.',
    evidenceAt(pod, 'metadata.labels[lifecycle.apps.kruise.io/state]', pod.metadata.labels?.['lifecycle.apps.kruise.io/state'] ?? ''),
  );
};

const resize: PodRule = (pod) => {
  const pending = podCondition(pod, 'PodResizePending');
  if (pending?.status !== 'True') return undefined;
  return fault(
    'ResizePending',
    `the node cannot provide the new CPU and memory of ${nameOf(pod)}`,
    'Free resources on the node, or delete the Pod so that it is scheduled on another one.',
    evidenceAt(pod, 'status.conditions[PodResizePending]', joined(pending.reason, pending.message), pending.lastTransitionTime),
  );
};

/** Returns the first readiness gate that does not hold. */
const closedGate = (pod: Pod): string | undefined =>
  (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType).find((type) => podCondition(pod, type)?.status !== 'True');

const notReady: PodRule = (pod, seen) => {
  const ready = podCondition(pod, 'Ready');
  if (
    ready?.status !== 'False' ||
    isPodFinished(pod) ||
    pod.metadata.deletionTimestamp !== undefined ||
    !isLongAgo(ready.lastTransitionTime, seen)
  )
    return undefined;
  const evidence = evidenceAt(pod, 'status.conditions[Ready]', joined(ready.reason, ready.message), ready.lastTransitionTime);
  const gate = podCondition(pod, 'ContainersReady')?.status === 'True' ? closedGate(pod) : undefined;
  if (gate !== undefined)
    return fault(
      'ReadinessGateClosed',
      `readiness gate ${gate} keeps ${nameOf(pod)} unready`,
      'Find out which controller sets the condition of the gate, and why it does not.',
      evidence,
    );
  const probe = recentEvents(seen, { kind: 'Pod', name: pod.metadata.name }).find(
    ({ reason }) => reason === 'Unhealthy' || reason === 'ProbeWarning',
  );
  if (probe !== undefined)
    return fault('ProbeFails', `a probe of ${nameOf(pod)} fails`, 'Read the log of the container, or correct the probe.', [
      probe.evidence,
      evidence,
    ]);
  return fault(
    'NotReady',
    `${nameOf(pod)} is not ready`,
    'Read the readiness probe and the log of the containers that are not ready.',
    evidence,
  );
};

/** Every rule about a Pod, the first cause first. */
export const podRules: readonly PodRule[] = [
  cannotPull,
  cannotStart,
  crashes,
  nodeLost,
  terminating,
  unschedulable,
  failed,
  eventsOfStart,
  resize,
  hook,
  notReady,
];

/** The rules that find in a Pod what a reason of the condition `Blocked` reports, by the reason. */
export const rulesOfReason: Readonly<Record<string, readonly PodRule[]>> = {
  ImageCannotBePulled: [cannotPull],
  ContainerCannotStart: [cannotStart],
  ContainerCrashes: [crashes],
  Unschedulable: [unschedulable],
  NodeLost: [nodeLost],
  ResizePending: [resize],
  WaitingForHook: [hook],
  PodFails: [failed],
};

/** Returns the causes that Pods show, rule by rule. Of each rule only the first Pod by name, and of each Pod only its first cause. */
export function podCauses(pods: readonly Pod[], seen: Seen): readonly Cause[] {
  const explained = new Set<Pod>();
  return podRules.flatMap((rule) => {
    const found = pods.filter((pod) => !explained.has(pod)).flatMap((pod) => ({ pod, cause: rule(pod, seen) ?? [] }));
    const causes = found.flatMap(({ pod, cause }) => {
      if (!Array.isArray(cause)) explained.add(pod);
      return cause;
    });
    return causes.slice(0, 1);
  });
}
