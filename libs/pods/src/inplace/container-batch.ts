/** Decides which containers of a Pod change together: the order of an update follows the launch priorities. @see spec/inplace-update.md 5 */
import { envNames } from '@kruise/api';
import type { Container, Pod } from '@kruise/objects';
import type { RefMetadata, UpdateSpec } from './spec/update-spec.ts';

/** The changes of an update in containers, by container name. */
export type ContainerWishes = Pick<UpdateSpec, 'containerImages' | 'containerRefMetadata' | 'containerResources'>;

const barrierKey = /^p_([+-]?\d+)$/;

/**
 * Returns the launch priority that the Pod webhook set for a container.
 *
 * @returns undefined for a container without a barrier, or with one that contains no number
 */
export function launchPriority(container: Container): number | undefined {
  const barrier = container.env?.find((env) => env.name === envNames.containerBarrier);
  const digits = barrierKey.exec(barrier?.valueFrom?.configMapKeyRef?.key ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const isWanted = (wishes: ContainerWishes, name: string): boolean =>
  [wishes.containerImages, wishes.containerRefMetadata, wishes.containerResources].some(
    (map) => map !== undefined && Object.hasOwn(map, name),
  );

const metadataKeys = (metadata: RefMetadata | undefined): readonly string[] => [
  ...Object.keys(metadata?.labels ?? {}).map((key) => `label ${key}`),
  ...Object.keys(metadata?.annotations ?? {}).map((key) => `annotation ${key}`),
];

/** Adds candidates that share a label or annotation with the batch, until none does: metadata belongs to the Pod, not to one container. */
function joinByMetadata(batch: Set<string>, candidates: readonly Container[], refs: Readonly<Record<string, RefMetadata>>): void {
  const brought = new Set([...batch].flatMap((name) => metadataKeys(refs[name])));
  let waiting = candidates;
  let joining = waiting;
  while (joining.length > 0) {
    joining = waiting.filter(({ name }) => metadataKeys(refs[name]).some((key) => brought.has(key)));
    for (const { name } of joining) {
      batch.add(name);
      for (const key of metadataKeys(refs[name])) brought.add(key);
    }
    waiting = waiting.filter(({ name }) => !batch.has(name));
  }
}

/**
 * Returns the containers to change now: those without a priority and those with the highest one, with all that share metadata with them.
 *
 * @returns names of containers of the Pod for which there is a change; empty when there is none
 */
export function chooseBatch(pod: Pod, wishes: ContainerWishes): ReadonlySet<string> {
  const candidates = pod.spec.containers.filter(({ name }) => isWanted(wishes, name));
  const priorities = new Map(candidates.map((container) => [container.name, launchPriority(container)]));
  const highest = Math.max(...[...priorities.values()].filter((priority) => priority !== undefined));
  const first = candidates.filter(({ name }) => [undefined, highest].includes(priorities.get(name)));
  const batch = new Set(first.map(({ name }) => name));
  joinByMetadata(batch, candidates, wishes.containerRefMetadata ?? {});
  return batch;
}
