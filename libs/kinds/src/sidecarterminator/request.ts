/** The ContainerRecreateRequest that ends sidecars, and when it must be recreated. @see spec/sidecarterminator.md 3, 5.6, 5.7 */
import { annotations, type ContainerRecreateRequest } from '@kruise/api';
import { containerStatusOf, newControllerRef, parseTime, pods, type Pod } from '@kruise/objects';
import { hasEnded } from './sidecars.ts';

const namePrefix = 'sidecar-termination-';

export const requestName = (podUid: string): string => `${namePrefix}${podUid}`;
export const isTermination = ({ metadata: { name } }: ContainerRecreateRequest): boolean => name.startsWith(namePrefix);

/** How often the request of a Pod is recreated before the controller gives up. */
export const mostRepeats = 5;

/** How often the request has been recreated, according to an annotation; 0 if there is none that can be read. */
export function repeatsOf({ metadata }: Pod | ContainerRecreateRequest): number {
  const text = metadata.annotations?.[annotations.sidecarTerminationRepeats] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** @param containers names, in the order of the Pod's list */
export function newRequest(pod: Pod, containers: readonly string[], repeats: number): ContainerRecreateRequest {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ContainerRecreateRequest',
    metadata: {
      namespace: pod.metadata.namespace ?? '',
      name: requestName(pod.metadata.uid ?? ''),
      ownerReferences: [newControllerRef(pod, pods)],
      ...(repeats === 0 ? {} : { annotations: { [annotations.sidecarTerminationRepeats]: String(repeats) } }),
    },
    spec: {
      podName: pod.metadata.name,
      containers: containers.map((name) => ({ name })),
      strategy: { forceRecreate: true, failurePolicy: 'Ignore' },
    },
  };
}

/** Why a request will not end the sidecars, so that another one is needed. */
export type Fault =
  /** The kubelet started a container again that had been stopped. */
  | { readonly kind: 'Restarted'; readonly containers: readonly string[] }
  /** It is about other containers and has done its work. */
  | { readonly kind: 'Unlisted'; readonly containers: readonly string[] }
  /** It is over, yet the containers run: the node agent did not answer, or could not stop them. */
  | { readonly kind: 'Unanswered'; readonly containers: readonly string[]; readonly message: string };

function isRestarted(pod: Pod, request: ContainerRecreateRequest, name: string): boolean {
  const wasStopped = request.status?.containerRecreateStates?.some((state) => state.name === name && state.isKilled === true) === true;
  const startedAt = parseTime(containerStatusOf(pod, name)?.state?.running?.startedAt);
  const madeAt = parseTime(request.metadata.creationTimestamp ?? undefined);
  return wasStopped && startedAt !== undefined && madeAt !== undefined && startedAt > madeAt;
}

/**
 * What is wrong with the request that is there.
 *
 * @param containers those to be ended that have not ended yet
 * @returns undefined while it may still end them
 */
export function faultOf(pod: Pod, request: ContainerRecreateRequest, containers: readonly string[]): Fault | undefined {
  const listed = request.spec.containers.map(({ name }) => name);
  const isOver = request.status?.completionTime !== undefined;
  const restarted = containers.filter((name) => listed.includes(name) && isRestarted(pod, request, name));
  if (restarted.length > 0) return { kind: 'Restarted', containers: restarted };
  const unanswered = containers.filter((name) => listed.includes(name));
  if (isOver && unanswered.length > 0) return { kind: 'Unanswered', containers: unanswered, message: request.status?.message ?? '' };
  const unlisted = containers.filter((name) => !listed.includes(name));
  return unlisted.length > 0 && (isOver || listed.every((name) => hasEnded(pod, name)))
    ? { kind: 'Unlisted', containers: unlisted }
    : undefined;
}
