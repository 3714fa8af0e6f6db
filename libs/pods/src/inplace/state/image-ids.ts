/** The image ids that an update stores of its Pod, to detect later that a container runs another image. */
import { containerStatusOf, type Pod } from '@kruise/objects';
import type { InPlaceUpdateState } from './update-state.ts';

/**
 * Returns the images that these containers run now, as a part of `lastContainerStatuses`.
 *
 * @param unreported used as the id of a container without a status; without it such containers are omitted
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
