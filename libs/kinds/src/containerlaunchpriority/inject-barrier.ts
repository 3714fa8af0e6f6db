/** Which containers of a new Pod wait for which level. @see spec/containerlaunchpriority.md 4, spec/podreadiness.md 6.1 */
import { annotations, envNames, orderedLaunch } from '@kruise/api';
import { goString, randomSuffix, type Container, type Pod } from '@kruise/objects';
import { barrierEnv, hasBarrierEnv, longestPodName, withoutForeignBarriers } from './barrier.ts';

export type Injected = { readonly kind: 'Pod'; readonly pod: Pod } | { readonly kind: 'Refused'; readonly message: string };

type Priorities =
  | { readonly kind: 'None' }
  | { readonly kind: 'Levels'; readonly levels: readonly number[] }
  | { readonly kind: 'Refused'; readonly message: string };

const integer = /^[+-]?\d+$/;

/** How much of `generateName` fits before the five characters that we choose, as the API server does it. */
const longestBase = 58;

/** @returns the priority; the text that is none; 0 when nothing is said. The last entry of the name counts. */
function askedPriority({ env }: Container): number | string {
  const entry = env?.findLast(({ name }) => name === envNames.containerPriority);
  if (entry === undefined) return 0;
  const text = entry.value ?? '';
  const value = integer.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : text;
}

function denial({ name }: Container, text: string): Priorities {
  return {
    kind: 'Refused',
    message: `container ${goString(name)}: ${envNames.containerPriority} must be an integer, not ${goString(text)}`,
  };
}

function prioritiesOf(pod: Pod, containers: readonly Container[]): Priorities {
  if (pod.metadata.annotations?.[annotations.containerLaunchPriority] === orderedLaunch)
    return { kind: 'Levels', levels: containers.map((_, index) => 0 - index) };
  const levels: number[] = [];
  for (const container of containers) {
    const asked = askedPriority(container);
    if (typeof asked === 'string') return denial(container, asked);
    levels.push(asked);
  }
  return levels.every((level) => level === levels[0]) ? { kind: 'None' } : { kind: 'Levels', levels };
}

/** A name that is no text, such as null, is refused by the API server; here it is none. */
const isName = (name: unknown): name is string => typeof name === 'string' && name !== '';

/** The barrier needs the Pod's name, so it is chosen here when the API server would choose it later. */
const nameOf = ({ metadata: { name, generateName } }: Pod, random: () => number): string | undefined => {
  if (isName(name)) return name;
  return isName(generateName) ? `${generateName.slice(0, longestBase)}${randomSuffix(random)}` : undefined;
};

/** Without the mark that a manifest has from a Pod whose containers have all started. */
function unfinished({ metadata }: Pod): Pod['metadata'] {
  const { [annotations.containerLaunchPriorityCompleted]: mark, ...others } = metadata.annotations ?? {};
  return mark === undefined ? metadata : { ...metadata, annotations: others };
}

/**
 * Adds barriers to the containers that must start after others.
 *
 * @param pod as it comes from the API server: its name may be missing
 * @param random gives numbers in [0, 1), for the name of a Pod that has none yet
 * @returns the same object for a Pod without an order. A container with a barrier keeps it, unless it is the barrier of another Pod
 */
export function injectBarrier(pod: Pod, random: () => number): Injected {
  const containers = pod.spec.containers ?? [];
  if (containers.length <= 1) return { kind: 'Pod', pod };
  const priorities = prioritiesOf(pod, containers);
  if (priorities.kind === 'Refused') return priorities;
  const name = nameOf(pod, random);
  if (priorities.kind === 'None' || name === undefined) return { kind: 'Pod', pod };
  const own = containers.map((container) => withoutForeignBarriers(container, name));
  if (own.every(hasBarrierEnv)) return { kind: 'Pod', pod };
  if (name.length > longestPodName)
    return {
      kind: 'Refused',
      message: `the name of a Pod whose containers start in order has at most ${longestPodName} characters: ${name}`,
    };
  const heldBack = own.map((container, index) =>
    hasBarrierEnv(container)
      ? container
      : { ...container, env: [...(container.env ?? []), barrierEnv(name, priorities.levels[index] ?? 0)] },
  );
  return { kind: 'Pod', pod: { ...pod, metadata: { ...unfinished(pod), name }, spec: { ...pod.spec, containers: heldBack } } };
}
