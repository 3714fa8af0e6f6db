/** Positions of injected containers among those of the Pod. @see spec/sidecarset.md 5.4 step 3 */
import { compareUtf8, type Container } from '@kruise/objects';

export interface Placed {
  readonly container: Container;
  readonly isBeforeApp: boolean;
}

/** By name; those of equal names keep their order. */
export const sortedByName = <T extends Placed>(placed: readonly T[]): readonly T[] =>
  [...placed].sort((a, b) => compareUtf8(a.container.name, b.container.name));

/**
 * A container with the name of an existing one replaces it. Of the others, those marked to run before the application come first, the rest last.
 *
 * @param injected in their final order
 * @returns the Pod's own list when nothing is injected
 */
export function placeContainers(held: readonly Container[], injected: readonly Placed[]): readonly Container[] {
  if (injected.length === 0) return held;
  const present = new Set(held.map(({ name }) => name));
  const replacing = new Map(injected.map(({ container }) => [container.name, container]));
  const fresh = injected.filter(({ container }) => !present.has(container.name));
  return [
    ...fresh.filter(({ isBeforeApp }) => isBeforeApp).map(({ container }) => container),
    ...held.map((container) => replacing.get(container.name) ?? container),
    ...fresh.filter(({ isBeforeApp }) => !isBeforeApp).map(({ container }) => container),
  ];
}
