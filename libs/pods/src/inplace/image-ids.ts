/** The image ids that an update remembers of its Pod, by which it is known later that a container runs another image. */
import { containerStatusOf, type Pod } from '@kruise/objects';
import type { InPlaceUpdateState } from './update-state.ts';

/**
 * What these containers run now, as a part of `lastContainerStatuses`.
 *
 * @param unreported stands for the id of a container that has no status; without it such containers are left out
 * @see spec/inplace-update.md 5
 * @see spec/sidecarset.md 5.7
 */
export const imageIdsOf = (
  pod: Pod,
  names: Iterable<string>,
  unreported?: string,
): NonNullable<InPlaceUpdateState['lastContainerStatuses']> =>
  Object.fromEntries(
    [...names].flatMap((name) => {
      const imageID = containerStatusOf(pod, name)?.imageID ?? unreported;
      return imageID === undefined ? [] : [[name, { imageID }] as const];
    }),
  );
