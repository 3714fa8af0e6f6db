/** Causes that the containers of a Pod show: an image, a start that fails, a crash. Each rule returns the cause for one Pod, or nothing. */
import { containerStartFailures, imagePullFailures, type ContainerStatus, type Pod } from '@kruise/objects';
import { evidenceAt, fault, nameOf } from './cause.ts';
import { isLongAgo, joined, type PodRule } from './pod-rule.ts';

const statusesOf = ({ status }: Pod): readonly ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

/** The kubelet passes on what the container runtime says, and has one reason for all of it. An unknown text leads to `ImageCannotBePulled`. */
const pullSigns: readonly (readonly [RegExp, string, string])[] = [
  [/not found|manifest unknown|does not exist/i, 'ImageNotFound', 'Correct the name or tag of the image; the registry does not have it.'],
  [
    /unauthorized|denied|no basic auth|authentication required|403/i,
    'ImagePullUnauthorized',
    'Give the Pod a pull secret (spec.imagePullSecrets) that may read the image.',
  ],
  [/too ?many ?requests|rate limit|429/i, 'ImagePullLimited', 'The registry limits pulls: pull with an account, or from a mirror.'],
  [
    /x509|certificate|no such host|i\/o timeout|connection refused|dial tcp/i,
    'RegistryUnreachable',
    'Check that the node reaches the registry and trusts its certificate.',
  ],
];

export const cannotPull: PodRule = (pod) => {
  const status = statusesOf(pod).find((one) => imagePullFailures.has(one.state?.waiting?.reason ?? ''));
  if (status === undefined) return undefined;
  const { reason = '', message = '' } = status.state?.waiting ?? {};
  const [, name, next] = pullSigns.find(([pattern]) => pattern.test(message)) ?? [
    '',
    'ImageCannotBePulled',
    'Check the name of the image and the pull secret of the Pod.',
  ];
  return fault(
    name,
    `container ${status.name} of ${nameOf(pod)} cannot pull image ${status.image}`,
    next,
    evidenceAt(pod, `containerStatuses[${status.name}].state.waiting`, joined(reason, message)),
  );
};

export const cannotStart: PodRule = (pod, seen) => {
  const status = statusesOf(pod).find((one) => containerStartFailures.has(one.state?.waiting?.reason ?? ''));
  if (status === undefined) return undefined;
  const { reason = '', message = '' } = status.state?.waiting ?? {};
  // Until its level is released, the kubelet reports a container with a launch priority like this: its reason is that of every missing key.
  const isLaunching = message.includes(`${pod.metadata.name}-barrier`) || message.includes("couldn't find key p_");
  if (isLaunching && !isLongAgo(pod.metadata.creationTimestamp, seen)) return undefined;
  const isMissing = /configmap|secret/i.test(message) && /not found|couldn't find key/i.test(message);
  const next = isMissing
    ? 'Create the ConfigMap or Secret, or the key, that the message names.'
    : 'Correct the command, mounts or securityContext of the container.';
  return fault(
    isMissing ? 'ConfigMissing' : 'ContainerCannotStart',
    `container ${status.name} of ${nameOf(pod)} cannot be started`,
    next,
    evidenceAt(pod, `containerStatuses[${status.name}].state.waiting`, joined(reason, message)),
  );
};

export const crashes: PodRule = (pod) => {
  const status = statusesOf(pod).find((one) => one.state?.waiting?.reason === 'CrashLoopBackOff');
  if (status === undefined) return undefined;
  const ended = status.lastState?.terminated;
  const evidence = evidenceAt(
    pod,
    `containerStatuses[${status.name}].lastState.terminated`,
    ended === undefined ? 'CrashLoopBackOff' : `${ended.reason ?? 'Error'}, exit code ${ended.exitCode}`,
    ended?.finishedAt,
  );
  const who = `container ${status.name} of ${nameOf(pod)}`;
  if (ended?.reason === 'OOMKilled')
    return fault(
      'OutOfMemory',
      `${who} is killed because it uses more memory than its limit`,
      'Raise limits.memory of the container, or reduce what it uses.',
      evidence,
    );
  return fault(
    'ContainerCrashes',
    `${who} keeps crashing`,
    `Read the log of its last run: kubectl logs ${pod.metadata.name} -c ${status.name} --previous.`,
    evidence,
  );
};
