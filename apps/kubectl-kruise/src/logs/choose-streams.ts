/** Which containers `logs` reads, and which of them were not read before. */
import { numberAt, objectsAt, stringAt } from '@kruise/objects';
import { UserError } from '../failure.ts';
import type { Untyped } from '../objects/untyped.ts';
import type { Revision } from '../rollout/revisions.ts';

/** The log of one run of a container. */
export interface LogStream {
  /** Another one after each restart. */
  readonly key: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Which containers of a Pod. */
export interface ContainerChoice {
  /** '': the default container. */
  readonly container: string;
  readonly all: boolean;
}

const namesIn = (pod: Untyped, list: string): readonly string[] =>
  objectsAt(pod, 'spec', list).map((container) => stringAt(container, 'name') ?? '');

function containersOf(pod: Untyped, { container, all }: ContainerChoice): readonly string[] {
  const own = namesIn(pod, 'containers');
  const others = [...namesIn(pod, 'initContainers'), ...namesIn(pod, 'ephemeralContainers')];
  if (all) return [...own, ...others];
  if (container !== '') return [...own, ...others].filter((name) => name === container);
  const preferred = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  return preferred !== undefined && own.includes(preferred) ? [preferred] : own.slice(0, 1);
}

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

/** Returns how often a container was restarted; undefined while it has no log. */
function runOf(pod: Untyped, container: string): number | undefined {
  const status = statusLists.flatMap((list) => objectsAt(pod, 'status', list)).find((one) => stringAt(one, 'name') === container);
  if (status === undefined) return undefined;
  const restarts = numberAt(status, 'restartCount') ?? 0;
  const hasStarted = stringAt(status, 'containerID') !== undefined && stringAt(status, 'containerID') !== '';
  return hasStarted ? restarts : undefined;
}

/**
 * Returns a stream for each chosen container that has started, by Pod and container.
 *
 * @throws UserError when a container is named that no Pod has
 */
export function streamsOf(pods: readonly Untyped[], choice: ContainerChoice): readonly LogStream[] {
  const chosen = pods.map((pod) => ({ pod, containers: containersOf(pod, choice) }));
  if (choice.container !== '' && pods.length > 0 && chosen.every(({ containers }) => containers.length === 0)) {
    const known = new Set(pods.flatMap((pod) => [...namesIn(pod, 'containers'), ...namesIn(pod, 'initContainers')]));
    throw new UserError(`no Pod has a container ${JSON.stringify(choice.container)}, out of: ${[...known].join(', ')}`);
  }
  return chosen.flatMap(({ pod, containers }) =>
    containers.flatMap((container) => {
      const run = runOf(pod, container);
      const { name, namespace = '', uid = '' } = pod.metadata;
      return run === undefined ? [] : [{ key: `${uid}/${container}/${run}`, namespace, pod: name, container }];
    }),
  );
}

const revisionLabels = ['controller-revision-hash', 'pod-template-hash'];

/** Returns whether a Pod is of the revision: its label has the name, the hash at the end of the name, or the label of the revision. */
export function isOfRevision(pod: Untyped, { object }: Revision): boolean {
  const { name } = object.metadata;
  return revisionLabels.some((label) => {
    const value = pod.metadata.labels?.[label] ?? '';
    return value !== '' && (value === name || name.endsWith(`-${value}`) || value === object.metadata.labels?.[label]);
  });
}
